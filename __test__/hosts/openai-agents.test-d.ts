/** Types through the wrappers for the OpenAI Agents SDK; the type checker is the test. */
import { Agent, type MCPServer, tool } from '@openai/agents'
import { expectTypeOf } from 'vitest'
import { z } from 'zod'
import { limitMcpServer, limitToolOptions, readToolResult } from '../../adapters/openai-agents.js'
import { ToolOutputLimits } from '../../index.js'

const limits = new ToolOutputLimits()
const options = {
  name: 'log',
  description: 'log',
  parameters: z.object({ path: z.string() }),
  execute: async ({ path }: { path: string }) => path.length,
}
const limited = limitToolOptions(options, limits)
expectTypeOf(limited).toEqualTypeOf<typeof options>()
expectTypeOf(limited.execute).parameter(0).toEqualTypeOf<{ path: string }>()
expectTypeOf(limitMcpServer<MCPServer>).returns.toEqualTypeOf<MCPServer>()

export const agent = (server: MCPServer) => {
  const inline = limitToolOptions({
    description: 'inline',
    parameters: z.object({ n: z.number() }),
    execute: async (input) => {
      expectTypeOf(input).toEqualTypeOf<{ n: number }>()
      return input.n
    },
  })
  new Agent({
    name: 'a',
    tools: [tool(limited), tool({ ...inline, name: 'inline' }), readToolResult(limits)],
    mcpServers: [limitMcpServer(server, limits, { runId: ({ context }) => String(context) })],
  })
  // @ts-expect-error a tool that is built already has no execute
  limitToolOptions(tool(options), limits)
}
