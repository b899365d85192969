/** Marks what Mastra takes for a tool of its own kind, whichever copy of Mastra asks. */
export const MASTRA_TOOL: unique symbol = Symbol.for('mastra.core.tool.Tool')

/**
 * What the adapter uses of Mastra, structurally: nothing of Mastra has to be found at run time, and every version
 * that has
 * `processToolResult` will do.
 */
export interface MastraToolResult {
  toolName: string
  toolCallId: string
  args?: unknown
  result: unknown
  providerExecuted?: boolean | undefined
  messageList: MastraMessageList
  messages?: readonly { threadId?: string | undefined }[] | undefined
  /** What processors with the same id share during one request. */
  state?: Record<string, unknown> | undefined
  requestContext?: unknown
  abortSignal?: AbortSignal | undefined
}

export interface MastraMessageList {
  get: { all: { db(): readonly MastraMessage[] } }
  updateToolInvocation(part: ToolInvocationPart): unknown
}
export interface MastraMessage {
  role: string
  threadId?: string | undefined
  content?:
    | {
        parts?:
          | readonly {
              type?: string
              toolInvocation?: { state: string; toolCallId: string; result?: unknown } | undefined
            }[]
          | undefined
      }
    | undefined
}
export interface ToolInvocation {
  state: 'result'
  toolCallId: string
  toolName: string
  args: any
  result: any
}
export interface ToolInvocationPart {
  type: 'tool-invocation'
  toolInvocation: ToolInvocation
  providerMetadata?: any
}

/** A chunk of the stream. Only those of tool results are looked into. */
export interface ToolResultChunk {
  type: 'tool-result'
  payload: {
    toolName: string
    toolCallId: string
    args?: unknown
    result: unknown
    providerExecuted?: boolean | undefined
    providerMetadata?: { mastra?: { modelOutput?: ModelOutput | undefined } | undefined } | undefined
  }
}
/** What a tool's own `toModelOutput` has made of its result. */
export interface ModelOutput {
  type: string
  value?: unknown
}

/** The result of a call as an earlier processor has left it, or the given one. */
export function currentResult(list: MastraMessageList, toolCallId: string, given: unknown): unknown {
  for (const { role, content } of [...list.get.all.db()].reverse()) {
    if (role !== 'assistant') continue
    for (const part of content?.parts ?? []) {
      const call = part.type === 'tool-invocation' ? part.toolInvocation : undefined
      if (call?.toolCallId === toolCallId && call.state === 'result') return call.result
    }
  }
  return given
}

/** The memory thread that the messages belong to. */
export function threadOf(messages: readonly { threadId?: string | undefined }[] | undefined): string | undefined {
  return messages?.find(({ threadId }) => typeof threadId === 'string' && threadId !== '')?.threadId
}
