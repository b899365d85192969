// Loading: in a process of its own each time.
import { execFileSync } from 'node:child_process'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..', '..')

const load = (path) => () => {
  const code = `const s=performance.now();require(${JSON.stringify(join(root, path))});process.stdout.write(String(performance.now()-s))`
  return { wall: Number(execFileSync(process.execPath, ['-e', code], { encoding: 'utf8' })) }
}

export default () => {
  const addon = readdirSync(root).find((name) => name.endsWith('.node'))
  return [
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
          of: () => statSync(join(root, addon)).size / 2 ** 20,
          most: 3,
          unit: 'MB',
        },
      ],
    },
  ]
}
