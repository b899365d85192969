// Spilling: text of one and two bytes a char, structured values, one large result and a thousand at once.
import { closeSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { hangul, log, rows } from '../data.mjs'
import { carefulWith, expectSame, home, naiveWith, newCall, oursWith, spill, storedBy } from '../sides.mjs'

const bands = [{ over: 10_000, action: spill() }]
const reduce = (limits, value) => () => limits.reduce(value, newCall())

/** A `write` of the same bytes. */
const rawWrite = (bytes) => () => {
  const file = openSync(join(home, 'limit', `raw-${newCall().toolCallId}`), 'w', 0o600)
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at)
  closeSync(file)
}

function spillCase(name, value, { measures, goals, layout, render, limit, rounds }) {
  const options = { bands, ...(layout && { serializer: layout }) }
  const sides = {
    ours: reduce(oursWith(options), value),
    naive: reduce(naiveWith(render && { render }), value),
    careful: reduce(carefulWith(options), value),
    ...(limit && { limit: limit.run }),
  }
  return {
    name,
    sides,
    limit: limit?.name,
    measures,
    goals,
    rounds,
    check: async () => {
      const stored = []
      for (const side of ['ours', 'naive', 'careful']) stored.push(storedBy(side, await sides[side]()))
      expectSame(name, ...stored)
    },
  }
}

export default () => {
  const ascii50 = log(50_000_000)
  const hangul15 = hangul(15_000_000)
  const rows50 = rows(50_000_000)
  const ascii10 = log(10_000_000)
  const hangul3 = hangul(3_400_000)
  const rows10 = rows(10_000_000)
  const block = { text: 'block ≤ 2 ms', of: ({ ours }) => ours.block, most: 2, unit: 'ms' }
  const wall = [
    { text: 'wall ≤ 1.0 × naive', of: ({ ours, naive }) => ours.wall / naive.wall, most: 1 },
    { text: 'wall ≤ 1.5 × raw write', of: ({ ours, limit }) => ours.wall / limit.wall, most: 1.5 },
  ]
  const laidOut = [
    { text: 'wall ≤ 0.8 × naive', of: ({ ours, naive }) => ours.wall / naive.wall, most: 0.8 },
    { text: 'wall ≤ 0.5 × careful', of: ({ ours, careful }) => ours.wall / careful.wall, most: 0.5 },
  ]
  return [
    spillCase('spill a 50 MB string, ASCII', ascii50, {
      measures: ['wall', 'block', 'main', 'memory'],
      goals: [block],
    }),
    spillCase('spill a string of 15 M Hangul chars', hangul15, {
      measures: ['wall', 'block', 'main', 'memory'],
      goals: [block],
    }),
    spillCase('spill a 50 MB array of rows', rows50, {
      measures: ['wall', 'block', 'main', 'memory'],
      rounds: 5,
      limit: { name: '`JSON.stringify` alone', run: () => JSON.stringify(rows50) },
      goals: [
        {
          text: 'block ≤ `JSON.stringify` + 2 ms',
          of: ({ ours, limit }) => ours.block - limit.block,
          most: 2,
          unit: 'ms more',
        },
      ],
    }),
    spillCase('spill a 10 MB string, ASCII', ascii10, {
      measures: ['wall', 'cpu', 'main'],
      rounds: 15,
      limit: { name: 'write of the same bytes', run: rawWrite(Buffer.from(ascii10)) },
      goals: wall,
    }),
    spillCase('spill a string of 10 MB in UTF-8, Hangul', hangul3, {
      measures: ['wall', 'cpu', 'main'],
      rounds: 15,
      limit: { name: 'write of the same bytes', run: rawWrite(Buffer.from(hangul3)) },
      goals: wall,
    }),
    spillCase('10 MB of rows as `json-lines`', rows10, {
      measures: ['wall', 'main'],
      layout: 'json-lines',
      render: (list) => list.map((row) => JSON.stringify(row)).join('\n'),
      goals: laidOut,
    }),
    spillCase('10 MB of rows as `indented-json`', rows10, {
      measures: ['wall', 'main'],
      layout: 'indented-json',
      render: (list) => JSON.stringify(list, null, 2),
      goals: laidOut,
    }),
    manyAtOnce(),
  ]
}

function manyAtOnce() {
  const text = log(100_000)
  const all = (limits) => () => Promise.all(Array.from({ length: 1_000 }, () => limits.reduce(text, newCall())))
  const [ours, naive, careful] = [oursWith({ bands }), naiveWith(), carefulWith({ bands })]
  return {
    name: '1,000 spills of 100 KB at once',
    sides: { ours: all(ours), naive: all(naive), careful: all(careful) },
    measures: ['wall', 'cpu', 'main'],
    rounds: 5,
    check: async () => {
      const bytes = (side, answers) => storedBy(side, answers[999])
      expectSame(
        'a thousand spills',
        bytes('ours', await all(ours)()),
        bytes('naive', await all(naive)()),
        bytes('careful', await all(careful)()),
      )
    },
    goals: [
      { text: 'wall ≤ 0.7 × naive', of: ({ ours, naive }) => ours.wall / naive.wall, most: 0.7 },
      { text: 'CPU ≤ 0.5 × naive', of: ({ ours, naive }) => ours.cpu / naive.cpu, most: 0.5 },
      { text: 'main thread ≤ 0.3 × naive', of: ({ ours, naive }) => ours.main / naive.main, most: 0.3 },
    ],
  }
}
