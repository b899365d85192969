import { describe } from '../../common/describe.js'
import type { Rule } from './expect.js'
import { isThenable } from './thenable.js'
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

/** What a function of the application says the id of a call is; undefined leaves it to the limits. */
export function idBy<Execution>(
  name: string,
  option: (execution: Execution) => string | undefined,
  execution: Execution,
): string | undefined {
  const idOf = (answer: unknown) => (isId(answer) ? (answer as string) : undefined)
  return answerOf(name, () => option(execution), idOf)
}

/**
 * What a function of the application answers when it is asked for the ids of a call. `taken`: the answer as it is used,
 * undefined for one that is none.
 *
 * One that throws, or gives a promise, counts as one without an answer: the tool works, and must not fail for want of an
 * id.
 */
export function answerOf<Answer>(
  name: string,
  ask: () => unknown,
  taken: (answer: unknown) => Answer | undefined,
): Answer | undefined {
  try {
    const answer = ask()
    if (answer === undefined || answer === null) return undefined
    const used = taken(answer)
    if (used === undefined) warnOfId(name, `gave ${isThenable(answer) ? disowned(answer) : describe(answer)}`)
    return used
  } catch {
    warnOfId(name, 'threw')
    return undefined
  }
}

/** What a message says of a promise that nobody waits for. It may still reject, which then is nobody's. */
export function disowned(promise: unknown): string {
  new Promise((resolve) => resolve(promise)).then(ignore, ignore)
  return 'a promise: it must not be async'
}

function warnOfId(name: string, what: string): void {
  warnOnce('TOL_CALL_ID', `the ${name} function ${what}; the default id is used`)
}

const ignore = (): void => undefined
const isId = (value: unknown): boolean =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint'
