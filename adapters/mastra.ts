/**
 * `tool-output-limits/mastra`: limits for agents of Mastra 1.x, as a processor of their input and output.
 *
 * ```ts
 * const toolOutputLimits = new ToolOutputLimitsProcessor()
 * new Agent({ …, inputProcessors: [toolOutputLimits], outputProcessors: [toolOutputLimits] })
 * ```
 */
import { type CallToolResultLike, type ContentBlock, type ReduceContext, ToolOutputLimits } from 'tool-output-limits'
import { summarizeByNamedModel } from './shared/ai-model.js'
import { plainSchema } from './shared/ai-schema.js'
import { isCallToolResult } from './shared/call-tool-result.js'
import { aModel, expectLimits, expectOptions, type Rules } from './shared/expect.js'
import { unsupportedHost } from './shared/host-version.js'
import {
  currentResult,
  MASTRA_TOOL,
  type MastraMessageList,
  type MastraToolResult,
  type ModelOutput,
  type ToolResultChunk,
  threadOf,
} from './shared/mastra.js'
import { readToolOf, requireReadTool } from './shared/read-tool.js'
import { aRunId, type RunIdOption, runIdOf } from './shared/run-id.js'

/** What is known of a tool call when its run is to be named. */
export type MastraCall = Pick<MastraToolResult, 'toolName' | 'toolCallId' | 'requestContext'> & {
  threadId?: string | undefined
}

export interface MastraOptions {
  /** The run a result belongs to. Default: the memory thread; without memory the id of the limits. */
  runId?: RunIdOption<Partial<MastraCall>> | undefined
  /**
   * A language model of the AI SDK for summaries. Default: the one of the step, where the processor is among
   * `inputProcessors`.
   */
  model?: unknown
}

const RULES: Rules<MastraOptions> = { runId: aRunId, model: aModel }

/**
 * The processor that limits the tool results of an agent.
 *
 * Among `outputProcessors` it reduces every large tool result once, before it becomes a message: memory, stream
 * chunks, steps and the next request hold the reduced
 * form. Errors of tools and results of tools that the provider executes stay as they are. A string becomes the
 * reduced string, an MCP `CallToolResult`
 * stays one and is reduced inside, anything else becomes the text that stands in for it.
 *
 * Among `inputProcessors`, which should have the same one, it adds the tool that reads spilled results, and learns
 * which model writes summaries. Without it there, give the
 * agent {@link readToolResult} as a tool, and the processor a `model`.
 */
export class ToolOutputLimitsProcessor {
  readonly id = 'tool-output-limits'
  readonly name = 'Tool output limits'
  readonly #limits: ToolOutputLimits
  readonly #options: MastraOptions

  constructor(limits: ToolOutputLimits = new ToolOutputLimits(), options: MastraOptions = {}) {
    this.#limits = expectLimits(limits)
    this.#options = expectOptions(options, RULES)
  }

  /** Called by Mastra before every request to the model. */
  processInputStep<Tools extends Record<string, unknown> | undefined>({
    tools,
    model,
    state,
  }: {
    tools?: Tools
    model?: unknown
    state?: Record<string, unknown> | undefined
  }) {
    if (state) state.model = model
    const read = readToolOf(this.#limits)
    if (read === undefined || Object.hasOwn(tools ?? {}, read.name)) return undefined
    return { tools: { ...tools, [read.name]: readToolResult(this.#limits, this.#options) } }
  }

  /** Called by Mastra with what a tool has returned, one call after the other. */
  async processToolResult(args: MastraToolResult): Promise<undefined> {
    if (args.providerExecuted) return
    const { toolName, toolCallId, messageList } = args
    if (typeof messageList?.updateToolInvocation !== 'function')
      throw unsupportedHost('@mastra/core', '>=1.71 <2', 'a message list without updateToolInvocation()')
    const result = currentResult(messageList, toolCallId, args.result)
    const reduced = await reduceResult(this.#limits, result, this.#contextOf(args))
    if (reduced === result) return
    messageList.updateToolInvocation({
      type: 'tool-invocation',
      toolInvocation: { state: 'result', toolCallId, toolName, args: args.args, result: reduced },
    })
  }

  /**
   * Called by Mastra with every chunk: what `toModelOutput` of a tool has made of the full result is reduced here,
   * for Mastra keeps it beside the result.
   */
  async processOutputStream<Chunk extends { type: string }>(args: {
    part: Chunk
    messageList?: MastraMessageList | undefined
    state?: Record<string, unknown>
    abortSignal?: AbortSignal | undefined
    requestContext?: unknown
  }): Promise<Chunk> {
    const { part, messageList } = args
    if (part.type !== 'tool-result') return part
    const { payload } = part as Chunk & ToolResultChunk
    const modelOutput = payload.providerMetadata?.mastra?.modelOutput
    if (modelOutput === undefined || payload.providerExecuted) return part
    const context = this.#contextOf({ ...args, ...payload, messages: messageList?.get.all.db() })
    const reduced = await reduceModelOutput(this.#limits, modelOutput, context)
    if (reduced === modelOutput) return part
    const providerMetadata = {
      ...payload.providerMetadata,
      mastra: { ...payload.providerMetadata?.mastra, modelOutput: reduced },
    }
    const { toolName, toolCallId, result } = payload
    messageList?.updateToolInvocation({
      type: 'tool-invocation',
      toolInvocation: { state: 'result', toolCallId, toolName, args: payload.args, result },
      providerMetadata,
    })
    return { ...part, payload: { ...payload, providerMetadata } }
  }

  #contextOf(args: Omit<MastraToolResult, 'messageList' | 'result'>): ReduceContext {
    const { toolName, toolCallId, requestContext, abortSignal: signal } = args
    const threadId = threadOf(args.messages)
    const runId = runIdOf(this.#options.runId, { toolName, toolCallId, requestContext, threadId }) ?? threadId
    const model = this.#options.model ?? args.state?.model
    return {
      toolName,
      toolCallId,
      runId,
      input: args.args,
      signal,
      model,
      adapter: { generate: summarizeByNamedModel },
    }
  }
}

/**
 * The tool by which the model reads spilled results. Its key among the tools of the agent should be its name,
 * `read_tool_result`.
 *
 * @throws TypeError when the limits have the read tool switched off, or for a wrong option.
 */
export function readToolResult(limits: ToolOutputLimits, options: MastraOptions = {}) {
  const { name, description, inputSchema, execute } = requireReadTool(limits)
  expectOptions(options, RULES)
  return {
    [MASTRA_TOOL]: true,
    id: name,
    description,
    inputSchema: plainSchema(inputSchema),
    execute: (
      input: unknown,
      context?: {
        abortSignal?: AbortSignal | undefined
        requestContext?: unknown
        agent?: { threadId?: string | undefined } | undefined
      },
    ): Promise<string> => {
      const threadId = context?.agent?.threadId
      return execute(input, {
        runId: runIdOf(options.runId, { threadId, requestContext: context?.requestContext }) ?? threadId,
        signal: context?.abortSignal,
      })
    },
  }
}

async function reduceResult(limits: ToolOutputLimits, result: unknown, context: ReduceContext): Promise<unknown> {
  if (isCallToolResult(result)) return limits.reduceCallToolResult<CallToolResultLike>(result, context)
  const reduction = await limits.reduce(result, context)
  return reduction.reduced ? reduction.value : result
}

/** Errors that a tool reports this way stay whole; data become the text that stands in for them. */
async function reduceModelOutput(
  limits: ToolOutputLimits,
  output: ModelOutput,
  context: ReduceContext,
): Promise<ModelOutput> {
  const { type, value } = output
  if (type === 'content' && Array.isArray(value)) {
    const { content } = await limits.reduce('', { ...context, content: value as ContentBlock[] })
    return content === value || content === undefined ? output : { ...output, value: content }
  }
  const text = type === 'text' ? value : type === 'json' ? JSON.stringify(value) : undefined
  if (typeof text !== 'string') return output
  const { content } = await limits.reduce('', { ...context, content: text })
  return content === text || content === undefined ? output : { ...output, type: 'text', value: content }
}
