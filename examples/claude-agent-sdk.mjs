// What query() of the Claude Agent SDK takes: node --import ./examples/with-hosts.mjs examples/claude-agent-sdk.mjs
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { ToolOutputLimits } from 'tool-output-limits'
import { readToolResultServer, toolOutputLimitsHook } from 'tool-output-limits/claude-agent-sdk'

const limits = new ToolOutputLimits()
const options = {
  hooks: { PostToolUse: [{ hooks: [toolOutputLimitsHook(limits)] }] },
  mcpServers: { limits: await readToolResultServer(limits) },
  allowedTools: ['Bash', 'mcp__limits__read_tool_result'],
}

// In your agent: for await (const message of query({ prompt, options })) … Without an account, by hand:
// Claude Code runs a command, and asks the hook.
const [hook] = options.hooks.PostToolUse[0].hooks
const stdout = Array.from({ length: 4000 }, (_, n) => `line ${n} ${'.'.repeat(40)}`).join('\n')
const tool_response = { stdout, stderr: '', interrupted: false }
const event = { hook_event_name: 'PostToolUse', session_id: 's1', tool_name: 'Bash', tool_response }
const { hookSpecificOutput } = await hook({ ...event, tool_use_id: 'call_1' }, 'call_1', {})
console.log(hookSpecificOutput.updatedToolOutput)

// The model asks for lines 1000 to 1002, and Claude Code passes that on to the server.
const [near, far] = InMemoryTransport.createLinkedPair()
const client = new Client({ name: 'claude-code', version: '1' })
await Promise.all([options.mcpServers.limits.instance.connect(far), client.connect(near)])
const input = { handle: 's1/call_1.0', offset: 1000, limit: 3 }
const page = await client.callTool({ name: 'read_tool_result', arguments: input })
console.log(page.content[0].text)
await client.close()
