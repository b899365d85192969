// Results below every band: nothing is to be done, and nothing must be paid for it.
import { carefulWith, naiveWith, newCall, oursWith } from '../sides.mjs'

const TIMES = 20_000

export default () => {
  const ours = oursWith()
  const careful = carefulWith()
  const naive = naiveWith()
  const values = {
    '1 KB string': 'x'.repeat(1_000),
    '9 KB string': 'y'.repeat(9_000),
    'small object': { status: 'ok', rows: [1, 2, 3], name: 'a'.repeat(100) },
  }
  return Object.entries(values).map(([name, value]) => {
    const many = (limits) => async () => {
      const call = newCall()
      for (let i = 0; i < TIMES; i++) await limits.reduce(value, call)
    }
    return {
      name: `below every band: ${name}, ${TIMES.toLocaleString('en-US')} calls`,
      sides: { ours: many(ours), naive: many(naive), careful: many(careful) },
      check: async () => {
        if ((await ours.reduce(value, newCall())).value !== value) throw new Error('not the same reference')
      },
      measures: ['wall'],
      goals: [{ text: '≤ 10 µs a call', of: ({ ours }) => (ours.wall / TIMES) * 1e3, most: 10, unit: 'µs' }],
    }
  })
}
