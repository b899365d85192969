/**
 * `tool-output-limits/tanstack-ai`: limits for server tools of TanStack AI.
 *
 * ```ts
 * const stream = chat({ adapter, messages, tools: withToolOutputLimits([fetchLog]) })
 * ```
 *
 * What a tool returns is reduced before TanStack AI makes a tool result of it, so that stream chunks, messages and
 * every later request hold the reduced form. What a tool throws stays whole. Nothing of TanStack AI is imported.
 */
// biome-ignore-all lint/suspicious/noExplicitAny: tools of every type are wrapped, and keep it
import { type ContentBlock, type ReadToolDefinition, type ReduceContext, ToolOutputLimits } from 'tool-output-limits'
import { type ReducedContent, reduceBlocks, reduceValue } from './shared/blocks.js'
import { copyWith } from './shared/copy.js'
import { expectLimits, expectOptions, expectToolList, hasMethods, type Rules } from './shared/expect.js'
import { warnOfForeign } from './shared/foreign.js'
import { unsupportedHost } from './shared/host-version.js'
import { withReadToolListed } from './shared/list.js'
import { mark, markOf } from './shared/mark.js'
import { requireReadTool } from './shared/read-tool.js'
import { aRunId, type RunIdOption, runIdOf } from './shared/run-id.js'
import { passingSchema, type StandardSchema, validated } from './shared/standard-schema.js'
import { summarizeWith, type TextAdapterLike } from './shared/tanstack-model.js'

export { summarizeWith, type TextAdapterLike }

/** What a tool is told of its call. */
export interface TanStackExecution {
  toolCallId?: string | undefined
  /** What the application gave to `chat` as `context`. */
  context?: any
  abortSignal?: AbortSignal | undefined
}

export interface TanStackOptions {
  /**
   * The run a result belongs to: the id itself, or a function of what a tool is told. Tools aren't told the ids of
   * `chat`. Default: the id of the limits.
   */
  runId?: RunIdOption<TanStackExecution> | undefined
  /** A text adapter, such as `openaiText('gpt-5-mini')`, for summaries. Tools aren't told which one calls them. */
  model?: TextAdapterLike | undefined
}

const RULES: Rules<TanStackOptions> = {
  runId: aRunId,
  model: { expected: 'a text adapter of TanStack AI', allows: (value) => hasMethods(value, 'chatStream') },
}

interface AnyTool {
  name: string
  execute?: (this: unknown, ...parameters: any[]) => unknown
  outputSchema?: unknown
  metadata?: Record<string, unknown> | undefined
}

/** The read tool as TanStack AI takes tools. */
export interface ReadToolResultTool {
  __toolSide: 'server'
  name: string
  description: string
  inputSchema: any
  execute: (input: any, context?: any) => Promise<string>
}

/**
 * Copies of server tools with limited results (default limits: `new ToolOutputLimits()`); definitions and other tools without
 * `execute` run in the client and are given back as they are. Types stay. A result that was reduced is a string, or content parts
 * where there were some; an output schema judges the full result, before it is reduced.
 *
 * The tool that reads spilled results has to be added: {@link readToolResult}, or use {@link withToolOutputLimits}.
 *
 * @throws TypeError for limits that are none, for what is no list of tools with names, and for a wrong option.
 */
export function limitTools<Tool extends object>(
  tools: readonly Tool[],
  limits: ToolOutputLimits = new ToolOutputLimits(),
  options: TanStackOptions = {},
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
  options: TanStackOptions = {},
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
  options: Pick<TanStackOptions, 'runId'> = {},
): ReadToolResultTool {
  const { name, description, inputSchema, execute }: ReadToolDefinition = requireReadTool(limits)
  expectOptions(options, RULES)
  const read = (input: unknown, execution: TanStackExecution = {}): Promise<string> =>
    execute(input, { runId: runIdOf(options.runId, execution), signal: execution.abortSignal })
  return { __toolSide: 'server', name, description, inputSchema, execute: mark(read, 'read') }
}

function limitTool<Tool extends object>(tool: Tool, limits: ToolOutputLimits, options: TanStackOptions): Tool {
  const { name, execute, outputSchema, metadata } = tool as unknown as AnyTool
  if (typeof name !== 'string') throw unsupportedHost('tools of', '@tanstack/ai >=0.58 <1', 'an object without a name')
  if (typeof execute !== 'function') warnOfForeign(tool, 'tanstack-ai')
  if (typeof execute !== 'function' || markOf(execute)) return tool
  const limited = async (input: unknown, execution?: TanStackExecution): Promise<unknown> => {
    const output = await validated(outputSchema, await execute.call(tool, input, execution))
    const reduced = await reduceOutput(limits, output, {
      toolName: name,
      toolCallId: execution?.toolCallId,
      runId: runIdOf(options.runId, execution ?? {}),
      input,
      toolMetadata: metadata,
      signal: execution?.abortSignal,
      model: options.model,
      adapter: { generate: summarizeWith() },
    })
    return reduced === undefined ? output : reduced.content
  }
  return copyWith(
    tool,
    {
      execute: mark(limited, 'limited'),
      ...(outputSchema !== undefined && { outputSchema: passingSchema(outputSchema as StandardSchema) }),
    },
    { bindsMethods: true },
  )
}

/** Content parts stay parts; TanStack AI has the text of one under `content`. */
async function reduceOutput(
  limits: ToolOutputLimits,
  output: unknown,
  context: ReduceContext,
): Promise<ReducedContent | undefined> {
  if (!Array.isArray(output) || output.length === 0 || !output.every(isPart)) {
    return reduceValue(limits, output, context)
  }
  const blocks: ContentBlock[] = output.map((part) => (part.type === 'text' ? { ...part, text: part.content } : part))
  const kinds = blocks.map(({ type }) => (type === 'text' ? 'text' : 'media'))
  const reduced = await reduceBlocks(limits, blocks, kinds, context)
  if (reduced === undefined) return undefined
  const parts = (reduced.content as ContentBlock[]).map(({ text, ...part }) =>
    part.type === 'text' ? { ...part, content: text } : part,
  )
  return { ...reduced, content: parts as ContentBlock[] }
}

const PART_KEYS = new Set(['type', 'content', 'source', 'metadata'])
const MEDIA = new Set(['image', 'audio', 'video', 'document'])

/** What TanStack AI passes on as a part, and has nothing else to it: records are data. */
function isPart(value: unknown): value is ContentBlock {
  if (value === null || typeof value !== 'object' || !Object.keys(value).every((key) => PART_KEYS.has(key)))
    return false
  const { type, content, source } = value as ContentBlock
  if (type === 'text') return typeof content === 'string'
  return MEDIA.has(type) && typeof (source as { value?: unknown } | null | undefined)?.value === 'string'
}
