/** Types of the hook and the server for the Claude Agent SDK; the type checker is the test. */
import type {
  HookCallback,
  McpServerConfig,
  Options,
  PostToolUseHookSpecificOutput,
} from '@anthropic-ai/claude-agent-sdk'
import { expectTypeOf } from 'vitest'
import {
  type HookAnswer,
  readToolResultServer,
  type SdkMcpServer,
  toolOutputLimitsHook,
} from '../../adapters/claude-agent-sdk.js'
import { ToolOutputLimits } from '../../index.js'

const limits = new ToolOutputLimits()

expectTypeOf(toolOutputLimitsHook(limits)).toExtend<HookCallback>()
expectTypeOf<NonNullable<HookAnswer['hookSpecificOutput']>>().toExtend<PostToolUseHookSpecificOutput>()
expectTypeOf<SdkMcpServer>().toExtend<McpServerConfig>()

export const options = async (): Promise<Options> => ({
  hooks: { PostToolUse: [{ matcher: 'Bash', hooks: [toolOutputLimitsHook()] }] },
  mcpServers: { limits: await readToolResultServer(limits, { runId: 'r' }) },
})
toolOutputLimitsHook(limits, { runId: ({ agent_id, session_id }) => agent_id ?? session_id })
// @ts-expect-error a run id is a string
toolOutputLimitsHook(limits, { runId: ({ tool_input }) => ({ tool_input }) })
