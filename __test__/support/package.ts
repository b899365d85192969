// What is under test, and how to run it in a node process of its own.
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { it, type TestFunction } from 'vitest'

/** The package itself, or the plain JavaScript implementation with the same API. */
export const underTest: 'native' | 'baseline' = process.env.TOL_UNDER_TEST === 'baseline' ? 'baseline' : 'native'
const project = new URL('../../', import.meta.url)
/** URL of the ESM entry, for scripts that run in another process or worker. */
export const entry = new URL(underTest === 'baseline' ? 'bench/baseline/lib/index.mjs' : 'index.js', project).href
/** Path of the CommonJS entry. */
export const cjsEntry = fileURLToPath(
  new URL(underTest === 'baseline' ? 'bench/baseline/lib/index.cjs' : 'index.cjs', project),
)

/** A behaviour that the baseline lacks: there the test must fail, so that the list of gaps stays true. */
export const beyondBaseline = (title: string, test: TestFunction): void =>
  underTest === 'baseline' ? it.fails(title, test) : it(title, test)

export interface Run {
  code: number | null
  signal: NodeJS.Signals | null
  stdout: string
  stderr: string
}
export interface RunOptions {
  nodeOptions?: string[]
  env?: Record<string, string>
  /** Wraps the command, for example to lower limits: ['sh', '-c', 'ulimit -n 64; exec "$@"', 'sh']. */
  wrapper?: string[]
  timeoutMs?: number
  cwd?: string
}
/** Runs an ES module in a node process of its own; `entry` is imported as `tol`, the rest is the script's. Ends it after `timeoutMs`. */
export function runNode(script: string, options: RunOptions = {}): Promise<Run> {
  const { nodeOptions = [], env = {}, wrapper = [], timeoutMs = 20_000, cwd } = options
  const prelude = `import * as tol from ${JSON.stringify(entry)}\n`
  const command = [...wrapper, process.execPath, ...nodeOptions, '--input-type=module', '-e', prelude + script]
  return new Promise((resolve, reject) => {
    const child = spawn(command[0]!, command.slice(1), {
      env: { ...process.env, NODE_OPTIONS: '', ...env },
      cwd: cwd ?? fileURLToPath(project),
      timeout: timeoutMs,
      killSignal: 'SIGKILL',
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let stdout = ''
    let stderr = ''
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      stdout += chunk
    })
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      stderr += chunk
    })
    child.on('error', reject)
    child.on('close', (code, signal) => resolve({ code, signal, stdout, stderr }))
  })
}
