// The original as one more side: a process of its own, in a virtual environment that is made once and kept.
import { execFileSync, spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

const PACKAGE = 'pydantic-ai-harness==0.62.0'
const home = join(tmpdir(), 'tool-output-limits-bench-python')
const python = join(home, process.platform === 'win32' ? 'Scripts/python.exe' : 'bin/python')
const script = join(import.meta.dirname, 'rival.py')

/** `undefined`, with the reason on stderr, where it cannot be installed. */
export function pythonSide() {
  try {
    if (!existsSync(python)) execFileSync('python3', ['-m', 'venv', home], { stdio: 'pipe' })
    execFileSync(python, ['-m', 'pip', 'install', '--quiet', PACKAGE], { stdio: 'pipe' })
  } catch (error) {
    process.stderr.write(`the original is left out, ${PACKAGE} cannot be installed: ${error.message.split('\n')[0]}\n`)
    return undefined
  }
  const known = readFileSync(script, 'utf8')
  const child = spawn(python, [script], { stdio: ['pipe', 'pipe', 'inherit'] })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const ready = lines.next()
  return {
    /** How a case is run there; `undefined` where the original does not have the same work. */
    side: (name) =>
      known.includes(`'${name}':`)
        ? async () => {
            await ready
            child.stdin.write(`${name}\n`)
            const { value } = await lines.next()
            if (!(Number(value) > 0)) throw new Error(`the original failed at "${name}": ${value}`)
            return { wall: Number(value) }
          }
        : undefined,
    end: () => child.stdin.end(),
  }
}
