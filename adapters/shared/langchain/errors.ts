import { ToolMessage } from '@langchain/core/messages'
import type { ToolCall } from '@langchain/core/messages/tool'
import * as langchain from 'langchain' // as a whole, so that the adapter can say what an older one lacks

/**
 * What a tool's error becomes in an agent that has no tool-call middleware: a message the model can learn from.
 * With any such middleware the agent lets the error end the run, so this one answers in the agent's place.
 * Undefined for what the agent does not answer either: interrupts, an aborted run, arguments that don't fit (which it
 * answers itself), errors of other middleware.
 */
export function messageOfError(
  error: unknown,
  toolCall: ToolCall,
  signal: AbortSignal | undefined,
): ToolMessage | undefined {
  if (
    isBubbleUp(error) ||
    signal?.aborted ||
    langchain.ToolInvocationError.isInstance(error) ||
    langchain.MiddlewareError.isInstance(error)
  )
    return undefined
  return new ToolMessage({
    content: `${error}\n Please fix your mistakes.`,
    tool_call_id: toolCall.id as string,
    name: toolCall.name,
    status: 'error',
  })
}

/** LangGraph's own control flow: interrupts and commands to a parent graph travel as errors. */
const isBubbleUp = (error: unknown): boolean =>
  (error as { is_bubble_up?: unknown } | null | undefined)?.is_bubble_up === true
