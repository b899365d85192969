import type { ToolCall, ToolFilter } from '../index.js'
import { callNow, settleAnswer } from './callbacks.js'

/** Whether the limits apply to a call. `'failed'`: the filter could not tell, so they do, and a warning is due. */
export type Selection = boolean | 'failed'

/** Makes a matcher for names and globs together. */
export type NameMatcher = (names: readonly string[]) => (toolName: string) => boolean

/** Answers at once where it can, so that a call that is left out costs nothing. */
export type CallFilter = (call: ToolCall) => Selection | Promise<Selection>

/** Makes the filter out of a checked `toolFilter`; undefined where every call is selected. */
export function callFilter(filter: ToolFilter, matcher: NameMatcher, timeoutMs: number): CallFilter | undefined {
  if (filter === 'all') return undefined
  if (typeof filter === 'function') return (call) => ask(filter, call, timeoutMs)
  if (Array.isArray(filter)) {
    const matches = matcher(filter)
    return (call) => matches(call.toolName)
  }
  return (call) => selected(callNow(() => includes(call.toolMetadata, filter)))
}

function ask(
  predicate: (call: ToolCall) => boolean | PromiseLike<boolean>,
  call: ToolCall,
  timeoutMs: number,
): Selection | Promise<Selection> {
  // A predicate that writes to the call writes to a copy.
  const answer = callNow(() => predicate({ ...call }))
  if (!('later' in answer)) return selected(answer)
  return settleAnswer(answer, timeoutMs).then((outcome) => selected(outcome.ok ? outcome : { threw: outcome.error }))
}

function selected(answer: object): Selection {
  return 'value' in answer && typeof answer.value === 'boolean' ? answer.value : 'failed'
}

/** Whether a value has everything that a pattern has, at every level. May throw where a getter of the value does. */
function includes(value: unknown, pattern: unknown): boolean {
  const pairs: [value: unknown, pattern: unknown][] = [[value, pattern]]
  const compared = new Map<object, Set<object>>()
  for (let pair = pairs.pop(); pair !== undefined; pair = pairs.pop()) {
    const [actual, wanted] = pair
    if (!isObject(wanted)) {
      if (!Object.is(actual, wanted)) return false
    } else if (!isObject(actual)) {
      return false
    } else if (isFirst(compared, wanted, actual)) {
      for (const key of Object.keys(wanted)) {
        if (!Object.hasOwn(actual, key)) return false
        pairs.push([actual[key], wanted[key]])
      }
    }
  }
  return true
}

/** Both may refer back to themselves: the same two are compared once. */
function isFirst(compared: Map<object, Set<object>>, wanted: object, actual: object): boolean {
  const before = compared.get(wanted)
  if (before?.has(actual)) return false
  if (before === undefined) compared.set(wanted, new Set([actual]))
  else before.add(actual)
  return true
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
