// One line protects an agent of the Vercel AI SDK: node examples/ai-sdk.mjs
import { generateText, stepCountIs, tool } from 'ai'
import { MockLanguageModelV3 } from 'ai/test'
import { withToolOutputLimits } from 'tool-output-limits/ai-sdk'
import { z } from 'zod'

const log = Array.from({ length: 4_000 }, (_, n) => `${n} GET /item/${n} 200`).join('\n')

const tools = withToolOutputLimits({
  fetch_log: tool({ description: 'Fetches the access log', inputSchema: z.object({}), execute: async () => log }),
})

const prompt = 'What is on line 1,000?'
const result = await generateText({ model: mockModel(), tools, prompt, stopWhen: stepCountIs(5) })

console.log(result.steps[0].toolResults[0].output) // what the model and the history hold: a notice and a preview
console.log(result.steps[1].toolResults[0].output) // what the model read back
console.log(`log: ${log.length} chars, history: ${JSON.stringify(result.response.messages).length} chars`)

/** Stands in for a real model: calls the tool, reads one line back by the handle in the notice, answers. */
function mockModel() {
  const call = (toolName, input) => ({
    type: 'tool-call',
    toolCallId: toolName,
    toolName,
    input: JSON.stringify(input),
  })
  const handleIn = (prompt) => JSON.parse(/"handle":("[^"]+")/.exec(prompt.at(-1).content[0].output.value)[1])
  const turns = [
    () => call('fetch_log', {}),
    (prompt) => call('read_tool_result', { handle: handleIn(prompt), offset: 999, limit: 1 }),
    () => ({ type: 'text', text: 'A request for item 999.' }),
  ]
  const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } }
  const doGenerate = async ({ prompt }) => {
    const content = [turns.shift()(prompt)]
    return { content, finishReason: { unified: turns.length ? 'tool-calls' : 'stop' }, usage, warnings: [] }
  }
  return new MockLanguageModelV3({ doGenerate })
}
