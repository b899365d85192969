// biome-ignore-all lint/suspicious/noExplicitAny: servers of several packages are taken
import type { ToolOutputLimits } from 'tool-output-limits'
import { expectOptions } from './expect.js'
import { unsupportedHost } from './host-version.js'
import { mcpInputSchema } from './mcp-schema.js'
import { readToolOf } from './read-tool.js'
import { aRunId, type RunIdOption, runIdOf } from './run-id.js'

/** A server of `@modelcontextprotocol/sdk` 1.x or `@modelcontextprotocol/server` 2.x. */
export interface McpServerLike {
  registerTool(name: string, config: any, handler: any): unknown
}

/**
 * Registers the read tool of these limits on a server; with `readTool: { enabled: false }` nothing is registered.
 *
 * @throws TypeError for an object that is no server of a supported package, and for a wrong option.
 */
export function registerReadTool(
  server: McpServerLike,
  limits: ToolOutputLimits,
  options: { runId?: RunIdOption<any> | undefined } = {},
): void {
  if (typeof server?.registerTool !== 'function') {
    throw unsupportedHost(
      'MCP servers of',
      '@modelcontextprotocol/sdk 1.x and @modelcontextprotocol/server 2.x',
      'an object without registerTool()',
    )
  }
  const read = readToolOf(limits)
  const { runId } = expectOptions(options, { runId: aRunId })
  if (!read) return
  const config = {
    description: read.description,
    inputSchema: mcpInputSchema(read.inputSchema),
    annotations: { readOnlyHint: true },
  }
  server.registerTool(read.name, config, async (...parameters: unknown[]) => {
    const request = requestOf(parameters)
    const text = await read.execute(parameters[0], {
      runId: runIdOf(runId, request.extra) ?? request.sessionId,
      signal: request.signal,
    })
    return { content: [{ type: 'text', text }] }
  })
}

export interface ServerRequest {
  extra: any
  id: string | undefined
  sessionId: string | undefined
  signal: AbortSignal | undefined
}

/** The request that a handler is told of in its last argument: `{ requestId, signal }` in 1.x, `{ mcpReq: { id, signal } }` in 2.x. */
export function requestOf(parameters: unknown[]): ServerRequest {
  const extra: any = parameters.at(-1)
  const id = extra?.requestId ?? extra?.mcpReq?.id
  return {
    extra,
    id: id === undefined ? undefined : String(id),
    sessionId: typeof extra?.sessionId === 'string' ? extra.sessionId : undefined,
    signal: extra?.signal ?? extra?.mcpReq?.signal,
  }
}
