// Builds the addon into the root of the repository, with its loader and types. What is given is handed to `napi build`:
//   node scripts/build-addon.mjs --release --target aarch64-apple-darwin
import { spawnSync } from 'node:child_process'
import { bin, isMain, root, run } from './run.mjs'

export function buildAddon(...args) {
  const { error } = spawnSync('cargo', ['--version'], { cwd: root, stdio: 'ignore' })
  if (error !== undefined) throw new Error('Rust is needed, and cargo was not found: see https://rustup.rs')
  const fixed = ['build', '--platform', '--js', 'native.cjs', '--dts', 'native.d.cts']
  run(process.execPath, [bin('@napi-rs/cli', 'napi'), ...fixed, ...args])
}

if (isMain(import.meta)) buildAddon(...process.argv.slice(2))
