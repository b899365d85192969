/** Types through the MCP and function wrappers; the type checker is the test. */
import type { MCPClient } from '@ai-sdk/mcp'
import type { Client as Client2 } from '@modelcontextprotocol/client'
import type { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js'
import type { McpServer as McpServer1 } from '@modelcontextprotocol/sdk/server/mcp.js'
import type { McpServer as McpServer2 } from '@modelcontextprotocol/server'
import { expectTypeOf } from 'vitest'
import { z } from 'zod'
import { limitFunction } from '../../adapters/function.js'
import { limitMcpClient, limitToolHandler, registerReadTool } from '../../adapters/mcp.js'
import { ToolOutputLimits } from '../../index.js'

const limits = new ToolOutputLimits()

// A limited client is the client.
expectTypeOf(limitMcpClient<Client1>).returns.toEqualTypeOf<Client1>()
expectTypeOf(limitMcpClient<Client2>).returns.toEqualTypeOf<Client2>()
expectTypeOf(limitMcpClient<MCPClient>).returns.toEqualTypeOf<MCPClient>()

export function register(server1: McpServer1, server2: McpServer2): void {
  registerReadTool(server1, limits)
  registerReadTool(server2, limits)
  const text = (n: number) => ({ content: [{ type: 'text' as const, text: 'x'.repeat(n) }] })
  const handler = limitToolHandler(async ({ n }: { n: number }) => text(n), limits, { toolName: 'x' })
  server1.registerTool('x', { inputSchema: { n: z.number() } }, handler)
  server2.registerTool('x', { inputSchema: z.object({ n: z.number() }) }, handler)
  // @ts-expect-error the name is needed
  limitToolHandler(async () => text(1), limits)
}

const limited = limitFunction(async (path: string, lines?: number) => ({ path, lines }), limits, { toolName: 'read' })
expectTypeOf(limited).parameters.toEqualTypeOf<[path: string, lines?: number | undefined]>()
expectTypeOf<Awaited<ReturnType<typeof limited>>>().toEqualTypeOf<
  { path: string; lines: number | undefined } | string
>()
limitFunction((id: string) => id, limits, { call: (id) => ({ toolCallId: id }) })
// @ts-expect-error ids come from the arguments the function has
limitFunction((id: number) => id, limits, { call: (id: string) => ({ toolCallId: id }) })
