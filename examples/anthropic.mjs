// The tool runner of Anthropic's SDK, its tool returning 200 KB: node --import ./examples/with-hosts.mjs examples/anthropic.mjs
import Anthropic from '@anthropic-ai/sdk'
import { betaZodTool } from '@anthropic-ai/sdk/helpers/beta/zod'
import { withToolOutputLimits } from 'tool-output-limits/anthropic'
import { z } from 'zod'

const fetchLog = betaZodTool({
  name: 'fetch_log',
  description: 'Fetches the log of the last build',
  inputSchema: z.object({}),
  run: () => Array.from({ length: 4000 }, (_, n) => `line ${n} ${'.'.repeat(40)}`).join('\n'),
})

// In your agent: new Anthropic(). This one has answers that play a script instead of the API's.
const client = new Anthropic({
  apiKey: 'none',
  fetch: async (_url, { body }) => Response.json(answer(JSON.parse(body))),
})
const call = (name, input) => ({ type: 'tool_use', id: `call_${name}`, name, input })
const handleIn = (messages) => JSON.parse(/"handle":\s*("[^"]*")/.exec(messages.at(-1).content[0].content)[1])
const turns = [
  () => call('fetch_log', {}),
  (messages) => call('read_tool_result', { handle: handleIn(messages), offset: 1000, limit: 3 }),
  () => ({ type: 'text', text: 'Lines 1000 to 1002 look fine.' }),
]
const usage = { input_tokens: 1, output_tokens: 1 }
const answer = ({ messages }) => {
  const block = turns.shift()(messages)
  const stop_reason = block.type === 'tool_use' ? 'tool_use' : 'end_turn'
  return { id: `msg_${turns.length}`, type: 'message', role: 'assistant', content: [block], stop_reason, usage }
}

const messages = [{ role: 'user', content: 'Is line 1000 of the log fine?' }]
const tools = withToolOutputLimits([fetchLog])
const runner = client.beta.messages.toolRunner({ model: 'claude-sonnet-5', max_tokens: 1_000, messages, tools })
await runner.runUntilDone()
for (const { content } of runner.params.messages)
  for (const { type, text = '', content: said = text } of content)
    if (said) console.log(`${type} (${said.length} chars): ${said.slice(0, 200)}`)
