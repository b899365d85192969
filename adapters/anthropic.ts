/**
 * `tool-output-limits/anthropic`: limits for the beta tool runner of `@anthropic-ai/sdk`.
 *
 * ```ts
 * const runner = client.beta.messages.toolRunner({ …, tools: withToolOutputLimits([fetchLog]) })
 * ```
 *
 * What a tool returns is reduced before it becomes a `tool_result`: the runner's messages hold the reduced form, and so
 * does every later request. What a tool throws stays whole. Nothing of the SDK is imported.
 */
// biome-ignore-all lint/suspicious/noExplicitAny: tools and clients of every version are taken
import {
  type ContentBlock,
  type Generate,
  type ReadToolDefinition,
  type ReduceContext,
  ToolOutputLimits,
} from 'tool-output-limits'
import { type BlockKind, type ReducedContent, reduceBlocks, reduceValue } from './shared/blocks.js'
import { copyWith } from './shared/copy.js'
import { aString, expectLimits, expectOptions, expectToolList, hasMethods, type Rules } from './shared/expect.js'
import { warnOfForeign } from './shared/foreign.js'
import { withReadToolListed } from './shared/list.js'
import { mark, markOf } from './shared/mark.js'
import { requireReadTool } from './shared/read-tool.js'
import { aRunId, type RunIdOption, runIdOf } from './shared/run-id.js'

/** The call that a tool is told of. */
export interface AnthropicToolUse {
  id: string
  name: string
  input?: unknown
}

export interface AnthropicOptions {
  /**
   * The run a result belongs to: the id itself, or a function of the tool call. The runner has no id that tools could
   * see. Default: the id of the limits.
   */
  runId?: RunIdOption<AnthropicToolUse> | undefined
  /** The name of a model for summaries. Tools aren't told which model calls them. */
  model?: string | undefined
  /** The client that asks `model` for summaries. Default: the `generate` of the limits. */
  client?: AnthropicClientLike | undefined
}

/** A client of `@anthropic-ai/sdk`, as far as summaries use it. */
export interface AnthropicClientLike {
  messages: { create(body: any, options?: { signal?: AbortSignal | undefined }): PromiseLike<any> }
}

const RULES: Rules<AnthropicOptions> = {
  runId: aRunId,
  model: aString,
  client: { expected: 'a client of @anthropic-ai/sdk, with messages.create()', allows: isClient },
}

/** What the runner passes to `run` beside the input. */
interface RunContext {
  toolUse?: AnthropicToolUse | undefined
  toolUseBlock?: AnthropicToolUse | undefined
  signal?: AbortSignal | null | undefined
}

type Run = (this: unknown, ...parameters: unknown[]) => unknown
/** A tool with a name runs `(input, context)`; a toolset, which has none, `(context, toolUse)` for each of its members. */
interface AnyTool {
  name?: string
  run?: Run
  parse?: (content: unknown) => unknown
  close?: () => unknown
}

/** The read tool as the runner takes tools. */
export interface ReadToolResultTool {
  type: 'custom'
  name: string
  description: string
  input_schema: ReadToolDefinition['inputSchema']
  run: (input: unknown, context?: { signal?: AbortSignal | null | undefined }) => Promise<string>
  parse: (content: unknown) => unknown
}

/**
 * Copies of tools with limited results (default limits: `new ToolOutputLimits()`). Tools that the API runs itself are
 * given back as they are; of a browser or computer toolset the results of every member are limited. The tool that reads
 * spilled results has to be added: {@link readToolResult}, or use {@link withToolOutputLimits}.
 *
 * @throws TypeError for limits that are none, for what is no list of tools, and for a wrong option.
 */
export function limitTools<Tool extends object>(
  tools: readonly Tool[],
  limits: ToolOutputLimits = new ToolOutputLimits(),
  options: AnthropicOptions = {},
): Tool[] {
  expectLimits(limits)
  expectOptions(options, RULES)
  expectToolList(tools)
  return tools.map((tool) => limitTool(tool, limits, options))
}

/**
 * {@link limitTools}, and the tool that reads spilled results as the last one.
 *
 * @throws TypeError as {@link limitTools} does, and when another tool has its name.
 */
export function withToolOutputLimits<Tool extends object>(
  tools: readonly Tool[],
  limits: ToolOutputLimits = new ToolOutputLimits(),
  options: AnthropicOptions = {},
): (Tool | ReadToolResultTool)[] {
  return withReadToolListed(limitTools(tools, limits, options), limits, () => readToolResult(limits, options))
}

/**
 * The tool by which the model reads spilled results.
 *
 * @throws TypeError when the limits have the read tool switched off, or for a wrong option.
 */
export function readToolResult(
  limits: ToolOutputLimits,
  options: Pick<AnthropicOptions, 'runId'> = {},
): ReadToolResultTool {
  const { name, description, inputSchema, execute } = requireReadTool(limits)
  expectOptions(options, RULES)
  const run: ReadToolResultTool['run'] = (input, context: RunContext = {}) =>
    execute(input, {
      runId: runIdOf(options.runId, toolUseOf(context) ?? { id: '', name }),
      signal: context.signal ?? undefined,
    })
  return {
    type: 'custom',
    name,
    description,
    input_schema: inputSchema,
    run: mark(run, 'read'),
    parse: (input) => input,
  }
}

/**
 * A `generate` function for `new ToolOutputLimits({ generate })`: summaries by this client and the given model, whatever
 * else is named; without one, by that of the summarize action, the call or the limits. At most 4,096 tokens.
 *
 * @throws TypeError for an object that is no client.
 */
export function summarizeWith(client: AnthropicClientLike, own?: string): Generate {
  if (!isClient(client))
    throw new TypeError('summarizeWith: the client must be one of @anthropic-ai/sdk, with messages.create()')
  return async ({ prompt, model, signal }) => {
    const body = { model: own ?? model, max_tokens: SUMMARY_TOKENS, messages: [{ role: 'user', content: prompt }] }
    const { content, usage } = await client.messages.create(body, { signal })
    const texts = (content as ContentBlock[]).map((block) => (block.type === 'text' ? String(block.text) : ''))
    const inputTokens: number =
      (usage?.input_tokens ?? 0) + (usage?.cache_read_input_tokens ?? 0) + (usage?.cache_creation_input_tokens ?? 0)
    const outputTokens: number = usage?.output_tokens ?? 0
    return {
      text: texts.join(''),
      usage: { requests: 1, inputTokens, outputTokens, totalTokens: inputTokens + outputTokens },
    }
  }
}

function isClient(value: unknown): boolean {
  return hasMethods((value as { messages?: unknown } | null | undefined)?.messages, 'create')
}

/** The API wants a bound on the answer. This one every model allows; a longer summary ends there. */
const SUMMARY_TOKENS = 4_096

function limitTool<Tool extends object>(tool: Tool, limits: ToolOutputLimits, options: AnthropicOptions): Tool {
  const { name, run, parse, close } = tool as AnyTool
  if (typeof run !== 'function') warnOfForeign(tool, 'anthropic')
  if (typeof run !== 'function' || markOf(run)) return tool
  const isToolset = name === undefined
  const limited: Run = async (...parameters) => {
    const output = await run.apply(tool, parameters)
    const context = (isToolset ? parameters[0] : parameters[1]) as RunContext | undefined
    const toolUse = (isToolset ? (parameters[1] as AnthropicToolUse) : undefined) ?? toolUseOf(context)
    const reduced = await reduceOutput(limits, output, {
      ...contextOf(name, toolUse, options),
      input: isToolset ? toolUse?.input : parameters[0],
      signal: context?.signal ?? undefined,
    })
    return reduced === undefined ? output : reduced.content
  }
  return copyWith(tool, {
    run: mark(limited, 'limited'),
    // On the tool itself, which may have private fields.
    ...(typeof parse === 'function' && { parse: parse.bind(tool) }),
    ...(typeof close === 'function' && { close: close.bind(tool) }),
  })
}

function contextOf(
  name: string | undefined,
  toolUse: (AnthropicToolUse & { toolset_name?: unknown }) | undefined,
  { runId, model, client }: AnthropicOptions,
): ReduceContext {
  const called = toolUse?.name || '(unnamed)'
  const toolName = name ?? (typeof toolUse?.toolset_name === 'string' ? `${toolUse.toolset_name}/${called}` : called)
  return {
    toolName,
    toolCallId: toolUse?.id,
    runId: runIdOf(runId, toolUse ?? { id: '', name: toolName }),
    model,
    ...(client && { adapter: { generate: summarizeWith(client) } }),
  }
}

/** The call under its name of today, or the one it had before. */
const toolUseOf = (context: RunContext | undefined): AnthropicToolUse | undefined =>
  context?.toolUse ?? context?.toolUseBlock

function reduceOutput(
  limits: ToolOutputLimits,
  output: unknown,
  context: ReduceContext,
): Promise<ReducedContent | undefined> {
  const kinds = Array.isArray(output) ? output.map(kindOf) : []
  if (kinds.length === 0 || kinds.includes(undefined)) return reduceValue(limits, output, context)
  return reduceBlocks(limits, output as ContentBlock[], kinds as BlockKind[], context)
}

/** Blocks that a tool result may have. Search results and text documents are text to the model, so they are limited. */
function kindOf(block: unknown): BlockKind | undefined {
  const { type, text, source, content } = (block ?? {}) as ContentBlock
  switch (type) {
    case 'text':
      return typeof text === 'string' && Object.keys(block as object).every((key) => TEXT_KEYS.has(key))
        ? 'text'
        : undefined
    case 'image':
      return isObject(source) ? 'media' : undefined
    case 'document':
      if (!isObject(source)) return undefined
      return source.type === 'text' || source.type === 'content' ? 'data' : 'media'
    case 'search_result':
      return Array.isArray(content) && typeof source === 'string' ? 'data' : undefined
    case 'tool_reference':
    case 'browser_state':
      return 'media'
    default:
      return undefined // a record that happens to have a type
  }
}
const TEXT_KEYS = new Set(['type', 'text', 'cache_control', 'citations'])
const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null
