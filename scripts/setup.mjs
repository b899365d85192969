// Brings a fresh clone, or one after `git pull`, to a runnable state. Does only what is missing.
//   node scripts/setup.mjs             packages and a debug build, quick to compile
//   node scripts/setup.mjs --release   the build that is measured and shipped
//   node scripts/setup.mjs --hosts     also the agent frameworks that the host tests use
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildEntry } from './build-entry.mjs'
import { bin, root, run, step } from './run.mjs'

const release = process.argv.includes('--release')

await install(root)
await step(release ? 'addon, release build' : 'addon, debug build', () =>
  run(process.execPath, [
    bin('@napi-rs/cli', 'napi'),
    ...['build', '--platform', '--js', 'native.cjs', '--dts', 'native.d.cts'],
    ...(release ? ['--release'] : []),
  ]),
)
await step('entry and adapters', buildEntry)
if (process.argv.includes('--hosts')) await install(join(root, '__test__', 'hosts'))

async function install(folder) {
  const stamp = join(folder, 'node_modules', '.setup-lock')
  const lock = createHash('sha256')
    .update(readFileSync(join(folder, 'package-lock.json')))
    .digest('hex')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) return
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm'
  await step(folder === root ? 'npm ci' : 'npm ci for the hosts', () =>
    run(npm, ['ci', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: folder }),
  )
  writeFileSync(stamp, lock)
}
