// Builds the addon into the root of the repository, with its loader and types. What is given is handed to `napi build`:
//   node scripts/build-addon.mjs --release --target aarch64-apple-darwin
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bin, isMain, root, run } from './run.mjs'

export function buildAddon(...args) {
  const { error } = spawnSync('cargo', ['--version'], { cwd: root, stdio: 'ignore' })
  if (error !== undefined) throw new Error('Rust is needed, and cargo was not found: see https://rustup.rs')
  const fixed = ['build', '--platform', '--js', 'native.cjs', '--dts', 'native.d.cts']
  run(process.execPath, [bin('@napi-rs/cli', 'napi'), ...fixed, ...args])
  if (args.some((arg) => /^(?:-t|--target)\b/.test(arg))) return
  utimesSync(addon, new Date(), new Date())
  // Cargo may build elsewhere: CARGO_TARGET_DIR.
  mkdirSync(join(root, 'target'), { recursive: true })
  writeFileSync(kindFile, args.includes('--release') ? 'release' : 'debug')
}

/** The addon for this machine, or where it will be. */
export const addon = join(root, `tool-output-limits.${platform()}.node`)

const kindFile = join(root, 'target', 'addon-kind')

/** Which profile built the addon for this machine; a release build serves wherever a debug build would. */
export function addonKind() {
  return existsSync(kindFile) ? readFileSync(kindFile, 'utf8') : undefined
}

/** As `napi build --platform` names this machine. */
function platform() {
  const { platform: system, arch } = process
  if (system === 'linux') {
    const isGlibc = process.report.getReport().header.glibcVersionRuntime !== undefined
    return `linux-${arch}-${isGlibc ? 'gnu' : 'musl'}`
  }
  return system === 'win32' ? `win32-${arch}-msvc` : `${system}-${arch}`
}

if (isMain(import.meta)) buildAddon(...process.argv.slice(2))
