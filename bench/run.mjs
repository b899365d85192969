// Measures the package against what else there is, and writes docs/benchmarks.md and docs/benchmarks.svg.
//
//   node --expose-gc bench/run.mjs              all cases
//   node --expose-gc bench/run.mjs spill        those whose name contains a word; nothing is written
//     --rounds N   runs of each side (default 7)   --no-python   without the original and its virtual environment
//     --keep FILE  keeps the figures of each case as it ends; a run that was interrupted goes on behind them
//
// Sides take turns in alternating order, so that noise hits all of them; figures are medians. Before anything is timed, the
// sides must give the same answers. The event loop's longest block is taken in runs of their own.
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { addon } from '../scripts/build-addon.mjs'
import { chart } from './chart.mjs'
import { longestBlock, median, settle, spread, timed } from './measure.mjs'
import { pythonSide } from './python.mjs'
import { sweep } from './sides.mjs'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  allowNegative: true,
  options: {
    rounds: { type: 'string', default: '7' },
    python: { type: 'boolean', default: true },
    keep: { type: 'string' },
  },
})
if (!globalThis.gc) throw new Error('needs node --expose-gc')
const root = join(import.meta.dirname, '..')
const wanted = positionals[0]
const python = values.python ? pythonSide() : undefined

const kept = values.keep && existsSync(values.keep) ? JSON.parse(readFileSync(values.keep, 'utf8')) : []
const results = []
for (const file of ['small', 'spill', 'truncate', 'text', 'read', 'cold']) {
  if (wanted && existsSync(join(import.meta.dirname, 'cases', `${wanted}.mjs`)) && wanted !== file) continue
  const { default: make } = await import(`./cases/${file}.mjs`)
  for (const one of await make()) {
    if (wanted && wanted !== file && !one.name.includes(wanted)) continue
    const before = kept.find(({ name }) => name === one.name)
    results.push(before ?? (await measure(one)))
    show(results.at(-1))
    if (values.keep && !before) {
      kept.push(results.at(-1))
      writeFileSync(values.keep, JSON.stringify(kept))
    }
  }
}
python?.end()
if (!wanted) {
  const page = join(root, 'docs', 'benchmarks.md')
  const text = existsSync(page) ? readFileSync(page, 'utf8') : '<!-- results -->\n<!-- end -->\n'
  const filled = text.replace(
    /<!-- results -->[\s\S]*<!-- end -->/,
    () => `<!-- results -->\n\n${report(results)}\n<!-- end -->`,
  )
  writeFileSync(page, filled)
  writeFileSync(join(root, 'docs', 'benchmarks.svg'), chart(results))
}

async function measure(one) {
  const pythonRun = python?.side(one.name)
  const sides = { ...one.sides, ...(pythonRun && { python: pythonRun }) }
  const names = Object.keys(sides)
  await one.check?.()
  sweep()
  const rounds = Math.min(one.rounds ?? Number(values.rounds), wanted ? 99 : (one.rounds ?? 99))
  const runs = Object.fromEntries(names.map((name) => [name, []]))
  for (let round = 0; round < rounds + 1; round++) {
    for (const name of round % 2 ? names : [...names].reverse()) {
      await settle()
      let figures = await timed(sides[name])
      if (one.reportsItself || name === 'python') figures = figures.answer
      else if (one.measures.includes('block')) {
        await settle()
        figures.block = await longestBlock(sides[name])
      }
      delete figures.answer
      // The first round warms up.
      if (round > 0) runs[name].push(figures)
    }
    sweep()
  }
  const medians = Object.fromEntries(
    names.map((name) => [
      name,
      Object.fromEntries(Object.keys(runs[name][0]).map((key) => [key, median(runs[name].map((run) => run[key]))])),
    ]),
  )
  const noise = Object.fromEntries(names.map((name) => [name, spread(runs[name].map((run) => run.wall))]))
  const goals = one.goals.map((goal) => {
    const got = goal.of(medians)
    return { ...goal, got, isMet: goal.most === undefined ? got >= goal.least : got <= goal.most }
  })
  return { ...one, medians, noise, goals }
}

function show({ name, medians, noise, goals, measures }) {
  const lines = Object.entries(medians).map(([side, figures]) => {
    const shown = measures.filter((key) => figures[key] !== undefined).map((key) => `${key} ${number(figures[key])}`)
    return `  ${side.padEnd(8)} ${shown.join('  ')}  ±${Math.round(noise[side] * 100)} %`
  })
  const verdicts = goals.map(
    (goal) => `  ${goal.isMet ? 'met   ' : 'MISSED'} ${goal.text}: ${number(goal.got)} ${goal.unit ?? '×'}`,
  )
  process.stdout.write([name, ...lines, ...verdicts, ''].join('\n'))
}

function number(value) {
  if (!Number.isFinite(value)) return '–'
  if (value >= 100) return Math.round(value).toLocaleString('en-US')
  return value >= 10 ? value.toFixed(1) : value.toFixed(2)
}

function report(all) {
  const [cpu] = cpus()
  const size = (statSync(addon).size / 2 ** 20).toFixed(2)
  const head = [
    `${cpu.model.trim()}, ${cpus().length} cores, node ${process.version}, ${process.platform}-${process.arch}; the addon has ${size} MB.`,
    'Milliseconds, medians; ± half the distance between the quartiles. `block`: longest block of the event loop, `main` and `cpu`:',
    'time of the main thread and of all threads, `memory`: MB at the peak over what was there before.',
    '',
    '| work | measure | this package | naive | careful JavaScript | Python | limit |',
    '| --- | --- | --: | --: | --: | --: | --: |',
  ]
  const cell = (result, side, key) => {
    const value = result.medians[side]?.[key]
    if (value === undefined || Number.isNaN(value)) return ''
    const noise = key === 'wall' ? ` ±${Math.round(result.noise[side] * 100)} %` : ''
    return `${number(value)}${noise}`
  }
  const rows = all.flatMap((result) =>
    result.measures.map((key, index) => {
      const explained = ['naive', 'limit'].map((side) => (result[side] ? `; ${side}: ${result[side]}` : ''))
      const name = index === 0 ? [result.name, ...explained].join('') : ''
      const cells = ['ours', 'naive', 'careful', 'python', 'limit'].map((side) => cell(result, side, key))
      return `| ${name} | ${key} | ${cells.join(' | ')} |`
    }),
  )
  const goals = all.flatMap((result) =>
    result.goals.map(
      (goal) =>
        `| ${result.name} | ${goal.text} | ${number(goal.got)} ${goal.unit ?? '×'} | ${goal.isMet ? 'yes' : '**no**'} |`,
    ),
  )
  return [...head, ...rows, '', '| work | goal | measured | met |', '| --- | --- | --: | --- |', ...goals, ''].join(
    '\n',
  )
}
