// Reading back: pages, searches and JSON pointers in results of 100 MB and 1 GB.
import { closeSync, mkdirSync, openSync, readFileSync, readSync, renameSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { log, rows } from '../data.mjs'
import { carefulWith, expectSame, home, naiveWith, oursWith } from '../sides.mjs'

const NEEDLE = 'needle-in-the-last-line'
const COUNT = 20

/** Writes a file of about `size` bytes that is read under the handle `keep/<name>` by every side. */
function keep(name, size, unit, end = '') {
  for (const side of ['ours', 'careful', 'naive']) mkdirSync(join(home, side, 'keep'), { recursive: true, mode: 0o700 })
  const bytes = Buffer.from(unit)
  for (const side of ['ours', 'careful', 'naive']) {
    const file = openSync(join(home, side, 'keep', name), 'w', 0o600)
    let written = 0
    while (written + bytes.length < size) written += writeSync(file, bytes)
    written += writeSync(file, end)
    closeSync(file)
  }
  return { handle: `keep/${name}`, path: join(home, 'ours', 'keep', name) }
}

/** Reads a file in chunks and does nothing with it: what the cached file costs. */
function readThrough(path, look = () => {}) {
  const chunk = Buffer.allocUnsafe(1 << 20)
  const file = openSync(path)
  for (let got = 1; got > 0; ) {
    got = readSync(file, chunk)
    look(chunk.subarray(0, got))
  }
  closeSync(file)
}

const times = (work) => async () => {
  let answer
  for (let i = 0; i < COUNT; i++) answer = await work()
  return answer
}

export default () => {
  const ours = oursWith()
  const careful = carefulWith()
  const naive = naiveWith()
  const unit = log(8_000_000)
  const hundred = keep('log100.0', 100_000_000, unit, `the end: ${NEEDLE}\n`)
  const thousand = keep('log1000.0', 1_000_000_000, unit)
  const json = keep('json100.0', 0, '', JSON.stringify(rows(100_000_000)))
  const lines = (file) => Math.floor(statSync(file.path).size / 62)
  const pages = [
    ['first', hundred, { offset: 0 }],
    ['middle', hundred, { offset: lines(hundred) >> 1 }],
    ['last', hundred, { offset: 0, from_end: true }],
    ['first', thousand, { offset: 0 }],
    ['middle', thousand, { offset: lines(thousand) >> 1 }],
    ['last', thousand, { offset: 0, from_end: true }],
  ].map(([place, { handle }, input]) => {
    const size = handle.includes('1000') ? '1 GB' : '100 MB'
    const page = (limits) => () => limits.read({ handle, limit: 200, ...input })
    return {
      name: `${place} page of ${size}, touched before, ${COUNT} times`,
      sides: { ours: times(page(ours)), careful: times(page(careful)) },
      measures: ['wall', 'memory'],
      check: async () => expectSame('page', (await page(ours)()).text, (await page(careful)()).text),
      goals: [
        { text: '≤ 1 ms a page', of: (m) => m.ours.wall / COUNT, most: 1, unit: 'ms' },
        { text: '≤ 0.5 × careful', of: (m) => m.ours.wall / m.careful.wall, most: 0.5 },
        { text: '≤ 8 MB more memory', of: (m) => m.ours.memory, most: 8, unit: 'MB' },
      ],
    }
  })
  const search = (name, input, naivePattern, more) => ({
    name,
    sides: {
      ours: () => ours.read({ handle: hundred.handle, limit: 5, ...input }),
      naive: () => naive.search(hundred.handle, naivePattern, 5),
      careful: () => careful.read({ handle: hundred.handle, limit: 5, ...input }),
      limit: () => readThrough(hundred.path),
    },
    limit: 'reading the cached file',
    measures: ['wall', 'block', 'memory'],
    rounds: 5,
    check: async () => {
      const [a, b] = [
        await ours.read({ handle: hundred.handle, limit: 5, ...input }),
        await careful.read({ handle: hundred.handle, limit: 5, ...input }),
      ]
      expectSame('search', a.text, b.text)
    },
    ...more,
  })
  let touched = 0
  const first = (limits) => () => {
    // Another state of the file, of which nothing is known yet.
    const side = limits === ours ? 'ours' : 'careful'
    const path = join(home, side, 'keep', 'log1000.0')
    const other = join(home, side, 'keep', `touch${++touched}.0`)
    renameSync(path, other)
    renameSync(other, path)
    const file = openSync(path, 'r+')
    writeSync(file, unit.slice(0, 10), 0)
    closeSync(file)
    return limits.read({ handle: thousand.handle, offset: lines(thousand) >> 1, limit: 200 })
  }
  return [
    ...pages,
    {
      name: 'first touch of the middle of 1 GB',
      sides: {
        ours: first(ours),
        careful: first(careful),
        limit: () => readThrough(thousand.path, (chunk) => chunk.includes(0)),
      },
      limit: '`memchr` over it',
      measures: ['wall', 'memory'],
      rounds: 3,
      goals: [{ text: '≤ 2 × `memchr`', of: ({ ours: a, limit }) => a.wall / limit.wall, most: 2 }],
    },
    search('search 100 MB for a literal, a hit at the end', { pattern: NEEDLE }, NEEDLE, {
      goals: [
        { text: 'wall ≤ 0.5 × careful', of: (m) => m.ours.wall / m.careful.wall, most: 0.5 },
        {
          text: '≥ half of `memmem` on the cached file',
          of: (m) => m.ours.wall / m.limit.wall,
          most: 2,
          unit: '× reading',
        },
        { text: '≤ 8 MB more memory', of: (m) => m.ours.memory, most: 8, unit: 'MB' },
      ],
    }),
    search(
      'search 100 MB for an expression with a literal prefix',
      { pattern: 'needle-[a-z]+-the', regex: true },
      /needle-[a-z]+-the/,
      { goals: [{ text: '≥ 0.5 GB/s', of: (m) => 100 / m.ours.wall, least: 0.5, unit: 'GB/s' }] },
    ),
    pointer(ours, careful, json),
  ]
}

function pointer(ours, careful, { handle, path }) {
  const input = { handle, pointer: '/700000/email' }
  return {
    name: 'JSON pointer into a 100 MB document',
    sides: {
      ours: () => ours.read(input),
      careful: () => careful.read(input),
      limit: () => JSON.parse(readFileSync(path, 'utf8')),
    },
    limit: '`JSON.parse` of it',
    measures: ['wall', 'block', 'memory'],
    rounds: 3,
    check: async () => expectSame('pointer', (await ours.read(input)).text, (await careful.read(input)).text),
    goals: [
      { text: '≤ 0.2 × `JSON.parse`', of: (m) => m.ours.wall / m.limit.wall, most: 0.2 },
      { text: '≤ 16 MB more memory', of: (m) => m.ours.memory, most: 16, unit: 'MB' },
    ],
  }
}
