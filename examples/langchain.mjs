// An agent whose tool returns 200 KB: the model gets a notice, and reads the lines it needs.
import { AIMessage, createAgent, fakeModel, HumanMessage, tool } from 'langchain'
import { toolOutputLimitsMiddleware } from 'tool-output-limits/langchain'
import { z } from 'zod'

const fetchLog = tool(async () => Array.from({ length: 4000 }, (_, n) => `line ${n} ${'.'.repeat(40)}`).join('\n'), {
  name: 'fetch_log',
  description: 'Fetches the log of the last build',
  schema: z.object({}),
})

// In your agent: model: 'openai:gpt-5' or any other chat model. This one plays a script.
const handleIn = (messages) => JSON.parse(/"handle":\s*("[^"]*")/.exec(messages.at(-1).content)[1])
const readLines = (messages) => ({
  name: 'read_tool_result',
  args: { handle: handleIn(messages), offset: 1000, limit: 3 },
  id: 'call_2',
  type: 'tool_call',
})
const model = fakeModel()
  .respondWithTools([{ name: 'fetch_log', args: {}, id: 'call_1' }])
  .respond((messages) => new AIMessage({ content: '', tool_calls: [readLines(messages)] }))
  .respond(new AIMessage('Lines 1000 to 1002 look fine.'))

const agent = createAgent({ model, tools: [fetchLog], middleware: [toolOutputLimitsMiddleware()] })
const { messages } = await agent.invoke({ messages: [new HumanMessage('Is line 1000 of the log fine?')] })

for (const message of messages)
  console.log(`${message.getType()} (${message.text.length} chars): ${message.text.slice(0, 200)}`)
