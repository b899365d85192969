// A result far larger than what may be held of it.
import { expect, it } from 'vitest'
import { runNode } from './support/package.js'
import { newRoot } from './support/roots.js'

const MEGABYTES = 100
const LINE = 'x'.repeat(99)
const LINES = (MEGABYTES << 20) / 100 - 1

it('a spill of 100 MB is paged and searched by another process without being held in memory', async () => {
  const root = newRoot()
  const store = `new tol.LocalFileStore({ root: ${JSON.stringify(root)} })`
  const written = await runNode(
    `const line = '${LINE}\\n'
     const text = line.repeat(${Math.floor(LINES)}) + 'the needle\\n'
     const limits = new tol.ToolOutputLimits({ store: ${store}, runId: 'run' })
     limits.readToolResult()
     console.log((await limits.reduce(text, { toolName: 'log', toolCallId: 'large' })).report.handle)`,
    { timeoutMs: 100_000 },
  )
  expect(written.stdout).toBe('run/large.0\n')
  const read = await runNode(
    `const store = ${store}
     const limits = new tol.ToolOutputLimits({ store, runId: 'run' })
     await store.write('warm/up.0', Buffer.from('small'))
     await limits.read({ handle: 'warm/up.0', pattern: 'small' })
     const before = process.memoryUsage().rss
     let most = before
     const sample = setInterval(() => { most = Math.max(most, process.memoryUsage().rss) }, 5)
     const first = await limits.read({ handle: 'run/large.0' })
     const middle = await limits.read({ handle: 'run/large.0', offset: Math.floor(first.totalLines / 2), limit: 1 })
     const last = await limits.read({ handle: 'run/large.0', from_end: true, limit: 1 })
     const found = await limits.read({ handle: 'run/large.0', pattern: 'needle' })
     clearInterval(sample)
     most = Math.max(most, process.memoryUsage().rss)
     console.log(JSON.stringify({
       lines: [first.firstLine, middle.firstLine, last.firstLine, first.totalLines],
       text: last.text, hit: found.matches[0].line, growth: most - before,
     }))`,
    { timeoutMs: 100_000 },
  )
  const { lines, text, hit, growth } = JSON.parse(read.stdout)
  const total = Math.floor(LINES) + 1
  expect(lines).toEqual([1, Math.floor(total / 2) + 1, total, total])
  expect(text).toBe('the needle\n')
  expect(hit).toBe(total)
  expect(growth).toBeLessThan(16 << 20)
})
