// What the other scripts share: where things are, and how a tool is run without a shell.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = dirname(dirname(fileURLToPath(import.meta.url)))

/** Whether a script was started by itself, and not imported. */
export function isMain(meta) {
  return process.argv[1] !== undefined && resolve(process.argv[1]) === fileURLToPath(meta.url)
}

/** The script behind a package's command: started by node itself, so without npx and on Windows too. */
export function bin(name, command = name, folder = root) {
  const home = join(folder, 'node_modules', name)
  const manifest = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'))
  return join(home, typeof manifest.bin === 'string' ? manifest.bin : manifest.bin[command])
}

/** Runs a command to its end; throws where it fails. Its output goes to stderr, so that stdout stays the caller's. */
export function run(command, args, options = {}) {
  const { status, error, signal } = spawnSync(command, args, {
    cwd: root,
    stdio: ['ignore', 2, 2],
    shell: command.endsWith('.cmd'),
    ...options,
  })
  if (error) throw error
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${signal ?? status}`)
}

/** Runs a step and tells its name and duration on stderr; ends the process where it fails. */
export async function step(name, work) {
  const start = performance.now()
  process.stderr.write(`${name} …\n`)
  try {
    await work()
  } catch (error) {
    process.stderr.write(`${name} failed: ${error.message}\n`)
    process.exit(1)
  }
  process.stderr.write(`${name}: ${((performance.now() - start) / 1000).toFixed(1)} s\n`)
}
