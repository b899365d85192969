/** What happens when a signal fires, for everyone who waits for it. */
interface Waiting {
  /** Held here while someone waits: an `AbortSignal.timeout()` that only a composite signal refers to is collected. */
  readonly signal: AbortSignal
  /** What our one listener is on. */
  readonly followed: AbortSignal
  readonly callbacks: Set<() => void>
  readonly listener: () => void
}

const known = new WeakMap<object, Waiting>()

/** Whether a signal has fired. What only pretends to be a signal has not. */
export function isAborted(signal: AbortSignal | undefined): boolean {
  try {
    return signal?.aborted === true
  } catch {
    return false
  }
}

/**
 * Calls `callback` once, when the signal fires, or in a microtask where it already has. Returns a function that takes
 * the callback back.
 *
 * Hosts share one signal over all calls of a run, and Node warns of the eleventh listener on it. Here it gets one,
 * however many wait.
 */
export function onAbort(signal: AbortSignal | undefined, callback: () => void): () => void {
  // Two waiters may pass the same function.
  const call = () => callback()
  if (isAborted(signal)) return soon(call)
  const waiting = signal === undefined ? undefined : waitingFor(signal)
  if (waiting === undefined) return () => {}
  waiting.callbacks.add(call)
  if (waiting.callbacks.size === 1) listen(waiting)
  return () => {
    if (waiting.callbacks.delete(call) && waiting.callbacks.size === 0) unlisten(waiting)
  }
}

function soon(callback: () => void): () => void {
  let isWanted = true
  queueMicrotask(() => {
    if (isWanted) quietly(callback)
  })
  return () => {
    isWanted = false
  }
}

function waitingFor(signal: AbortSignal): Waiting | undefined {
  if (signal === null || typeof signal !== 'object') return undefined
  const before = known.get(signal)
  if (before !== undefined) return before
  const callbacks = new Set<() => void>()
  const waiting: Waiting = {
    signal,
    followed: followerOf(signal),
    callbacks,
    listener() {
      const fired = [...callbacks]
      callbacks.clear()
      unlisten(waiting)
      for (const callback of fired) quietly(callback)
    },
  }
  known.set(signal, waiting)
  return waiting
}

/**
 * A signal that fires with another without being a listener on it; the other itself where Node cannot make one: before
 * 20.3, and of a polyfill, which `AbortSignal.any` accepts and then never follows.
 */
function followerOf(signal: AbortSignal): AbortSignal {
  try {
    return signal instanceof AbortSignal ? AbortSignal.any([signal]) : signal
  } catch {
    return signal
  }
}

function listen(waiting: Waiting): void {
  quietly(() => waiting.followed.addEventListener('abort', waiting.listener))
}

function unlisten(waiting: Waiting): void {
  quietly(() => waiting.followed.removeEventListener('abort', waiting.listener))
}

/** Whatever a foreign signal or a waiter throws is no reason for the others not to be called. */
function quietly(action: () => void): void {
  try {
    action()
  } catch {
    // not ours
  }
}
