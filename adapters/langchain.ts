/**
 * `tool-output-limits/langchain`: limits for agents of LangChain.js v1 and LangGraph.
 *
 * {@link toolOutputLimitsMiddleware} protects a whole agent; {@link limitTools} and {@link withToolOutputLimits}
 * protect tools where there is no middleware.
 */
import { AsyncResource } from 'node:async_hooks'
import { AIMessage } from '@langchain/core/messages'
import type { StructuredTool } from '@langchain/core/tools'
import * as langchain from 'langchain'
import {
  type OverflowStore,
  type ReadContext,
  type ReadToolDefinition,
  type ReduceContext,
  ToolOutputLimits,
} from 'tool-output-limits'
import { describe } from '../common/describe.js'
import { aModel, expectLimits, expectOptions, expectToolList, hasMethods, oneOf, type Rules } from './shared/expect.js'
import { unsupportedHost } from './shared/host-version.js'
import { messageOfError } from './shared/langchain/errors.js'
import { reduceToolOutput } from './shared/langchain/messages.js'
import { CallingModels, summarizeWith } from './shared/langchain/model.js'
import { attemptCounter, nodeRetryOf, type RunConfig, threadOf } from './shared/langchain/run.js'
import { isReadTool, limitTool, ReadToolResult, type ToolConfig } from './shared/langchain/tools.js'
import { nameTaken } from './shared/list.js'
import { readToolOf, requireReadTool } from './shared/read-tool.js'
import { aRunId, disowned, type RunIdOption, runIdOf } from './shared/run-id.js'
import { isThenable } from './shared/thenable.js'
import { mustBeCalled } from './shared/uncalled.js'

export type { RunConfig } from './shared/langchain/run.js'
export { summarizeWith }

/** What every function of this adapter takes beside the limits. */
export interface LangChainOptions {
  /**
   * The run a result belongs to. Default: the thread, without a checkpointer LangGraph's run id, else the id of the
   * limits.
   */
  runId?: RunIdOption<RunConfig> | undefined
  /**
   * A chat model, or its name for `initChatModel`, for summaries. Default: in an agent the model that called the
   * tool.
   */
  model?: unknown
  /** Where results are spilled, for stores that are only known when a tool runs. Default: the store of the limits. */
  store?: OverflowStore | ((config: RunConfig) => OverflowStore | undefined) | undefined
}

const RULES: Rules<LangChainOptions> = {
  runId: aRunId,
  model: aModel,
  store: {
    expected: 'a store with write and read functions, or a function that gives one',
    allows: (value) => typeof value === 'function' || isStore(value),
  },
}

export interface MiddlewareOptions extends LangChainOptions {
  /**
   * An agent with any tool-call middleware lets the error of a tool end the run. `'message'` (the default) answers
   * the model as an agent without middleware does;
   * `'rethrow'` leaves errors to middleware further out, such as `toolErrorMiddleware` or `toolRetryMiddleware`.
   * Interrupts and aborts always pass.
   */
  toolErrors?: 'message' | 'rethrow' | undefined
}

/**
 * Middleware for `createAgent` that reduces every large tool result once, before it becomes part of the state, and
 * registers the tool that reads spilled results.
 * Put it first, so that it sees results as other middleware leaves them.
 *
 * @throws TypeError when `langchain` isn't version 1, for limits that are none, and for a wrong option.
 */
export function toolOutputLimitsMiddleware(
  limits: ToolOutputLimits = new ToolOutputLimits(),
  options: MiddlewareOptions = {},
) {
  requireLangChain()
  expectLimits(limits)
  expectOptions(options, { ...RULES, toolErrors: oneOf('message', 'rethrow') })
  const { toolErrors = 'message' } = options
  const read = readToolOf(limits)
  const models = new CallingModels()
  const attemptOf = attemptCounter()
  return langchain.createMiddleware({
    name: 'ToolOutputLimits',
    tools: read ? [readTool(read, options)] : [],
    wrapModelCall: async (request, handler) => {
      if (read) expectOneReadTool(request.tools, read.name)
      const answer = await handler(request)
      if (AIMessage.isInstance(answer))
        for (const call of answer.tool_calls ?? []) models.remember(threadOf(request.runtime), call.id, request.model)
      return answer
    },
    wrapToolCall: async (request, handler) => {
      const { toolCall, tool, runtime } = request
      const attempt = attemptOf(runtime)
      const context = reduceContext(
        { name: toolCall.name, metadata: (tool as { metadata?: unknown } | undefined)?.metadata },
        toolCall.args,
        { ...runtime, toolCall },
        options,
      )
      const model = options.model ?? models.of(threadOf(runtime), toolCall.id)
      let output: Awaited<ReturnType<typeof handler>>
      try {
        output = await handler(request)
      } catch (error) {
        const message = toolErrors === 'message' ? messageOfError(error, toolCall, runtime.signal) : undefined
        if (message === undefined) throw error
        return message
      }
      return reduceToolOutput(limits, output, { ...context, model, retry: (context.retry ?? 0) + attempt })
    },
  })
}

// Where `createAgent` looks first.
mustBeCalled(toolOutputLimitsMiddleware, 'tools', 'middleware: [toolOutputLimitsMiddleware(limits)]')

/** LangChain refuses two tools of one name, and says that the middleware changed one. */
function expectOneReadTool(tools: readonly unknown[], name: string): void {
  const own = tools.filter((tool) => (tool as { name?: unknown } | null)?.name === name)
  if (own.length < 2) return
  if (!own.every(isReadTool)) throw nameTaken(name)
  throw new TypeError(
    `the agent has the tool ${JSON.stringify(name)} twice: toolOutputLimitsMiddleware registers it, so leave it out of ` +
      'tools, without readToolResult() and with limitTools() in place of withToolOutputLimits()',
  )
}

/**
 * Copies of tools with limited results, for the prebuilt `ToolNode` of LangGraph and for chains. Types, names,
 * schemas and errors stay as they are.
 * The tool that reads spilled results has to be added: {@link readToolResult}, or use {@link withToolOutputLimits}.
 *
 * @throws TypeError when `langchain` isn't version 1, for limits that are none, for what is no list of tools, and for a
 * wrong option.
 */
export function limitTools<const T extends readonly unknown[]>(
  tools: T,
  limits: ToolOutputLimits = new ToolOutputLimits(),
  options: LangChainOptions = {},
): T {
  requireLangChain()
  expectLimits(limits)
  expectOptions(options, RULES)
  expectToolList(tools)
  return tools.map((tool) =>
    limitTool(tool, limits, (called, input, config) => reduceContext(called, input, config ?? {}, options)),
  ) as unknown as T
}

/**
 * {@link limitTools}, and the tool that reads spilled results as the last one.
 *
 * @throws TypeError as {@link limitTools} does, and when another tool has its name.
 */
export function withToolOutputLimits<const T extends readonly unknown[]>(
  tools: T,
  limits: ToolOutputLimits = new ToolOutputLimits(),
  options: LangChainOptions = {},
): [...T, StructuredTool] {
  const limited = limitTools(tools, limits, options)
  const read = readToolOf(limits)
  const own = read && limited.find((tool) => (tool as { name?: unknown } | null)?.name === read.name)
  if (read && own !== undefined && !isReadTool(own)) throw nameTaken(read.name)
  const added = read && own === undefined ? [readTool(read, options)] : []
  return [...limited, ...added] as unknown as [...T, StructuredTool]
}

/**
 * The tool by which a model reads spilled results.
 *
 * @throws TypeError when the limits have the read tool switched off, or for a wrong option.
 */
export function readToolResult(limits: ToolOutputLimits, options: LangChainOptions = {}): StructuredTool {
  const definition = requireReadTool(limits)
  return readTool(definition, expectOptions(options, RULES))
}

function readTool(definition: ReadToolDefinition, options: LangChainOptions): StructuredTool {
  return new ReadToolResult(
    definition,
    (config = {}): ReadContext => ({
      runId: runId(config, options),
      store: store(config, options),
      signal: config.signal,
    }),
  )
}

function reduceContext(
  tool: { name: string; metadata?: unknown },
  input: unknown,
  config: ToolConfig,
  options: LangChainOptions,
): ReduceContext {
  return {
    toolName: tool.name || '(unnamed)',
    toolCallId: config.toolCall?.id,
    runId: runId(config, options),
    retry: nodeRetryOf(config),
    input,
    toolMetadata: tool.metadata as Record<string, unknown> | undefined,
    signal: config.signal,
    store: store(config, options),
    model: options.model,
    // Bound to the call, so that callbacks, tracing and LangGraph's context of the run reach the summary from
    // wherever it is started.
    adapter: { generate: AsyncResource.bind(summarizeWith()) },
  }
}
const runId = (config: RunConfig, { runId: own }: LangChainOptions): string | undefined =>
  runIdOf(own, config) ?? threadOf(config)
const store = (config: RunConfig, { store: own }: LangChainOptions): OverflowStore | undefined =>
  typeof own === 'function' ? storeBy(own, config) : own
/**
 * The store that the application names for a call. Where it throws, or gives none, that is a store which fails: the tool
 * must work, and its results must not come into a store that others read.
 */
function storeBy(own: (config: RunConfig) => OverflowStore | undefined, config: RunConfig): OverflowStore | undefined {
  try {
    const store: unknown = own(config)
    if (store === undefined || isStore(store)) return store
    throw new TypeError(`the option store gave ${isThenable(store) ? disowned(store) : describe(store)}`)
  } catch (error) {
    const fail = () => Promise.reject(error)
    return { write: fail, read: fail }
  }
}

const isStore = (value: unknown): value is OverflowStore => hasMethods(value, 'write', 'read')

function requireLangChain(): void {
  if (typeof langchain.createMiddleware !== 'function' || typeof AIMessage.isInstance !== 'function')
    throw unsupportedHost('langchain and @langchain/core', '>=1 <2', 'an older one')
}
