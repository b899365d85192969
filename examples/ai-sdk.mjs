// One line protects an agent of the Vercel AI SDK: node examples/ai-sdk.mjs
import { generateText, stepCountIs, tool } from 'ai'
import { MockLanguageModelV3 } from 'ai/test'
import { withToolOutputLimits } from 'tool-output-limits/ai-sdk'
import { z } from 'zod'

const log = Array.from({ length: 4_000 }, (_, n) => `${n} GET /item/${n} 200`).join('\n')

const tools = withToolOutputLimits({
  fetch_log: tool({ description: 'Fetches the access log', inputSchema: z.object({}), execute: async () => log }),
})

const result = await generateText({
  model: mockModel(),
  tools,
  prompt: 'What is on line 1,000?',
  stopWhen: stepCountIs(5),
})

console.log(result.steps[0].toolResults[0].output) // what the model and the history hold: a notice and a preview
console.log(result.steps[1].toolResults[0].output) // what the model read back
console.log(`log: ${log.length} chars, history: ${JSON.stringify(result.response.messages).length} chars`)

/** Stands in for a real model: calls the tool, reads one line back, answers. */
function mockModel() {
  const call = (toolName, input) => [
    { type: 'tool-call', toolCallId: toolName, toolName, input: JSON.stringify(input) },
  ]
  const turns = [
    () => call('fetch_log', {}),
    (prompt) => call('read_tool_result', { handle: handleIn(prompt), offset: 999, limit: 1 }),
    () => [{ type: 'text', text: 'A request for item 999.' }],
  ]
  const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } }
  const doGenerate = async ({ prompt }) => ({
    content: turns.shift()(prompt),
    finishReason: { unified: turns.length ? 'tool-calls' : 'stop' },
    usage,
    warnings: [],
  })
  return new MockLanguageModelV3({ doGenerate })
}

/** A model copies the handle out of the notice. */
function handleIn(prompt) {
  return JSON.parse(/"handle":("[^"]+")/.exec(prompt.at(-1).content[0].output.value)[1])
}
