import type { FallbackReason } from 'tool-output-limits'

/** What a store says of a handle that names nothing: by the code, reading tells it from a store that is down. */
export function unknownHandle(): Error {
  return Object.assign(new Error('no stored result has this handle'), { code: 'ENOENT' })
}

/** A failure with the reason that the spill reports. Its text names no key, place or credential. */
export function storeFailure(reason: FallbackReason, message: string, cause?: unknown): Error {
  return Object.assign(new Error(message, { cause }), { reason })
}

/** Refuses to begin what nobody waits for any more. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw storeFailure('aborted', 'the call was aborted', signal.reason)
}
