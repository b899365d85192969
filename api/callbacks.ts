import { isAborted, onAbort } from './abort.js'

/** How a call of an application's function ended. */
export type Outcome<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly why: 'threw'; readonly error: unknown }
  | { readonly ok: false; readonly why: 'timeout' | 'aborted'; readonly error?: undefined }

/** What a function did at the moment it was called. */
export type Answer<T> =
  | { readonly value: T }
  | { readonly later: Promise<T> }
  /** What it threw, which may be undefined: look for the key. */
  | { readonly threw: unknown }

/** The longest delay of a timer; above it Node fires at once. */
const MAX_DELAY_MS = 2 ** 31 - 1

/**
 * Calls `f` now. Every object counts as an answer that comes later, for only waiting for it tells whether it is a
 * promise without asking for its `then` twice. Nobody has to wait for it: a rejection is never an unhandled one.
 */
export function callNow<T>(f: () => T | PromiseLike<T>): Answer<T> {
  try {
    const value = f()
    if (!isObject(value)) return { value: value as T }
    const later = new Promise<T>((resolve) => resolve(value))
    // Its handlers give nothing, for a value with a `then` would be asked for it once more.
    later.then(
      () => {},
      () => {},
    )
    return { later }
  } catch (error) {
    return { threw: error }
  }
}

/**
 * Calls `f` and waits for its answer. Always resolves: with the value, or with why there is none. A signal that has
 * fired before keeps `f` from being called. What arrives after the outcome is ignored and never an unhandled rejection.
 */
export function settle<T>(f: () => T | PromiseLike<T>, timeoutMs: number, signal?: AbortSignal): Promise<Outcome<T>> {
  if (isAborted(signal)) return Promise.resolve({ ok: false, why: 'aborted' })
  return settleAnswer(callNow(f), timeoutMs, signal)
}

/** Waits, as `settle` does, for what `callNow` gave. */
export function settleAnswer<T>(answer: Answer<T>, timeoutMs: number, signal?: AbortSignal): Promise<Outcome<T>> {
  if ('value' in answer) return Promise.resolve({ ok: true, value: answer.value })
  if ('threw' in answer) return Promise.resolve({ ok: false, why: 'threw', error: answer.threw })
  return new Promise((resolve) => {
    let forget = () => {}
    const finish = (outcome: Outcome<T>) => {
      clearTimeout(timer)
      forget()
      resolve(outcome)
    }
    const timer = setTimeout(() => finish({ ok: false, why: 'timeout' }), Math.min(timeoutMs, MAX_DELAY_MS))
    forget = onAbort(signal, () => finish({ ok: false, why: 'aborted' }))
    answer.later.then(
      // In a box of its own, for a value with a `then` would be awaited once more.
      (value) => finish({ ok: true, value }),
      (error) => finish({ ok: false, why: 'threw', error }),
    )
  })
}

/** Tells a sink of the application about an event. What the sink does, throws or rejects with is its own business. */
export function notify<E>(sink: ((event: E) => unknown) | undefined, event: E): void {
  if (sink !== undefined) callNow(() => sink(event))
}

function isObject(value: unknown): boolean {
  return (typeof value === 'object' && value !== null) || typeof value === 'function'
}
