import { execFile } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc')

it('adapters, host tests and type tests check against the hosts in strict mode', { timeout: 180_000 }, async () => {
  const checked = promisify(execFile)(process.execPath, [tsc, '-p', 'tsconfig.hosts.json'], { cwd: root })
  const complaints = await checked.then(
    () => '',
    (error: { stdout?: string }) => error.stdout ?? String(error),
  )
  expect(complaints).toBe('')
})
