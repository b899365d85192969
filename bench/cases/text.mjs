// Control sequences and the token estimate.
import { getEncoding } from 'js-tiktoken'
import strip from 'strip-ansi'
import { coloured, flat, log } from '../data.mjs'
import { carefulWith, expectSame, newCall, oursWith, spill, storedBy, truncate } from '../sides.mjs'

export default async () => {
  const bands = [{ over: 10_000, action: truncate({ json: 'text' }) }]
  const ours = oursWith({ bands, stripAnsi: true })
  const careful = carefulWith({ bands, stripAnsi: true })
  const texts = {
    '10 MB coloured build log': coloured(10_000_000),
    '10 MB of unterminated sequences': flat('\x1b]8;;http://example.com/abcdefgh\n'.repeat(300_000)),
    '10 MB without escapes': log(10_000_000),
  }
  const goals = {
    '10 MB coloured build log': {
      text: 'wall ≤ 0.3 × `strip-ansi` 7',
      of: ({ ours, naive }) => ours.wall / naive.wall,
      most: 0.3,
    },
    '10 MB of unterminated sequences': {
      text: 'linear',
      of: ({ ours, limit }) => ours.wall / limit.wall,
      most: 5,
      unit: '× that of a quarter',
    },
    '10 MB without escapes': {
      text: '≥ 1 GB/s',
      of: ({ ours }) => texts['10 MB without escapes'].length / 1e6 / ours.wall,
      least: 1,
      unit: 'GB/s',
    },
  }
  const cases = Object.entries(texts).map(([name, text]) => ({
    name: `strip control sequences: ${name}`,
    sides: {
      ours: () => ours.reduce(text, newCall()),
      naive: () => strip(text),
      careful: () => careful.reduce(text, newCall()),
      ...(name.includes('unterminated') && { limit: () => ours.reduce(text.slice(0, text.length / 4), newCall()) }),
    },
    ...(name.includes('unterminated') && { limit: 'a quarter of it' }),
    measures: ['wall', 'block'],
    check: async () => {
      const options = { bands: [{ over: 10_000, action: spill() }], stripAnsi: true }
      const a = storedBy('ours', await oursWith(options).reduce(text, newCall()))
      const b = storedBy('careful', await carefulWith(options).reduce(text, newCall()))
      expectSame('stripped', a, b, ...(name.includes('unterminated') ? [] : [Buffer.from(strip(text))]))
    },
    naive: '`strip-ansi` 7',
    goals: [goals[name]],
  }))
  return [...cases, ...tokens()]
}

function tokens() {
  const encoding = getEncoding('cl100k_base')
  const never = [{ over: 1e9, action: truncate() }]
  const ours = oursWith({ bands: [{ over: 1, action: truncate({ maxChars: 4_000, json: 'text' }) }], overTokens: true })
  const careful = carefulWith({ bands: never, overTokens: true })
  const bad = 'a'.repeat(20_000)
  const short = log(1_000_000)
  const long = log(4_000_000)
  return [
    {
      name: 'token estimate: 20,000 times the letter a',
      sides: {
        ours: () => ours.reduce(bad, newCall()),
        naive: () => encoding.encode(bad),
        careful: () => careful.reduce(bad, newCall()),
      },
      naive: '`js-tiktoken`',
      measures: ['wall'],
      // Many seconds each, and a hundredfold difference.
      rounds: 2,
      goals: [
        { text: '≥ 100 × as fast as `js-tiktoken`', of: ({ ours, naive }) => naive.wall / ours.wall, least: 100 },
      ],
    },
    {
      name: 'token estimate: 4 MB of log lines',
      sides: {
        ours: () => ours.reduce(long, newCall()),
        careful: () => careful.reduce(long, newCall()),
        limit: () => ours.reduce(short, newCall()),
      },
      limit: 'the same of 1 MB',
      measures: ['wall'],
      goals: [
        { text: 'linear', of: ({ ours, limit }) => ours.wall / limit.wall, most: 5, unit: '× that of a quarter' },
      ],
    },
  ]
}
