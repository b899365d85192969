import { StructuredTool } from '@langchain/core/tools'
import type { ReadContext, ReadToolDefinition, ReduceContext, ToolOutputLimits } from 'tool-output-limits'
import { type ReducedContent, reduceValue } from '../blocks.js'
import { copyWith } from '../copy.js'
import { warnOfForeign } from '../foreign.js'
import { mark, markOf } from '../mark.js'
import { reduceContent } from './content.js'
import { reduceToolOutput, toolMessage } from './messages.js'
import type { RunConfig } from './run.js'

/** What a tool gets to know of its call. */
export interface ToolConfig extends RunConfig {
  toolCall?: { id?: string | undefined; name?: string; args?: unknown } | undefined
}
type Call = (this: unknown, input: unknown, runManager: unknown, config: ToolConfig | undefined) => unknown
type Invoke = (this: unknown, input: unknown, config?: ToolConfig) => Promise<unknown>
type ContextOf = (
  tool: { name: string; metadata?: unknown },
  input: unknown,
  config: ToolConfig | undefined,
) => ReduceContext

/**
 * A copy of a tool whose results are reduced before LangChain makes a message of them. The tool itself isn't changed,
 * and its own code keeps running on it.
 * Tools that the provider executes are given back as they are.
 */
export function limitTool<T>(tool: T, limits: ToolOutputLimits, contextOf: ContextOf): T {
  const isObject = tool !== null && typeof tool === 'object'
  const { _call: call, invoke } = (isObject ? tool : {}) as { _call?: Call; invoke?: Invoke }
  if (markOf(call ?? invoke)) return tool
  const limitable = tool as T & LimitableTool
  if (typeof call === 'function')
    return copyWith(limitable, { _call: mark(limitedCall(limitable, call, limits, contextOf), 'limited') })
  if (typeof invoke === 'function')
    return copyWith(limitable, { invoke: mark(limitedInvoke(limitable, invoke, limits, contextOf), 'limited') })
  warnOfForeign(tool, 'langchain')
  return tool
}

interface LimitableTool {
  name: string
  responseFormat?: string
  metadata?: Record<string, unknown> | undefined
}

function limitedCall(tool: LimitableTool, call: Call, limits: ToolOutputLimits, contextOf: ContextOf): Call {
  return async (input, runManager, config) => {
    const context = contextOf(tool, input, config)
    const result = await call.call(tool, input, runManager, config)
    return isAsyncGenerator(result)
      ? limitedGenerator(result, (value) => reduceResult(tool, limits, value, context))
      : reduceResult(tool, limits, result, context)
  }
}

/** What the generator yields are events for the user interface; what it returns is the result. */
async function* limitedGenerator(
  generator: AsyncGenerator<unknown, unknown>,
  reduce: (value: unknown) => Promise<unknown>,
): AsyncGenerator<unknown, unknown> {
  return await reduce(yield* generator)
}

async function reduceResult(
  tool: LimitableTool,
  limits: ToolOutputLimits,
  result: unknown,
  context: ReduceContext,
): Promise<unknown> {
  const hasArtifact = tool.responseFormat === 'content_and_artifact'
  if (hasArtifact && !(Array.isArray(result) && result.length === 2)) return result // LangChain says what is wrong with it
  const [content, artifact] = hasArtifact ? (result as [unknown, unknown]) : [result, undefined]
  const withArtifact = (limited: unknown) => (hasArtifact ? [limited, artifact] : limited)
  if (isDirectOutput(content)) {
    const limited = await reduceToolOutput(limits, content, context)
    return limited === content ? result : withArtifact(limited)
  }
  const reduction = await reduceRaw(limits, content, { ...context, metadata: tool.metadata })
  if (reduction === undefined) return result
  // Only a message carries the handle; a tool that is called without a tool call gives its plain result.
  const { toolCallId } = context
  if (toolCallId === undefined) return withArtifact(reduction.content)
  const fields = { tool_call_id: toolCallId, name: tool.name, status: 'success' as const, artifact }
  return withArtifact(toolMessage(reduction.content, fields, reduction.metadata))
}

async function reduceRaw(
  limits: ToolOutputLimits,
  content: unknown,
  context: ReduceContext,
): Promise<ReducedContent | undefined> {
  return Array.isArray(content) ? reduceContent(limits, content, context) : reduceValue(limits, content, context)
}

/** Runnables that are offered as tools have no `_call`; their result may be a message already. */
function limitedInvoke(tool: LimitableTool, invoke: Invoke, limits: ToolOutputLimits, contextOf: ContextOf): Invoke {
  return async (input, config) => {
    const toolCall = isToolCall(input) ? input : config?.toolCall
    const context = contextOf(tool, toolCall?.args ?? input, toolCall ? { ...config, toolCall } : config)
    const output = await invoke.call(tool, input, config)
    return isDirectOutput(output)
      ? reduceToolOutput(limits, output, context)
      : ((await reduceRaw(limits, output, context))?.content ?? output)
  }
}

const isToolCall = (input: unknown): input is NonNullable<ToolConfig['toolCall']> =>
  (input as { type?: unknown } | null | undefined)?.type === 'tool_call'
const isDirectOutput = (output: unknown): boolean =>
  (output as { lc_direct_tool_output?: unknown } | null | undefined)?.lc_direct_tool_output === true
const isAsyncGenerator = (result: unknown): result is AsyncGenerator<unknown, unknown> => {
  const generator = result as Partial<AsyncGenerator> | null | undefined
  return typeof generator?.next === 'function' && typeof generator[Symbol.asyncIterator] === 'function'
}

/** The tool by which the model reads spilled results. */
export class ReadToolResult extends StructuredTool {
  static override lc_name(): string {
    return 'ReadToolResult'
  }
  readonly name: string
  readonly description: string
  readonly schema: ReadToolDefinition['inputSchema']
  readonly #definition: ReadToolDefinition
  readonly #contextOf: (config: ToolConfig | undefined) => ReadContext

  constructor(definition: ReadToolDefinition, contextOf: (config: ToolConfig | undefined) => ReadContext) {
    super()
    this.name = definition.name
    this.description = definition.description
    this.schema = definition.inputSchema
    this.#definition = definition
    this.#contextOf = contextOf
  }

  /**
   * Lets every argument through to the tool, which answers bad ones with a line the model can act on; LangChain would
   * refuse `"20"` for a number.
   */
  override async call(input: any, config?: any, tags?: string[]): Promise<any> {
    const run = (args: unknown, _runManager: unknown, toolConfig: ToolConfig | undefined) =>
      this._call(args, _runManager, toolConfig)
    const lenient = Object.create(this, { schema: { value: { type: 'object' } }, _call: { value: run } })
    return super.call.call(lenient, input, config, tags)
  }

  protected override _call(input: unknown, _runManager: unknown, config: ToolConfig | undefined): Promise<string> {
    return this.#definition.execute(input, this.#contextOf(config))
  }
}

/** Whether a tool is the read tool, also one of another copy of this adapter. */
export function isReadTool(tool: unknown): boolean {
  const made = (tool as { constructor?: { lc_name?: unknown } } | null | undefined)?.constructor
  return typeof made?.lc_name === 'function' && made.lc_name() === ReadToolResult.lc_name()
}
