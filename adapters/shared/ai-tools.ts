// biome-ignore-all lint/suspicious/noExplicitAny: tools of three majors are wrapped, and keep their types
import type {
  ReadInput,
  ReadToolDefinition,
  ReduceContext,
  SummaryRequest,
  SummaryResponse,
  ToolOutputLimits,
} from 'tool-output-limits'
import { ledgerOf } from './ai-ledger.js'
import { summarizeByNamedModel } from './ai-model.js'
import { type AiSchema, plainSchema, widenedSchema } from './ai-schema.js'
import { isCallToolResult } from './call-tool-result.js'
import { copyWith, put } from './copy.js'
import { aModel, expectLimits, expectOptions, expectToolRecord, oneOf, type Rules } from './expect.js'
import { warnOfForeign } from './foreign.js'
import { unsupportedHost } from './host-version.js'
import { nameTaken } from './list.js'
import { mark, markOf } from './mark.js'
import { readToolOf } from './read-tool.js'
import { aRunId, type RunIdOption, runIdOf } from './run-id.js'

/** What an AI SDK tool is told about one execution, in ai 5, 6 and 7. */
export interface ToolExecution {
  toolCallId: string
  messages: any[]
  abortSignal?: AbortSignal | undefined
  /** ai 5 and 6. */
  experimental_context?: unknown
  /** ai 7. */
  context?: any
}

export interface LimitToolsOptions {
  /**
   * The run that a call belongs to: the first part of every handle, and what `readTool.scope: 'run'` compares. The AI SDK tells
   * tools of no run, so give the id of your chat or request. Default: the limits' own run id.
   */
  runId?: RunIdOption<ToolExecution> | undefined
  /**
   * The model that writes summaries. Default: the model that asked for the call, where it is wrapped with
   * `toolOutputLimitsMiddleware`; otherwise the `model` of the limits.
   */
  model?: unknown
  /**
   * What happens to the intermediate values of a generator tool. `'pass'` (default) yields each at once, the last one
   * in full too before its reduced form follows. `'hold-last'` keeps one value back, so that the full result never
   * reaches the UI stream; every intermediate value then appears one step later.
   */
  preliminary?: 'pass' | 'hold-last' | undefined
}

/** What those options may be. */
export const TOOLS_RULES: Rules<LimitToolsOptions> = {
  runId: aRunId,
  model: aModel,
  preliminary: oneOf('pass', 'hold-last'),
}

/** Type of the object that takes the place of a reduced output which was neither a string nor an MCP result. */
export const REDUCED_TYPE = 'tool-output-limits/reduced'
/** Set in `_meta` of an MCP result that was reduced, by truncation too, which leaves no handle. */
const REDUCED_META = 'tool-output-limits/reduced'

/** What is persisted and shown in a UI in place of a structured output that was reduced. The model gets `text`. */
export interface ReducedToolOutput {
  type: typeof REDUCED_TYPE
  /** What the model gets: a notice with preview, a cut text, or a summary. */
  text: string
  action: 'truncate' | 'spill' | 'summarize'
  /** Reads the whole output back, after a spill. */
  handle?: string
  /** Size of the stored output in bytes, after a spill. */
  bytes?: number
}

/** An MCP result that was reduced inside. */
export interface ReducedCallToolResult {
  content: { type: string; text?: string }[]
  _meta: { [REDUCED_META]: true; 'tool-output-limits/handle'?: string; 'tool-output-limits/structured-handle'?: string }
}

/** Whether a tool output, also one out of a database, stands in for a larger one. */
export function isReducedToolOutput(output: unknown): output is ReducedToolOutput | ReducedCallToolResult {
  return isReducedObject(output) || (isCallToolResult(output) && output._meta?.[REDUCED_META] === true)
}

function isReducedObject(output: unknown): output is ReducedToolOutput {
  if (output === null || typeof output !== 'object') return false
  const { type, text } = output as Partial<ReducedToolOutput>
  return type === REDUCED_TYPE && typeof text === 'string'
}

const REDUCED_JSON_SCHEMA = {
  type: 'object',
  properties: {
    type: { const: REDUCED_TYPE },
    text: { type: 'string' },
    action: { type: 'string' },
    handle: { type: 'string' },
    bytes: { type: 'number' },
  },
  required: ['type', 'text', 'action'],
}

/** A tool of the AI SDK, as far as this adapter looks at it. */
interface AnyTool {
  execute?: (this: unknown, input: unknown, execution: ToolExecution) => unknown
  toModelOutput?: (this: unknown, ...rest: unknown[]) => unknown
  outputSchema?: unknown
  inputSchema?: unknown
  parameters?: unknown
  metadata?: unknown
  _meta?: unknown
}

/** The tools of a set, each limited; what is not executed by the host is left as it is. */
export function limitToolSet(
  tools: object,
  limits: ToolOutputLimits,
  options: LimitToolsOptions,
): Record<string, unknown> {
  expectLimits(limits)
  expectOptions(options, TOOLS_RULES)
  return limitEachTool(tools, limits, () => options)
}

/** As `limitToolSet`, with options of its own for each tool, that were checked. */
export function limitEachTool(
  tools: object,
  limits: ToolOutputLimits,
  optionsOf: (name: string) => LimitToolsOptions,
): Record<string, unknown> {
  expectToolRecord(tools)
  const limited: Record<string, unknown> = {}
  // Own enumerable entries, which is what the AI SDK offers to the model.
  for (const [name, tool] of Object.entries(tools)) put(limited, name, limitTool(name, tool, limits, optionsOf(name)))
  return limited
}

function limitTool(name: string, tool: unknown, limits: ToolOutputLimits, options: LimitToolsOptions): unknown {
  const execute = (tool as AnyTool | null | undefined)?.execute
  if (tool === null || typeof tool !== 'object' || typeof execute !== 'function') {
    // Without `execute` the client or the provider runs it; the provider wants its results back unchanged.
    warnOfForeign(tool, 'ai-sdk', name)
    return tool
  }
  if (markOf(execute)) return tool
  const original: AnyTool = tool
  if (original.inputSchema === undefined && original.parameters !== undefined) {
    throw unsupportedHost(
      'ai',
      '>=5 <8',
      `a tool of ai 4 or earlier (${JSON.stringify(name)} has "parameters" instead of "inputSchema")`,
    )
  }
  const reduce = reducer(name, original, limits, options)
  const overrides: Record<string, unknown> = {
    execute: mark((input: unknown, execution: ToolExecution) => {
      // Not async: the host looks at the very value returned to tell a generator tool.
      const result = execute.call(original, input, execution)
      if (isAsyncIterable(result))
        return reduceLast(result, (value) => reduce(value, input, execution), options.preliminary === 'hold-last')
      return Promise.resolve(result).then((value) => reduce(value, input, execution))
    }, 'limited'),
    toModelOutput: (...rest: unknown[]) => toModelOutput(original, rest),
  }
  if (original.outputSchema !== undefined)
    overrides.outputSchema = widenedSchema(original.outputSchema, isReducedToolOutput, REDUCED_JSON_SCHEMA)
  return copyWith(original, overrides, { bindsMethods: true })
}

/** Reduces the outputs of one tool. */
function reducer(toolName: string, tool: AnyTool, limits: ToolOutputLimits, options: LimitToolsOptions) {
  const ledger = ledgerOf(limits)
  return async (value: unknown, input: unknown, execution: ToolExecution | undefined): Promise<unknown> => {
    const toolCallId = execution?.toolCallId
    const context: ReduceContext = {
      toolName,
      toolCallId,
      runId: runIdOf(options.runId, execution ?? { toolCallId: '', messages: [] }),
      signal: execution?.abortSignal,
      model: options.model ?? ledger.modelOf(toolCallId),
      toolMetadata: metadataOf(tool),
      input,
    }
    if (isCallToolResult(value)) {
      const generate = async (request: SummaryRequest): Promise<SummaryResponse> => {
        const response = await summarizeByNamedModel(request)
        ledger.spend(toolCallId, response.usage)
        return response
      }
      const reduced = await limits.reduceCallToolResult(value, { ...context, adapter: { generate } })
      return reduced === value ? value : { ...reduced, _meta: { ...reduced._meta, [REDUCED_META]: true } }
    }
    const reduction = await limits.reduce(value, { ...context, adapter: { generate: summarizeByNamedModel } })
    if (!reduction.reduced) return value
    const { report } = reduction
    ledger.spend(toolCallId, report.usage)
    if (typeof value === 'string') return reduction.value
    const output: ReducedToolOutput = {
      type: REDUCED_TYPE,
      text: String(reduction.value),
      action: report.action as ReducedToolOutput['action'],
    }
    if (report.handle !== undefined) output.handle = report.handle
    if (report.bytes !== undefined) output.bytes = report.bytes
    return output
  }
}

/** What `toolFilter` objects are compared with: the tool's own metadata, and what an MCP server said about it. */
function metadataOf({ metadata, _meta }: AnyTool): Record<string, unknown> | undefined {
  if (metadata === undefined && _meta === undefined) return undefined
  return { ...(_meta as object | undefined), ...(metadata as object | undefined) }
}

/**
 * Yields what a generator tool yields, and after its last value the reduced form of it, which is the one that the host
 * keeps and shows to the model.
 */
async function* reduceLast(
  values: AsyncIterable<unknown>,
  reduce: (value: unknown) => Promise<unknown>,
  holdLast: boolean,
): AsyncGenerator<unknown> {
  let last: { value: unknown } | undefined
  try {
    for await (const value of values) {
      if (holdLast && last) yield last.value
      last = { value }
      if (!holdLast) yield value
    }
  } catch (error) {
    if (holdLast && last) yield last.value // it was not the last: the error is
    throw error
  }
  if (!last) return
  const reduced = await reduce(last.value)
  if (holdLast || reduced !== last.value) yield reduced
}

/** What the model gets for an output: the text of a reduced one, else what the tool itself or the host would say. */
function toModelOutput(tool: AnyTool, rest: unknown[]): unknown {
  const output = outputOf(rest[0])
  if (isReducedObject(output)) return { type: 'text', value: output.text }
  if (typeof tool.toModelOutput === 'function') return tool.toModelOutput.apply(tool, rest)
  return typeof output === 'string' ? { type: 'text', value: output } : { type: 'json', value: jsonValue(output) }
}

/** ai 5 passes the output itself, later versions an object of exactly these three. */
function outputOf(argument: unknown): unknown {
  if (argument === null || typeof argument !== 'object') return argument
  const keys = Object.keys(argument)
  const isEnvelope = keys.length === 3 && ['toolCallId', 'input', 'output'].every((key) => keys.includes(key))
  return isEnvelope ? (argument as { output: unknown }).output : argument
}

/** As ai 7 does: what JSON makes of it. Earlier versions pass the value on and the provider makes the same of it. */
function jsonValue(output: unknown): unknown {
  const text: string | undefined = JSON.stringify(output)
  return text === undefined ? null : JSON.parse(text)
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return (
    value !== null &&
    typeof value === 'object' &&
    Symbol.asyncIterator in value &&
    typeof value[Symbol.asyncIterator] === 'function'
  )
}

/** The tool by which a model of the AI SDK reads stored results. */
export interface ReadToolResultTool {
  description: string
  inputSchema: any
  execute: (input: ReadInput, execution?: any) => Promise<string>
}

/** The read tool as the AI SDK takes tools. */
export function aiReadTool(
  definition: ReadToolDefinition,
  options: Pick<LimitToolsOptions, 'runId'>,
): ReadToolResultTool {
  expectOptions(options, TOOLS_RULES)
  const inputSchema: AiSchema = plainSchema(definition.inputSchema)
  const execute = (input: ReadInput, execution?: ToolExecution): Promise<string> =>
    definition.execute(input, {
      runId: runIdOf(options.runId, execution ?? { toolCallId: '', messages: [] }),
      signal: execution?.abortSignal,
    })
  return { description: definition.description, inputSchema, execute: mark(execute, 'read') }
}

/** A set of limited tools with the read tool in it. */
export function withReadTool(
  limited: Record<string, unknown>,
  limits: ToolOutputLimits,
  options: LimitToolsOptions,
): Record<string, unknown> {
  const read = readToolOf(limits)
  if (!read) return limited
  const own = Object.hasOwn(limited, read.name) ? (limited[read.name] as AnyTool | null | undefined) : undefined
  if (markOf(own?.execute) === 'read') return limited
  if (own !== undefined && own !== null) throw nameTaken(read.name)
  put(limited, read.name, aiReadTool(read, options))
  return limited
}
