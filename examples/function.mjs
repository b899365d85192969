// Without a framework: node examples/function.mjs
import { spill, ToolOutputLimits, truncate } from 'tool-output-limits'
import { limitFunction } from 'tool-output-limits/function'

const limits = new ToolOutputLimits({
  bands: [
    { over: 2_000, action: truncate({ maxChars: 500 }) },
    { over: 20_000, action: spill({ previewChars: 300, fallback: truncate() }) },
  ],
})

const lines = (count) => Array.from({ length: count }, (_, n) => `line ${n}: all quiet`).join('\n')
const readLog = limitFunction(lines, limits, {
  toolName: 'read_log',
  call: (count) => ({ runId: 'example', toolCallId: `log-${count}` }),
})

// The tool to register next to yours, by which the model reads the rest.
const read = limits.readToolResult()

for (const count of [10, 200, 5_000]) {
  const output = await readLog(count)
  console.log(`\n== ${count} lines, ${lines(count).length} chars -> ${output.length} chars\n${output.slice(0, 600)}`)
}

console.log(
  `\n== ${read.name}\n${await read.execute({ handle: 'example/log-5000.0', pattern: 'line 4321:' }, { runId: 'example' })}`,
)
