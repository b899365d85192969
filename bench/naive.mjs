// What one would write in an afternoon: the whole as a buffer, a file with its final name by a rename, two slices for the
// model, and for reading the whole file split into lines.
import { randomUUID } from 'node:crypto'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

export class NaiveLimits {
  constructor(root, { over = 10_000, preview = 500, render = JSON.stringify } = {}) {
    Object.assign(this, { root, over, preview, render })
  }

  async reduce(value, { runId, toolCallId }) {
    const text = typeof value === 'string' ? value : this.render(value)
    if (text.length < this.over) return { value }
    const handle = `${runId}/${toolCallId}`
    const path = join(this.root, handle)
    const temporary = `${path}-${randomUUID()}`
    await mkdir(dirname(path), { recursive: true })
    await writeFile(temporary, Buffer.from(text))
    await rename(temporary, path)
    const head = text.slice(0, this.preview)
    const tail = text.slice(-this.preview)
    return { value: `[stored as ${handle}]\n${head}\n...\n${tail}`, handle }
  }

  async page(handle, offset, limit) {
    const lines = (await readFile(join(this.root, handle), 'utf8')).split('\n')
    return lines.slice(offset, offset + limit).join('\n')
  }

  async search(handle, pattern, limit = 200) {
    const lines = (await readFile(join(this.root, handle), 'utf8')).split('\n')
    const isHit = typeof pattern === 'string' ? (line) => line.includes(pattern) : (line) => pattern.test(line)
    return lines.filter(isHit).slice(0, limit)
  }
}
