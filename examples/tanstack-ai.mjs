// A chat of TanStack AI whose tool returns 200 KB: node --import ./examples/with-hosts.mjs examples/tanstack-ai.mjs
import { chat, toolDefinition } from '@tanstack/ai'
import { withToolOutputLimits } from 'tool-output-limits/tanstack-ai'
import { z } from 'zod'

const fetchLog = toolDefinition({
  name: 'fetch_log',
  description: 'Fetches the log of the last build',
  inputSchema: z.object({}),
}).server(async () => Array.from({ length: 4000 }, (_, n) => `line ${n} ${'.'.repeat(40)}`).join('\n'))

// In your agent: adapter: openaiText('gpt-5'). This one plays a script.
const handleIn = (messages) => JSON.parse(/"handle":\s*("[^"]*")/.exec(messages.at(-1).content)[1])
const turns = [
  () => toolCall('fetch_log', {}),
  (messages) => toolCall('read_tool_result', { handle: handleIn(messages), offset: 1000, limit: 3 }),
  () => [{ type: 'TEXT_MESSAGE_CONTENT', messageId: 'm', delta: 'Lines 1000 to 1002 look fine.' }],
]
const toolCall = (toolCallName, input) => [
  { type: 'TOOL_CALL_START', toolCallId: toolCallName, toolCallName },
  { type: 'TOOL_CALL_ARGS', toolCallId: toolCallName, delta: JSON.stringify(input) },
  { type: 'TOOL_CALL_END', toolCallId: toolCallName },
]
async function* chatStream({ messages, runId, threadId }) {
  yield* turns.shift()(messages)
  yield { type: 'RUN_FINISHED', runId, threadId, finishReason: turns.length > 0 ? 'tool_calls' : 'stop' }
}
const adapter = { kind: 'text', name: 'scripted', model: 'scripted', chatStream }

const stream = chat({
  adapter,
  messages: [{ role: 'user', content: 'Is line 1000 of the log fine?' }],
  tools: withToolOutputLimits([fetchLog]),
})
for await (const { type, content, delta } of stream) {
  if (type === 'TOOL_CALL_RESULT') console.log(`tool result (${content.length} chars): ${content.slice(0, 200)}`)
  if (type === 'TEXT_MESSAGE_CONTENT') console.log(delta)
}
