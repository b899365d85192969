// Runs each fuzz target for some seconds, from the committed corpus. Needs cargo-fuzz, which is installed into target/tools
// where CI is set; stable Rust is enough.
//   node scripts/fuzz.mjs SECONDS [TARGET …]     SECONDS of each, 5 by default
// Ends with 1 where a target failed; the input that did it lies in fuzz/artifacts.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { root, run } from './run.mjs'

const [seconds = '5', ...chosen] = process.argv.slice(2)
const all = readdirSync(join(root, 'fuzz', 'targets')).map((file) => file.replace(/\.rs$/, ''))
const targets = chosen.length > 0 ? chosen : all

if (process.platform === 'win32') {
  console.log('skipped: the targets plant links, and libFuzzer without a sanitizer is not to be had here')
  process.exit(0)
}
const tools = join(root, 'target', 'tools')
const env = { ...process.env, PATH: `${join(tools, 'bin')}${delimiter}${process.env.PATH}` }
const isThere = () => spawnSync('cargo', ['fuzz', '--version'], { env, stdio: 'ignore' }).status === 0
if (!isThere() && process.env.CI) run('cargo', ['install', '--quiet', '--locked', '--root', tools, 'cargo-fuzz'])
if (!isThere()) {
  console.log('skipped: cargo-fuzz is not installed: cargo install cargo-fuzz')
  process.exit(0)
}
// Without a sanitizer, for those need nightly Rust; the engine has no unsafe code that one would watch.
const fuzz = (...args) => ['fuzz', args[0], '--sanitizer', 'none', ...args.slice(1)]
const built = spawnSync('cargo', fuzz('build'), { cwd: root, env, stdio: ['ignore', 2, 2] })
if (built.status !== 0) process.exit(1)

let failed = 0
for (const target of targets) {
  // What is found goes there, so that the committed corpus stays small.
  const found = mkdtempSync(join(tmpdir(), `tol-fuzz-${target}-`))
  const options = [`-max_total_time=${Number(seconds)}`, '-max_len=4096', '-print_final_stats=1', '-verbosity=0']
  const corpus = join('fuzz', 'corpus', target)
  const { status, stderr } = spawnSync('cargo', fuzz('run', target, found, corpus, '--', ...options), {
    cwd: root,
    env,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const executed = /stat::number_of_executed_units:\s*(\d+)/.exec(stderr)?.[1] ?? '?'
  const added = readdirSync(found).length
  console.log(
    `${target}: ${status === 0 ? 'ok' : 'FAILED'}, ${Number(executed).toLocaleString('en-US')} inputs, ${added} new`,
  )
  if (status !== 0) {
    failed++
    console.error(stderr.slice(-6_000))
  }
  rmSync(found, { recursive: true, force: true })
}
process.exit(failed > 0 ? 1 : 0)
