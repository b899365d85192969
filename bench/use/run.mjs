// How much has to be read to find a fact in a large tool result: a scripted reader on what the package gives it.
//
//   node bench/use/run.mjs [--tasks 200] [--seed 1] [--verbose]
//   node bench/use/run.mjs --python python3     also the Python original, where pydantic-ai-harness is installed
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { LocalFileStore, ToolOutputLimits, truncate } from '../../index.js'
import { answer } from './reader.mjs'
import { tasks } from './tasks.mjs'

const { values } = parseArgs({
  options: {
    tasks: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
    python: { type: 'string' },
    verbose: { type: 'boolean', default: false },
  },
})
const root = mkdtempSync(path.join(tmpdir(), 'tool-output-limits-use-'))
let python
try {
  const all = tasks(Number(values.tasks), Number(values.seed))
  const ways = {
    'default options': ours({}),
    'plain truncation to 4,000 chars': ours({ bands: [{ over: 10_000, action: truncate({ json: 'text' }) }] }),
  }
  if (values.python !== undefined) {
    python = original(values.python)
    ways['the Python original'] = python
  }
  let missed = 0
  for (const [way, tool] of Object.entries(ways)) {
    const seen = []
    for (const [at, task] of all.entries()) {
      const shown = await tool.reduce(task.value, `call-${at}`)
      const one = await answer(task, shown, tool)
      const found = one.found === task.truth
      seen.push({ ...one, kind: task.kind, found })
      if (values.verbose && !found) console.error(way, at, task.kind, one, 'expected', task.truth, `\n${shown}`)
    }
    print(way, seen)
    if (way === 'default options') missed = seen.filter(({ found }) => !found).length
  }
  if (missed > 0) {
    console.error(`\n${missed} facts were not found`)
    process.exitCode = 1
  }
} finally {
  python?.end()
  rmSync(root, { recursive: true, force: true })
}

/** This package, as a model meets it. */
function ours(options) {
  const limits = new ToolOutputLimits({ store: new LocalFileStore({ root }), ...options })
  const { name, inputSchema, execute } = limits.readToolResult()
  const call = new RegExp(`${name}\\((\\{.*\\})\\)`)
  return {
    can: new Set(Object.keys(inputSchema.properties)),
    reduce: async (value, toolCallId) =>
      (await limits.reduce(value, { toolName: 'tool', runId: 'use', toolCallId })).value,
    handle(shown) {
      const found = call.exec(shown.split('\n', 1)[0])
      return found ? JSON.parse(found[1]).handle : undefined
    },
    read: (input) => execute(input),
    next(text) {
      const found = call.exec(text.slice(text.lastIndexOf('\n') + 1))
      return found ? JSON.parse(found[1]) : undefined
    },
  }
}

/** The Python original. Its pages say how many lines there are, and how many of them are shown. */
function original(command) {
  const script = fileURLToPath(new URL('original.py', import.meta.url))
  const child = spawn(command, [script], { stdio: ['pipe', 'pipe', 'inherit'] })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const ask = async (question) => {
    child.stdin.write(`${JSON.stringify(question)}\n`)
    const { value, done } = await lines.next()
    if (done) throw new Error('the Python original ended')
    return JSON.parse(value)
  }
  return {
    can: new Set(['handle', 'offset', 'limit', 'from_end', 'pattern']),
    reduce: (value, id) => ask({ id, value }),
    handle: (shown) => /stored to handle '([^']+)'/.exec(shown)?.[1],
    read: (input) => ask({ read: input }),
    next(text, input) {
      const found = /: ([\d,]+) matching line\(s\); showing (\d+)(, output capped)?\]/.exec(text)
      if (!found || found[3]) return undefined
      const offset = (input.offset ?? 0) + Number(found[2])
      return offset < Number(found[1].replaceAll(',', '')) ? { ...input, offset } : undefined
    },
    end: () => child.stdin.end(),
  }
}

function print(way, seen) {
  console.log(`\n### ${way[0].toUpperCase()}${way.slice(1)}\n`)
  console.log('| question | found | calls | chars of pages | chars in all |')
  console.log('| --- | ---: | ---: | ---: | ---: |')
  for (const kind of new Set(seen.map((one) => one.kind))) {
    console.log(
      row(
        kind,
        seen.filter((one) => one.kind === kind),
      ),
    )
  }
  console.log(row('**all**', seen))
}

/** One line of the table: means over the tasks. */
function row(name, seen) {
  const mean = (count) => seen.reduce((sum, one) => sum + count(one), 0) / seen.length
  const whole = (number) => Math.round(number).toLocaleString('en-US')
  const cells = [
    `${seen.filter(({ found }) => found).length} of ${seen.length}`,
    mean(({ calls }) => calls).toFixed(2),
    whole(mean(({ readChars }) => readChars)),
    whole(mean(({ shownChars, readChars }) => shownChars + readChars)),
  ]
  return `| ${name} | ${cells.join(' | ')} |`
}
