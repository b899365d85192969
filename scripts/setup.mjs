// Brings a fresh clone, or one after `git pull`, to a runnable state. Does only what is missing.
//   node scripts/setup.mjs             packages and a debug build, quick to compile
//   node scripts/setup.mjs --release   the build that is measured and shipped
//   node scripts/setup.mjs --hosts     also the agent frameworks that the host tests use
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { addon, addonKind, buildAddon } from './build-addon.mjs'
import { buildEntry } from './build-entry.mjs'
import { root, run, step } from './run.mjs'

const release = process.argv.includes('--release')

if (Number(process.versions.node.split('.')[0]) < 20) {
  console.error(`Node.js 20 or later is needed; this is ${process.version}`)
  process.exit(1)
}
await install(root)
if (!isFresh(addon, ['src', 'Cargo.toml', 'Cargo.lock', 'build.rs']) || (release && addonKind() !== 'release')) {
  await step(release ? 'addon, release build' : 'addon, debug build', () =>
    buildAddon(...(release ? ['--release'] : [])),
  )
}
if (
  !isFresh(join(root, 'dist', 'index.cjs'), [
    'api',
    'adapters',
    'common',
    'index.d.ts',
    'native.d.cts',
    'scripts/build-entry.mjs',
  ])
) {
  await step('entry and adapters', buildEntry)
}
if (process.argv.includes('--hosts')) {
  for (const folder of ['hosts', 'stores']) {
    if (existsSync(join(root, '__test__', folder, 'package-lock.json'))) await install(join(root, '__test__', folder))
  }
}

/** Whether a built file is newer than all it is built from. */
function isFresh(built, sources) {
  if (!existsSync(built)) return false
  const since = statSync(built).mtimeMs
  return sources.every((source) => newest(join(root, source)) <= since)
}

function newest(path) {
  const found = statSync(path)
  if (!found.isDirectory()) return found.mtimeMs
  const inside = readdirSync(path, { recursive: true }).map((name) => statSync(join(path, name)).mtimeMs)
  return Math.max(found.mtimeMs, ...inside)
}

async function install(folder) {
  const stamp = join(folder, 'node_modules', '.setup-lock')
  const lock = createHash('sha256')
    .update(readFileSync(join(folder, 'package-lock.json')))
    .digest('hex')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) return
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm'
  await step(folder === root ? 'npm ci' : `npm ci in ${relative(root, folder)}`, () =>
    run(npm, ['ci', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: folder }),
  )
  writeFileSync(stamp, lock)
}
