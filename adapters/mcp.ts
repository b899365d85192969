/**
 * `tool-output-limits/mcp`: limits on either side of the Model Context Protocol.
 *
 * ```ts
 * const client = limitMcpClient(await connect(), limits)                            // whatever servers send
 * server.registerTool('log', config, limitToolHandler(handler, limits, { toolName: 'log' }))   // what this server sends
 * registerReadTool(server, limits)
 * ```
 *
 * For `@modelcontextprotocol/sdk` 1.x, `@modelcontextprotocol/client` and `server` 2.x, and clients of `@ai-sdk/mcp`. Results
 * with `isError` stay whole.
 */
// biome-ignore-all lint/suspicious/noExplicitAny: clients and servers of several packages are taken
import { type CallToolResultLike, type ReduceContext, ToolOutputLimits } from 'tool-output-limits'
import { summarizeByNamedModel } from './shared/ai-model.js'
import { type LimitToolsOptions, limitEachTool, TOOLS_RULES, withReadTool } from './shared/ai-tools.js'
import { copyWith, put } from './shared/copy.js'
import { aFunction, expectLimits, expectOptions } from './shared/expect.js'
import { forwarding } from './shared/forwarding.js'
import { unsupportedHost } from './shared/host-version.js'
import { mark, markOf } from './shared/mark.js'
import { requestOf } from './shared/mcp-server.js'
import { readToolOf } from './shared/read-tool.js'
import { aRunId, idBy, type RunIdOption, runIdOf } from './shared/run-id.js'
import { isThenable } from './shared/thenable.js'

export { type McpServerLike, registerReadTool } from './shared/mcp-server.js'

/** The parameters of `tools/call`. */
export interface CallToolParams {
  name: string
  arguments?: Record<string, unknown> | undefined
  _meta?: Record<string, unknown> | undefined
}

export interface LimitMcpClientOptions extends Pick<LimitToolsOptions, 'model' | 'preliminary'> {
  /** The run of a call. Default: the limits' own run id. Of the tools that `tools()` gives it is told the name alone. */
  runId?: RunIdOption<CallToolParams> | undefined
  /** The id of a `callTool`; MCP has none. Default: a new one each. Tools that `tools()` gives have those of the AI SDK. */
  toolCallId?: ((parameters: CallToolParams) => string | undefined) | undefined
}

/** What the clients of all supported packages have in common. */
type AnyClient = Record<PropertyKey, any>

/**
 * The same client with limited results (default limits: `new ToolOutputLimits()`). Its `callTool` reduces what the server sent,
 * after the SDK has validated it, and answers the read tool; its `listTools` lists the read tool last; the `tools()` of an
 * `@ai-sdk/mcp` client gives limited AI SDK tools and the read tool. Anything else goes to the client as it is, which is
 * itself left alone. A read tool that the server has itself is asked for the handles that are not ours.
 *
 * @throws TypeError for an object that is no client of a supported package, for limits that are none, and for a wrong option.
 */
export function limitMcpClient<Client extends object>(
  client: Client,
  limits: ToolOutputLimits = new ToolOutputLimits(),
  options: LimitMcpClientOptions = {},
): Client {
  const target = (client ?? {}) as AnyClient
  if (isThenable(client)) throw new TypeError('the client is a promise: await it')
  if (typeof target.callTool !== 'function' && typeof target.tools !== 'function') {
    throw unsupportedHost(
      'MCP clients of',
      '@modelcontextprotocol/sdk 1.x, @modelcontextprotocol/client 2.x and @ai-sdk/mcp',
      'an object without callTool() or tools()',
    )
  }
  const read = readToolOf(limits)
  expectOptions(options, { ...TOOLS_RULES, toolCallId: aFunction })
  let serverReads = false // the server lists a tool of the same name

  /** The answer of our read tool; undefined where the server may know better. */
  const readHere = async (
    input: unknown,
    params: CallToolParams,
    signal: AbortSignal | undefined,
  ): Promise<CallToolResultLike | undefined> => {
    const context = { runId: runIdOf(options.runId, params), signal }
    if (serverReads && (await limits.read(input as never, context)).problem === 'unknown') return undefined
    return { content: [{ type: 'text', text: (await read?.execute(input, context)) ?? '' }] }
  }

  const overrides: Record<string, (...parameters: any[]) => unknown> = {
    async callTool(params: CallToolParams & { args?: Record<string, unknown> }, ...rest: unknown[]) {
      const signal = signalOf([params, ...rest])
      const input = params.arguments ?? params.args
      if (read && params.name === read.name) {
        const page = await readHere(input ?? {}, params, signal)
        if (page) return page
      }
      const toolCallId = options.toolCallId && idBy('toolCallId', options.toolCallId, params)
      const result = await target.callTool(params, ...rest)
      return reduceResult(result, limits, {
        toolName: params.name,
        toolCallId,
        runId: runIdOf(options.runId, params),
        model: options.model,
        adapter: { generate: summarizeByNamedModel },
        signal,
        input,
      })
    },
    async listTools(...parameters: unknown[]) {
      const page = await target.listTools(...parameters)
      if (!read || !Array.isArray(page?.tools)) return page
      if (page.tools.some((tool: { name?: unknown }) => tool?.name === read.name)) serverReads = true
      if (serverReads || page.nextCursor) return page
      const { name, description, inputSchema } = read
      return {
        ...page,
        tools: [...page.tools, { name, description, inputSchema, annotations: { readOnlyHint: true } }],
      }
    },
    async tools(...parameters: unknown[]) {
      const tools = await target.tools(...parameters)
      if (read && Object.hasOwn(tools, read.name)) serverReads = true
      return limitedTools(tools)
    },
    toolsFromDefinitions(...parameters: unknown[]) {
      return limitedTools(target.toolsFromDefinitions(...parameters))
    },
  }

  /** AI SDK tools of the client, limited, the read tool with them. */
  function limitedTools(tools: Record<string, any>): Record<string, unknown> {
    const { runId } = options
    const setOptions = (name: string): LimitToolsOptions => ({
      model: options.model,
      preliminary: options.preliminary,
      runId: typeof runId === 'function' ? () => runIdOf(runId, { name }) : runId,
    })
    const limited = limitEachTool(tools, limits, setOptions)
    if (!read) return limited
    const theirs = limited[read.name] as { execute: (input: unknown, execution: unknown) => unknown } | undefined
    if (!serverReads || !theirs) {
      delete limited[read.name] // a listing of ours, for which the client would ask the server
      return withReadTool(limited, limits, setOptions(read.name))
    }
    const execute = mark(async (input: unknown, execution: { abortSignal?: AbortSignal } | undefined) => {
      const page = await readHere(input, { name: read.name }, execution?.abortSignal)
      return page ?? theirs.execute(input, execution)
    }, 'read')
    put(limited, read.name, copyWith(theirs, { execute }))
    return limited
  }

  return forwarding(client, overrides)
}

export interface LimitToolHandlerOptions {
  /** Name that the handler is registered under. */
  toolName: string
  /** Whether the tool has an output schema (the schema itself will do): its `structuredContent` then always stays, for it must validate. */
  outputSchema?: unknown
  /** The run that a call belongs to, from what the server tells about the request. Default: its session, where there is one. */
  runId?: RunIdOption<any> | undefined
}

/**
 * A handler for `registerTool` with limited results (default limits: `new ToolOutputLimits()`). It gives a promise; arguments
 * arrive as they are, what it throws is thrown on; a limited handler stays as it is. Register the read tool on the same server, with `registerReadTool`.
 *
 * @throws TypeError without a `toolName`, when the handler or the limits are none, or for a wrong option.
 */
export function limitToolHandler<Handler extends (...parameters: any[]) => unknown>(
  handler: Handler,
  limits: ToolOutputLimits = new ToolOutputLimits(),
  options: LimitToolHandlerOptions,
): Handler {
  const { toolName, outputSchema, runId } = options ?? {}
  if (typeof handler !== 'function') throw new TypeError('limitToolHandler: the first argument must be the handler')
  expectLimits(limits)
  if (typeof toolName !== 'string' || toolName === '')
    throw new TypeError('limitToolHandler: the option toolName must be the name of the tool')
  expectOptions(options, { toolName: true, outputSchema: true, runId: aRunId })
  if (markOf(handler)) return handler
  const limited = async function (this: unknown, ...parameters: any[]): Promise<unknown> {
    const result = await handler.apply(this, parameters)
    const request = requestOf(parameters)
    return reduceResult(result, limits, {
      toolName,
      // The ids of requests start anew with every connection, so they are ids of calls only within a session.
      toolCallId: request.sessionId === undefined ? undefined : request.id,
      runId: runIdOf(runId, request.extra) ?? request.sessionId,
      signal: request.signal,
      input: parameters.length > 1 ? parameters[0] : undefined,
      outputSchema: outputSchema !== undefined && outputSchema !== false,
    })
  }
  return mark(limited, 'limited') as unknown as Handler
}

/** Reduces what is a tool result; tasks, requests for input and results of older protocols pass. */
async function reduceResult(
  result: unknown,
  limits: ToolOutputLimits,
  context: ReduceContext & { outputSchema?: boolean },
): Promise<unknown> {
  if (result === null || typeof result !== 'object' || !Array.isArray((result as CallToolResultLike).content))
    return result
  return limits.reduceCallToolResult(result as CallToolResultLike, context)
}

/** The signal of a call: in the third argument in 1.x, the second in 2.x, inside the first with `@ai-sdk/mcp`. */
function signalOf(parameters: any[]): AbortSignal | undefined {
  const candidates = [parameters[0]?.options?.abortSignal, ...parameters.slice(1).map((parameter) => parameter?.signal)]
  return candidates.find((candidate) => candidate instanceof AbortSignal)
}
