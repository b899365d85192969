/**
 * `tool-output-limits/function`: limits for tools that are plain functions, without a framework.
 *
 * ```ts
 * const fetchLog = limitFunction(readLog, limits, { toolName: 'fetch_log' })
 * ```
 */
import { ToolOutputLimits } from 'tool-output-limits'
import { describe } from '../common/describe.js'
import { aFunction, aString, expectLimits, expectOptions } from './shared/expect.js'
import { mark, markOf } from './shared/mark.js'
import { answerOf } from './shared/run-id.js'
import { isThenable } from './shared/thenable.js'
import { warnOnce } from './shared/warn.js'

/** The ids of one call; all optional. */
export interface FunctionCall {
  toolCallId?: string | undefined
  runId?: string | undefined
  retry?: number | undefined
  signal?: AbortSignal | undefined
}

export interface LimitFunctionOptions<Parameters extends unknown[]> {
  /** Name of the tool, for `perTool`, filters and events. Default: the function's own name. */
  toolName?: string | undefined
  /**
   * Ids of a call, from the arguments of the function. Default: ids of no meaning, different for every call; they are used
   * too, with a warning, where this throws or gives a promise.
   */
  call?: ((...parameters: Parameters) => FunctionCall) | undefined
}

/** What a limited function gives: what it gave before, or the text that takes its place. */
export type LimitedReturn<Return> = Return | string

/**
 * The same function, its result reduced by `limits` (default: `new ToolOutputLimits()`). It gives a promise; `this` and
 * arguments arrive as they are, and what the function throws is thrown on whole. Limiting a function twice does nothing more.
 *
 * The model reads stored results through `limits.readToolResult()`, which you register next to your tools.
 *
 * @throws TypeError for a function that is none, or has no name where `toolName` is missing, for limits that are none, and
 * for a wrong option.
 */
export function limitFunction<This, Parameters extends unknown[], Return>(
  fn: (this: This, ...parameters: Parameters) => Return,
  limits: ToolOutputLimits = new ToolOutputLimits(),
  options: LimitFunctionOptions<Parameters> = {},
): (this: This, ...parameters: Parameters) => Promise<LimitedReturn<Awaited<Return>>> {
  if (typeof fn !== 'function') throw new TypeError('limitFunction: the first argument must be a function')
  expectLimits(limits)
  const { toolName, call } = expectOptions(options, { toolName: aString, call: aFunction })
  const name = toolName ?? fn.name
  if (name === '') throw new TypeError('limitFunction: a function without a name needs the option toolName')
  if (markOf(fn)) return fn as never
  const limited = async function (this: This, ...parameters: Parameters): Promise<LimitedReturn<Awaited<Return>>> {
    const ids = call && answerOf('call', () => call(...parameters), idsIn)
    const value = await fn.apply(this, parameters)
    const input = parameters.length === 1 ? parameters[0] : parameters
    const reduction = await limits.reduce(value, { toolName: name, input, ...ids })
    return reduction.value
  }
  Object.defineProperty(limited, 'name', { value: fn.name, configurable: true })
  return mark(limited, 'limited')
}

/**
 * The ids as they are before the work: what is read of them afterwards, or is none, must not cost its result. Nothing else
 * is taken: the application may give the whole request.
 */
function idsIn(answer: unknown): FunctionCall | undefined {
  if (typeof answer !== 'object' || isThenable(answer)) return undefined
  const { toolCallId, runId, retry, signal } = answer as FunctionCall
  const isRetry = typeof retry === 'number' && Number.isSafeInteger(retry) && retry >= 0
  if (!isRetry && retry !== undefined && retry !== null)
    warnOnce('TOL_CALL_ID', `the call function gave a retry of ${describe(retry)}: it must be a whole number ≥ 0`)
  return { toolCallId, runId, retry: isRetry ? retry : undefined, signal }
}
