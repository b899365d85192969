// Loading: in a process of its own each time.
import { execFileSync } from 'node:child_process'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { addon } from '../../scripts/build-addon.mjs'

const root = join(import.meta.dirname, '..', '..')

const load = (path) => () => {
  const code = `const s=performance.now();require(${JSON.stringify(join(root, path))});process.stdout.write(String(performance.now()-s))`
  return { wall: Number(execFileSync(process.execPath, ['-e', code], { encoding: 'utf8' })) }
}

export default () => [
  {
    name: 'cold `require`',
    sides: { ours: load('index.cjs'), careful: load('bench/baseline/lib/index.cjs') },
    reportsItself: true,
    measures: ['wall'],
    rounds: 15,
    goals: [
      { text: '≤ 10 ms', of: ({ ours }) => ours.wall, most: 10, unit: 'ms' },
      {
        text: 'platform package ≤ 3 MB',
        of: () => statSync(addon).size / 2 ** 20,
        most: 3,
        unit: 'MB',
      },
    ],
  },
]
