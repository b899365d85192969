// Limits on either side of MCP: node --import ./examples/with-hosts.mjs examples/mcp.mjs
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { ToolOutputLimits } from 'tool-output-limits'
import { limitMcpClient, limitToolHandler, registerReadTool } from 'tool-output-limits/mcp'

const limits = new ToolOutputLimits()
const log = Array.from({ length: 4_000 }, (_, n) => `${n} GET /item/${n} 200`).join('\n')
const config = { description: 'Fetches the log' }
const fetchLog = async () => ({ content: [{ type: 'text', text: log }] })

// A server that limits what it sends, and lets its clients read the rest.
const polite = new McpServer({ name: 'polite', version: '1.0.0' })
polite.registerTool('fetch_log', config, limitToolHandler(fetchLog, limits, { toolName: 'fetch_log' }))
registerReadTool(polite, limits)
await show('limited server', await connect(polite))

// A client that limits whatever servers send.
const plain = new McpServer({ name: 'plain', version: '1.0.0' })
plain.registerTool('fetch_log', config, fetchLog)
await show('limited client', limitMcpClient(await connect(plain), limits))

async function connect(server) {
  const [near, far] = InMemoryTransport.createLinkedPair()
  const client = new Client({ name: 'example', version: '1.0.0' })
  await Promise.all([server.connect(far), client.connect(near)])
  return client
}

async function show(title, client) {
  const { tools } = await client.listTools()
  const result = await client.callTool({ name: 'fetch_log', arguments: {} })
  const handle = result._meta['tool-output-limits/handle']
  const page = await client.callTool({ name: 'read_tool_result', arguments: { handle, offset: 1000, limit: 3 } })
  console.log(
    `\n== ${title}: ${tools.map((tool) => tool.name).join(', ')}\n${result.content[0].text}\n\n${page.content[0].text}`,
  )
  await client.close()
}
