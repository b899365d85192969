// A mixed load for a long time: eight agents at once spill, truncate, read, search, and let go of what they stored.
//
//   node --expose-gc bench/soak.mjs --minutes 5
//
// Every few seconds the memory, the open files and the time of a 100 KB spill are printed; at the end, whether they grew.
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { LocalFileStore } from '../index.js'
import { coloured, hangul, log, rows } from './data.mjs'
import { median, openFiles, rss } from './measure.mjs'
import { home, newCall, oursWith, spill, truncate } from './sides.mjs'

const AGENTS = 8
const REPORT_MS = 10_000
/** The first part of the run: code is compiled, pools fill up. */
const WARM_UP = 0.2

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '5' } } })
const minutes = Number(values.minutes)
if (!(minutes > 0)) throw new Error('--minutes must be a number above 0')

const files = new LocalFileStore({ root: join(home, 'ours') })
const store = oursWith({ store: files, bands: [{ over: 10_000, action: spill() }], stripAnsi: true })
const cutting = oursWith({ bands: [{ over: 10_000, action: truncate() }] })
const inMemory = {
  log: log(100_000),
  big: log(3_000_000),
  hangul: hangul(400_000),
  rows: rows(500_000),
  coloured: coloured(300_000),
}

const spills = []
const samples = []
let operations = 0
let failures = 0
const started = performance.now()
const end = started + minutes * 60_000

async function agent(number) {
  for (let i = number; performance.now() < end; i++) {
    const start = performance.now()
    const { report } = await store.reduce(inMemory.log, newCall())
    spills.push(performance.now() - start)
    if (report.action !== 'spill') failures++
    const other = [inMemory.hangul, inMemory.rows, inMemory.coloured, inMemory.big][i % 4]
    const { report: second } = await store.reduce(other, newCall())
    const { handle } = second
    const page = await store.read({ handle, offset: 100, limit: 50 })
    const search = await store.read({ handle, pattern: '17', limit: 5 })
    await cutting.reduce(other, newCall())
    if (!page.found || !search.found) failures++
    operations += 5
    if (i % 50 === 0) await forget()
  }
}

/** Takes away what is older than a moment, as an application would at the end of a run. */
const forget = () => files.prune({ olderThanMs: 5_000 })

const number = (value) => value.toFixed(value < 10 ? 2 : 0)
const percentile = (list, part) => [...list].sort((a, b) => a - b)[Math.floor(part * (list.length - 1))] ?? Number.NaN

const timer = setInterval(
  () => {
    const at = performance.now() - started
    globalThis.gc?.()
    const recent = spills.splice(0)
    const sample = { at, rss: rss(), files: openFiles(), p50: percentile(recent, 0.5), p99: percentile(recent, 0.99) }
    samples.push(sample)
    process.stdout.write(
      `${number(at / 1000).padStart(5)} s  RSS ${number(sample.rss)} MB  files ${sample.files}  100 KB spill p50 ${number(sample.p50)} ms  p99 ${number(sample.p99)} ms\n`,
    )
  },
  Math.min(REPORT_MS, (minutes * 60_000) / 6),
)

await Promise.all(Array.from({ length: AGENTS }, (_, i) => agent(i)))
clearInterval(timer)

const steady = samples.filter(({ at }) => at > WARM_UP * minutes * 60_000)
const half = steady.length >> 1
const grown = (key) =>
  median(steady.slice(half).map((sample) => sample[key])) / median(steady.slice(0, half).map((sample) => sample[key])) -
  1
const p50 = median(steady.map((sample) => sample.p50))
const p99 = median(steady.map((sample) => sample.p99))
process.stdout.write(
  [
    `${operations.toLocaleString('en-US')} operations, ${failures} failed, ${number(minutes)} minutes`,
    `RSS, second half against the first: ${number(grown('rss') * 100)} % (goal ± 5 %)`,
    `open files, second half against the first: ${number(grown('files') * 100)} % (goal 0 %)`,
    `100 KB spill: p50 ${number(p50)} ms, p99 ${number(p99)} ms, ${number(p99 / p50)} × (goal ≤ 10 ×)`,
    '',
  ].join('\n'),
)
if (failures > 0) process.exitCode = 1
