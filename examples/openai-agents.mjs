// An agent whose tool returns 200 KB: the model gets a notice, and reads the lines it needs.
import { Agent, run, setTracingDisabled, tool } from '@openai/agents'
import { assistantMessage, functionCall, modelResponder, ScriptedModel } from '@openai/agents/testing'
import { ToolOutputLimits } from 'tool-output-limits'
import { limitToolOptions, readToolResult } from 'tool-output-limits/openai-agents'
import { z } from 'zod'

const limits = new ToolOutputLimits()
const fetchLog = tool(
  limitToolOptions(
    {
      name: 'fetch_log',
      description: 'Fetches the log of the last build',
      parameters: z.object({}),
      execute: async () => Array.from({ length: 4000 }, (_, n) => `line ${n} ${'.'.repeat(40)}`).join('\n'),
    },
    limits,
  ),
)

// In your agent: model: 'gpt-5'. This one plays a script.
const handleIn = (input) => JSON.parse(/"handle":\s*("[^"]*")/.exec(input.at(-1).output.text)[1])
const model = new ScriptedModel([
  [functionCall('fetch_log', {}, { callId: 'call_1' })],
  modelResponder(({ request }) => [
    functionCall('read_tool_result', { handle: handleIn(request.input), offset: 1000, limit: 3 }, { callId: 'call_2' }),
  ]),
  [assistantMessage('Lines 1000 to 1002 look fine.')],
])

setTracingDisabled(true)
const agent = new Agent({ name: 'Builds', model, tools: [fetchLog, readToolResult(limits)] })
const { history, finalOutput } = await run(agent, 'Is line 1000 of the log fine?')

for (const { name, output } of history)
  if (output) console.log(`${name} (${output.text.length} chars): ${output.text.slice(0, 200)}`)
console.log(finalOutput)
