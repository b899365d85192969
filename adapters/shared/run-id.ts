import { describe } from '../../common/describe.js'
import type { Rule } from './expect.js'
import { warnOnce } from './warn.js'

/** A run id as an option: the id itself, or a function of what the host tells about one call. */
export type RunIdOption<Execution> = string | ((execution: Execution) => string | undefined)

/** Numbers become strings, as everywhere. */
export const aRunId: Rule = {
  expected: 'a string or a function',
  allows: (value) => typeof value === 'function' || isId(value),
}

/** The id of the run that a call belongs to; undefined leaves it to the limits. */
export function runIdOf<Execution>(
  option: RunIdOption<Execution> | undefined,
  execution: Execution,
): string | undefined {
  return typeof option === 'function' ? idBy('runId', option, execution) : option
}

/**
 * What a function of the application says the id of a call is; undefined leaves it to the limits.
 *
 * One that throws, or gives a promise, counts as one without an answer: the tool has worked, and must not fail for want of
 * an id.
 */
export function idBy<Execution>(
  name: string,
  option: (execution: Execution) => string | undefined,
  execution: Execution,
): string | undefined {
  let id: unknown
  try {
    id = option(execution)
  } catch {
    warnOfId(name, 'threw')
    return undefined
  }
  if (id === undefined || id === null || isId(id)) return id as string | undefined
  refuseAnswer(name, id)
  return undefined
}

/** Warns of an answer that is none. A promise may still reject, which then is nobody's. */
export function refuseAnswer(name: string, answer: unknown): void {
  new Promise((resolve) => resolve(answer)).then(ignore, ignore)
  const isLater = typeof (answer as { then?: unknown } | null)?.then === 'function'
  warnOfId(name, isLater ? 'gave a promise: it must not be async' : `gave ${describe(answer)}`)
}

function warnOfId(name: string, what: string): void {
  warnOnce('TOL_RUN_ID', `the ${name} function ${what}; the default id is used`)
}

const ignore = (): void => undefined
const isId = (value: unknown): boolean =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint'
