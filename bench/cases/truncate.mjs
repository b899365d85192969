// Cutting: the plain cut, which looks at both ends only, and the cut that keeps JSON valid.
import { flat, log, rows } from '../data.mjs'
import { carefulWith, expectSame, newCall, oursWith, truncate } from '../sides.mjs'

const MAX = 4_000
const cut = (limits, value) => () => limits.reduce(value, newCall())
const slices = (text) => `${text.slice(0, MAX / 2)}\n...\n${text.slice(-MAX / 2)}`

export default () => {
  const bands = [{ over: 10_000, action: truncate({ maxChars: MAX }) }]
  const ours = oursWith({ bands })
  const careful = carefulWith({ bands })
  const short = log(1_000_000)
  const long = log(10_000_000)
  const json = flat(JSON.stringify(rows(10_000_000)))
  const ends = ({ value }) => value.slice(0, 1_500) + value.slice(-1_500)
  const again = (work) => async () => {
    for (let i = 0; i < 200; i++) await work()
  }
  return [
    {
      name: 'truncate a 10 MB string, 200 times',
      sides: {
        ours: again(cut(ours, long)),
        naive: again(() => slices(long)),
        careful: again(cut(careful, long)),
        limit: again(cut(ours, short)),
      },
      limit: 'the same of a 1 MB string',
      measures: ['wall', 'main'],
      check: async () => expectSame('cut', ends(await cut(ours, long)()), ends(await cut(careful, long)())),
      goals: [
        {
          text: 'time does not grow with the string',
          of: ({ ours, limit }) => ours.wall / limit.wall,
          most: 1.25,
          unit: '× that of 1 MB',
        },
      ],
    },
    {
      name: 'valid truncation of a 10 MB JSON text',
      sides: {
        ours: cut(ours, json),
        careful: cut(careful, json),
        limit: () => JSON.stringify(JSON.parse(json)),
      },
      limit: '`JSON.parse` + `JSON.stringify`',
      measures: ['wall', 'block', 'main'],
      check: async () => {
        for (const limits of [ours, careful]) {
          const { value } = await cut(limits, json)()
          if (value.length > MAX) throw new Error('longer than allowed')
          JSON.parse(value)
        }
      },
      goals: [
        { text: 'wall ≤ 0.5 × parse + stringify', of: ({ ours, limit }) => ours.wall / limit.wall, most: 0.5 },
        { text: 'block ≤ 2 ms', of: ({ ours }) => ours.block, most: 2, unit: 'ms' },
      ],
    },
  ]
}
