import { describe } from '../common/describe.js'
import type { OverflowStore, ReduceContext, ToolCall } from '../index.js'

/** A tool call whose context was checked. */
export interface Call {
  /** As filters and stores see it. */
  readonly tool: ToolCall
  readonly context: ReduceContext
  readonly store: OverflowStore
  /** What names the results of the call: the ids given, else random ones. */
  readonly keyIds: { readonly run: string; readonly call: string }
}

/** Checks the context of a call; throws a TypeError for a misuse of the API. */
export function toolCallOf(context: ReduceContext, defaultRunId: string | undefined): ToolCall {
  if (typeof context !== 'object' || context === null) {
    throw new TypeError(`reduce: the context must be an object with toolName, got ${describe(context)}`)
  }
  const { toolName, retry = 0 } = context
  if (typeof toolName !== 'string' || toolName === '') {
    throw new TypeError(`reduce: toolName must be a non-empty string, got ${describe(toolName)}`)
  }
  if (!Number.isSafeInteger(retry) || retry < 0) {
    throw new TypeError(`reduce: retry must be a whole number ≥ 0, got ${describe(retry)}`)
  }
  return {
    toolName,
    toolCallId: idOf(context.toolCallId),
    runId: idOf(context.runId) ?? defaultRunId,
    retry,
    input: context.input,
    toolMetadata: context.toolMetadata,
  }
}

/** An id as a string; '' and what is no id count as missing. */
export function idOf(id: unknown): string | undefined {
  if (typeof id === 'string') return id === '' ? undefined : id
  return typeof id === 'number' || typeof id === 'bigint' ? String(id) : undefined
}
