/**
 * `tool-output-limits/claude-agent-sdk`: limits for agents of the Claude Agent SDK.
 *
 * ```ts
 * const limits = new ToolOutputLimits()
 * query({
 *   prompt,
 *   options: {
 *     hooks: { PostToolUse: [{ hooks: [toolOutputLimitsHook(limits)] }] },
 *     mcpServers: { limits: await readToolResultServer(limits) },
 *     allowedTools: ['mcp__limits__read_tool_result'],
 *   },
 * })
 * ```
 *
 * Failed tools have a hook of their own, `PostToolUseFailure`, so what they say stays whole.
 */
// biome-ignore-all lint/suspicious/noExplicitAny: the hook takes what the SDK types as any of its events
import { type CallToolResultLike, type ReduceContext, ToolOutputLimits } from 'tool-output-limits'
import { isCallToolResult } from './shared/call-tool-result.js'
import { aString, expectLimits, expectOptions } from './shared/expect.js'
import { unsupportedHost } from './shared/host-version.js'
import { reduceLeaves } from './shared/leaves.js'
import { registerReadTool } from './shared/mcp-server.js'
import { aRunId, type RunIdOption, runIdOf } from './shared/run-id.js'
import { uncalled } from './shared/uncalled.js'

/** What the hook is told of a tool call, as far as it is used here. */
export interface ClaudeToolCall {
  tool_name: string
  tool_use_id: string
  tool_input: unknown
  session_id: string
  /** The subagent that called the tool. */
  agent_id?: string | undefined
}

export interface ClaudeOptions {
  /** The run a result belongs to. Default: the session. */
  runId?: RunIdOption<ClaudeToolCall> | undefined
}

/** What the hook answers: nothing, or what takes the place of the tool's output. */
export interface HookAnswer {
  hookSpecificOutput?: { hookEventName: 'PostToolUse'; updatedToolOutput: unknown }
}

/** Tools whose output tells the application what they wrote; the model gets a line that is short already. */
const WRITING_TOOLS = new Set(['Edit', 'MultiEdit', 'Write', 'NotebookEdit', 'TodoWrite'])

/**
 * A hook for `PostToolUse` that reduces what tools return (default limits: `new ToolOutputLimits()`), before the model
 * gets it and the transcript keeps it.
 *
 * Built-in tools keep the shape of their output, for Claude Code ignores a replacement of another one: each text in it
 * that is over the limit is reduced in its place, and a list of strings becomes a list of one. Images, and what the
 * tools that write files report, stay. Results of MCP tools are reduced as a whole.
 *
 * Claude Code runs hooks in parallel and takes the last answer, so let no other hook replace outputs of the same tools.
 *
 * @throws TypeError for limits that are none, and for a wrong option.
 */
export function toolOutputLimitsHook(
  limits: ToolOutputLimits = new ToolOutputLimits(),
  options: ClaudeOptions = {},
): (input: any, toolUseId?: string, hook?: { signal?: AbortSignal | undefined }) => Promise<HookAnswer> {
  // Claude Code calls whatever is among the hooks, with what happened.
  if ((limits as { hook_event_name?: unknown } | null)?.hook_event_name !== undefined)
    throw uncalled('hooks: [toolOutputLimitsHook(limits)]')
  expectLimits(limits)
  expectOptions(options, { runId: aRunId })
  return async (input, toolUseId, hook) => {
    if (input?.hook_event_name !== 'PostToolUse' || typeof input.tool_name !== 'string') return {}
    const { tool_name: toolName, tool_input, tool_response: output } = input
    const context: ReduceContext = {
      toolName: toolName || '(unnamed)',
      toolCallId: toolUseId ?? input.tool_use_id,
      runId: runIdOf(options.runId, input as ClaudeToolCall) ?? input.session_id,
      input: tool_input,
      signal: hook?.signal,
    }
    const reduced = await reduceOutput(limits, output, context)
    // An answer that changes nothing would still compete with those of other hooks.
    return reduced === output
      ? {}
      : { hookSpecificOutput: { hookEventName: 'PostToolUse', updatedToolOutput: reduced } }
  }
}

async function reduceOutput(limits: ToolOutputLimits, output: unknown, context: ReduceContext): Promise<unknown> {
  const { toolName } = context
  if (!toolName.startsWith('mcp__')) {
    return WRITING_TOOLS.has(toolName) ? output : reduceLeaves(limits, output, context)
  }
  if (isCallToolResult(output)) return limits.reduceCallToolResult<CallToolResultLike>(output, context)
  if (Array.isArray(output)) {
    const result = { content: output }
    if (!isCallToolResult(result)) return (await limits.reduce(output, context)).value
    const reduced: CallToolResultLike = await limits.reduceCallToolResult<CallToolResultLike>(result, context)
    return reduced === result ? output : reduced.content
  }
  return (await limits.reduce(output, context)).value
}

/** An MCP server inside the process, as `mcpServers` takes it. */
export interface SdkMcpServer {
  type: 'sdk'
  name: string
  instance: any
}

/**
 * The MCP server by which the model reads spilled results, for `mcpServers`. Under the key `limits` there its tool is
 * `mcp__limits__read_tool_result`, to be named in `allowedTools`. Without the read tool (`readTool: { enabled: false }`)
 * it is a server without tools.
 *
 * Rejects with a TypeError where `@anthropic-ai/claude-agent-sdk` isn't one of the supported versions, or for a
 * wrong option.
 */
export async function readToolResultServer(
  limits: ToolOutputLimits,
  options: { name?: string | undefined; runId?: string | undefined } = {},
): Promise<SdkMcpServer> {
  expectLimits(limits)
  const { name = 'tool-output-limits', runId } = expectOptions(options, { name: aString, runId: aString })
  const sdk = '@anthropic-ai/claude-agent-sdk' // an ES module without a CommonJS form, found in the application
  const { createSdkMcpServer } = (await import(sdk)) as {
    createSdkMcpServer?: (options: { name: string; version: string }) => SdkMcpServer
  }
  if (typeof createSdkMcpServer !== 'function')
    throw unsupportedHost(sdk, '>=0.3 <1', 'one without createSdkMcpServer()')
  const server = createSdkMcpServer({ name, version: '1.0.0' })
  registerReadTool(server.instance, limits, { runId })
  return server
}
