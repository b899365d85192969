// How much has to be read to find a fact in a large tool result: a scripted reader on what the package gives it.
//
//   node bench/use/run.mjs [--tasks 200] [--seed 1] [--verbose]
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { LocalFileStore, ToolOutputLimits, truncate } from '../../index.js'
import { answer } from './reader.mjs'
import { tasks } from './tasks.mjs'

const { values } = parseArgs({
  options: {
    tasks: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
    verbose: { type: 'boolean', default: false },
  },
})
const root = mkdtempSync(path.join(tmpdir(), 'tool-output-limits-use-'))
const store = new LocalFileStore({ root })
const ways = {
  'default options': {},
  'plain truncation': { bands: [{ over: 10_000, action: truncate({ json: 'text' }) }] },
}
try {
  const all = tasks(Number(values.tasks), Number(values.seed))
  const results = Object.fromEntries(Object.keys(ways).map((way) => [way, []]))
  for (const [way, options] of Object.entries(ways)) {
    const limits = new ToolOutputLimits({ store, ...options })
    const { execute } = limits.readToolResult()
    for (const [at, task] of all.entries()) {
      const { value } = await limits.reduce(task.value, { toolName: 'tool', runId: 'use', toolCallId: `call-${at}` })
      const seen = await answer(task, value, (input) => execute(input))
      const found = seen.found === task.truth
      results[way].push({ kind: task.kind, ...seen, found })
      if (values.verbose && way === 'default options' && (!found || seen.calls > 1)) {
        console.error(at, task.kind, JSON.stringify(seen), 'expected', task.truth, '\n', value)
      }
    }
  }
  for (const [way, seen] of Object.entries(results)) {
    console.log(`\n### ${way}\n`)
    console.log('| question | found | calls | chars of pages | chars in all |')
    console.log('| --- | ---: | ---: | ---: | ---: |')
    const kinds = [...new Set(seen.map(({ kind }) => kind))]
    for (const kind of kinds) console.log(row(kind, seen.filter((one) => one.kind === kind)))
    console.log(row('**all**', seen))
  }
  const missed = results['default options'].filter(({ found }) => !found).length
  if (missed > 0) {
    console.error(`\n${missed} facts were not found`)
    process.exitCode = 1
  }
} finally {
  rmSync(root, { recursive: true, force: true })
}

function row(name, seen) {
  const mean = (count) => seen.reduce((sum, one) => sum + count(one), 0) / seen.length
  const whole = (number) => Math.round(number).toLocaleString('en-US')
  const found = seen.filter((one) => one.found).length
  const cells = [
    `${found} of ${seen.length}`,
    mean(({ calls }) => calls).toFixed(2),
    whole(mean(({ readChars }) => readChars)),
    whole(mean(({ shownChars, readChars }) => shownChars + readChars)),
  ]
  return `| ${name} | ${cells.join(' | ')} |`
}
