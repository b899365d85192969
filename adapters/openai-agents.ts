/**
 * `tool-output-limits/openai-agents`: limits for agents of the OpenAI Agents SDK.
 *
 * ```ts
 * const limits = new ToolOutputLimits()
 * const fetchLog = tool(limitToolOptions({ name: 'fetch_log', … }, limits))
 * new Agent({ …, tools: [fetchLog, readToolResult(limits)], mcpServers: [limitMcpServer(server, limits)] })
 * ```
 */
// biome-ignore-all lint/suspicious/noExplicitAny: tools of every type are wrapped, and keep it
import { AsyncResource } from 'node:async_hooks'
import {
  type CallToolResultLike,
  type ContentBlock,
  type ReduceContext,
  ToolOutputLimits,
  type Usage,
} from 'tool-output-limits'
import { describe } from '../common/describe.js'
import { type BlockKind, type ReducedContent, reduceBlocks, reduceValue } from './shared/blocks.js'
import { copyWith } from './shared/copy.js'
import { aModel, expectLimits, expectOptions, type Rules } from './shared/expect.js'
import { forwarding } from './shared/forwarding.js'
import { unsupportedHost } from './shared/host-version.js'
import { mark, markOf } from './shared/mark.js'
import { summarizeWith } from './shared/openai-model.js'
import { requireReadTool } from './shared/read-tool.js'
import { aRunId, type RunIdOption, runIdOf } from './shared/run-id.js'
import { warnOnce } from './shared/warn.js'

export { summarizeWith }

/** What is known of a tool call when its run is to be named. */
export interface AgentsCall {
  toolName: string
  toolCallId?: string | undefined
  /** The context object that the application gave to the run; undefined for MCP servers. */
  context?: unknown
}

export interface AgentsOptions {
  /** The run a result belongs to; the SDK has no id that tools could see. Default: the id of the limits. */
  runId?: RunIdOption<AgentsCall> | undefined
  /** A model of the SDK, or the name of one, for summaries. Tools of the SDK aren't told which model calls them. */
  model?: unknown
}

const RULES: Rules<AgentsOptions> = { runId: aRunId, model: aModel }

/** The parts of a `RunContext` that are used here. */
interface RunContextLike {
  context?: unknown
  usage?: { requests: number; add(usage: any): void; constructor: unknown } | undefined
}
interface ToolCallDetailsLike {
  toolCall?: { callId?: string | undefined } | undefined
  signal?: AbortSignal | undefined
}
/**
 * What `execute` gets: what the parameters parse to, with a schema that knows it (zod, Standard Schema); anything
 * with plain JSON Schema.
 */
type InputOf<Parameters> = Parameters extends { '~standard': { types?: { output: infer Output } | undefined } }
  ? Output
  : any
type Execute<Parameters> = (input: InputOf<Parameters>, context?: any, details?: any) => unknown

/**
 * The options of a tool with limited results, for `tool(…)`. What `execute` throws goes to the tool's `errorFunction`
 * as it is, and what that says stays whole.
 * Tokens that summaries cost are added to the usage of the run.
 *
 * A tool with an `outputSchema` is given back as it is, with a process warning: the SDK holds its results to the
 * schema.
 *
 * @throws TypeError for options without `execute`, such as a tool that is built already, for limits that are none, and for a
 * wrong option of the adapter.
 */
export function limitToolOptions<
  Parameters,
  Options extends { execute: Execute<Parameters>; name?: string | undefined; outputSchema?: unknown },
>(
  options: Options & { parameters?: Parameters },
  limits: ToolOutputLimits = new ToolOutputLimits(),
  adapterOptions: AgentsOptions = {},
): Options {
  const { execute } = options
  if (typeof execute !== 'function')
    throw unsupportedHost('options for tool() of', '@openai/agents >=0.20 <1', 'an object without execute()')
  expectLimits(limits)
  expectOptions(adapterOptions, RULES)
  if (markOf(execute)) return options
  const toolName = options.name ?? execute.name
  if (options.outputSchema !== undefined) {
    const message = `the results of ${describe(toolName)} are not limited, for they must match its outputSchema`
    warnOnce('TOL_OUTPUT_SCHEMA', message)
    return options
  }
  const limited = async (input: any, runContext?: RunContextLike, details?: ToolCallDetailsLike) => {
    const output = await execute.call(options, input, runContext, details)
    const call = { toolName, toolCallId: details?.toolCall?.callId, context: runContext?.context }
    const reduced = await reduceOutput(limits, output, {
      ...contextOf(call, adapterOptions),
      input,
      signal: details?.signal,
    })
    if (reduced === undefined) return output
    addUsage(runContext, reduced.report?.usage)
    return reduced.content
  }
  // A tool without a name has that of its function.
  return copyWith(
    options,
    {
      execute: mark(Object.defineProperty(limited, 'name', { value: execute.name, configurable: true }), 'limited'),
    },
    { bindsMethods: true },
  )
}

/**
 * An MCP server with limited results, for `mcpServers` of an agent; everything else goes to the server itself.
 * Results with `isError` stay whole.
 * The tool that reads spilled results is to be added to the tools of the agent: {@link readToolResult}.
 *
 * @throws TypeError for an object that is no MCP server of the SDK, for limits that are none, and for a wrong option.
 */
export function limitMcpServer<Server extends object>(
  server: Server,
  limits: ToolOutputLimits = new ToolOutputLimits(),
  options: AgentsOptions = {},
): Server {
  const target = server as {
    callTool?: (...parameters: unknown[]) => Promise<McpContent>
    callToolResult?: (...parameters: unknown[]) => Promise<CallToolResultLike>
  }
  if (typeof target.callTool !== 'function')
    throw unsupportedHost('MCP servers of', '@openai/agents >=0.20 <1', 'an object without callTool()')
  expectLimits(limits)
  expectOptions(options, RULES)
  const context = (toolName: unknown, input: unknown, rest: unknown[]): ReduceContext => {
    const signal = (rest[1] as { signal?: AbortSignal } | undefined)?.signal
    return { ...contextOf({ toolName: String(toolName) }, options), input, signal }
  }
  return forwarding(server, {
    async callTool(toolName: unknown, input: unknown, ...rest: unknown[]) {
      const content = await target.callTool?.call(server, toolName, input, ...rest)
      return content && reduceMcpContent(limits, content, context(toolName, input, rest))
    },
    async callToolResult(toolName: unknown, input: unknown, ...rest: unknown[]) {
      const result = await target.callToolResult?.call(server, toolName, input, ...rest)
      if (!Array.isArray(result?.content)) return result
      // Without what the SDK hangs on the content, which would survive beside the reduced result.
      const plain: CallToolResultLike = { ...result, content: [...result.content] }
      const reduced = await limits.reduceCallToolResult(plain, context(toolName, input, rest))
      return reduced === plain ? result : reduced
    },
  })
}

/**
 * The tool by which the model reads spilled results, for the tools of an agent.
 *
 * @throws TypeError when the limits have the read tool switched off, or for a wrong option.
 */
export function readToolResult(limits: ToolOutputLimits, options: AgentsOptions = {}) {
  const { name, description, inputSchema, execute } = requireReadTool(limits)
  expectOptions(options, RULES)
  return {
    type: 'function' as const,
    name,
    description,
    parameters: inputSchema as any,
    strict: false,
    invoke: (runContext: RunContextLike, input: string, details?: ToolCallDetailsLike): Promise<string> => {
      const call = { toolName: name, toolCallId: details?.toolCall?.callId, context: runContext?.context }
      return execute(parsed(input), { runId: runIdOf(options.runId, call), signal: details?.signal })
    },
    needsApproval: async () => false,
    isEnabled: async () => true,
  }
}

function contextOf(call: AgentsCall, options: AgentsOptions): ReduceContext {
  const { toolName, toolCallId } = call
  // Bound to the call, so that the trace of the run is around the summary from wherever it is started.
  return {
    toolName,
    toolCallId,
    runId: runIdOf(options.runId, call),
    model: options.model,
    adapter: { generate: AsyncResource.bind(summarizeWith()) },
  }
}

async function reduceOutput(
  limits: ToolOutputLimits,
  output: unknown,
  context: ReduceContext,
): Promise<ReducedContent | undefined> {
  const blocks = Array.isArray(output) ? output : [output]
  const kinds = blocks.map(kindOf)
  if (blocks.length === 0 || kinds.includes('data')) return reduceValue(limits, output, context)
  return reduceBlocks(limits, blocks as ContentBlock[], kinds, context)
}

const BLOCK_KEYS = new Set([
  'type',
  'text',
  'image',
  'imageUrl',
  'file',
  'fileId',
  'id',
  'detail',
  'data',
  'mediaType',
  'mimeType',
  'filename',
  'providerData',
  'annotations',
  '_meta',
])
/**
 * The SDK takes whatever has the type of an output item for one. Here an item must have nothing else to it: records
 * are data.
 */
function kindOf(item: unknown): BlockKind {
  if (item === null || typeof item !== 'object' || !Object.keys(item).every((key) => BLOCK_KEYS.has(key))) return 'data'
  const { type, text, image, imageUrl, file, fileId, data } = item as ContentBlock
  if (type === 'text') return typeof text === 'string' ? 'text' : 'data'
  const hasPayload = [image, imageUrl, file, fileId, data].some((payload) => payload !== undefined)
  return (type === 'image' || type === 'file') && hasPayload ? 'media' : 'data'
}

/** Content of an MCP result, on which the SDK hangs the rest of the result. */
type McpContent = ContentBlock[] & Omit<CallToolResultLike, 'content'>

async function reduceMcpContent(
  limits: ToolOutputLimits,
  content: McpContent,
  context: ReduceContext,
): Promise<McpContent> {
  const { structuredContent, isError, _meta } = content
  const result = {
    content: [...content],
    ...(structuredContent !== undefined && { structuredContent }),
    ...(isError !== undefined && { isError }),
    ...(_meta !== undefined && { _meta }),
  }
  const reduced: CallToolResultLike = await limits.reduceCallToolResult<CallToolResultLike>(result, context)
  if (reduced === result) return content
  const { content: blocks, ...rest } = reduced
  const out = [...(blocks as ContentBlock[])] as McpContent
  for (const [key, value] of Object.entries(rest))
    Object.defineProperty(out, key, { value, configurable: true, enumerable: false, writable: true })
  return out
}

function addUsage(runContext: RunContextLike | undefined, spent: Usage | undefined): void {
  const usage = runContext?.usage
  if (usage === undefined || spent === undefined) return
  const RunUsage = usage.constructor as new (input: Usage) => unknown
  usage.add(new RunUsage(spent))
}

function parsed(input: unknown): unknown {
  try {
    return typeof input === 'string' ? JSON.parse(input) : input
  } catch {
    return undefined // the tool says that it needs an object
  }
}
