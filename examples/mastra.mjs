// An agent whose tool returns 200 KB: the model gets a notice, and reads the lines it needs.
import { Agent } from '@mastra/core/agent'
import { createTool } from '@mastra/core/tools'
import { MockLanguageModelV3 } from 'ai/test'
import { ToolOutputLimitsProcessor } from 'tool-output-limits/mastra'
import { z } from 'zod'

const fetchLog = createTool({
  id: 'fetch_log',
  description: 'Fetches the log of the last build',
  inputSchema: z.object({}),
  execute: async () => Array.from({ length: 4000 }, (_, n) => `line ${n} ${'.'.repeat(40)}`).join('\n'),
})

// In your agent: model: 'openai/gpt-5'. This one plays a script.
const turn = (part, unified) => ({ content: [part], finishReason: { unified }, usage: {}, warnings: [] })
const call = (toolName, input) => ({ type: 'tool-call', toolCallId: toolName, toolName, input: JSON.stringify(input) })
const handleIn = (prompt) => JSON.parse(/"handle":\s*("[^"]*")/.exec(prompt.at(-1).content[0].output.value)[1])
const turns = [
  () => turn(call('fetch_log', {}), 'tool-calls'),
  (prompt) => turn(call('read_tool_result', { handle: handleIn(prompt), offset: 1000, limit: 3 }), 'tool-calls'),
  () => turn({ type: 'text', text: 'Lines 1000 to 1002 look fine.' }, 'stop'),
]
const model = new MockLanguageModelV3({ doGenerate: async ({ prompt }) => turns.shift()(prompt) })

const limits = new ToolOutputLimitsProcessor()
const config = { id: 'builds', name: 'Builds', instructions: 'Answer.', model, tools: { fetch_log: fetchLog } }
const agent = new Agent({ ...config, inputProcessors: [limits], outputProcessors: [limits] })
const { text, steps } = await agent.generate('Is line 1000 of the log fine?', { maxSteps: 5 })

for (const { payload } of steps.flatMap((step) => step.toolResults))
  console.log(`${payload.toolName} (${payload.result.length} chars): ${payload.result.slice(0, 200)}`)
console.log(text)
