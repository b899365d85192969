import type { FallbackReason, OverflowStore } from '../index.js'
import type { Answer } from '../native.cjs'
import { bytesView, isBytes } from './bytes.js'
import { callNow, settle } from './callbacks.js'

/** What this process knows of a result in an application's store: its handle alone may not tell. */
export interface KnownResult {
  /** The key it was written under; the store may have named it otherwise. */
  readonly key: string
  readonly runId: string | undefined
  readonly bytes: number
}

/** Results that are remembered for a store. */
const REMEMBERED = 256

const memories = new WeakMap<OverflowStore, Map<string, KnownResult>>()

/** What is known of a handle of a store. */
export function known(store: OverflowStore, handle: string): KnownResult | undefined {
  return memories.get(store)?.get(handle)
}

function remember(store: OverflowStore, handle: string, result: KnownResult): void {
  let memory = memories.get(store)
  if (memory === undefined) {
    memory = new Map()
    memories.set(store, memory)
  }
  memory.delete(handle)
  memory.set(handle, result)
  const oldest = memory.keys().next()
  if (memory.size > REMEMBERED && !oldest.done) memory.delete(oldest.value)
}

/** Writes to a store of the application, within its time limit. */
export async function writeTo(
  store: OverflowStore,
  key: string,
  bytes: Uint8Array,
  call: { readonly runId: string | undefined; readonly signal: AbortSignal | undefined; readonly timeoutMs: number },
): Promise<{ readonly answer: Answer; readonly isNew: boolean }> {
  const failed = (reason: FallbackReason) => ({ answer: { reason }, isNew: false })
  const size = bytes.byteLength
  let isLate = false
  const written = Promise.resolve().then(() => store.write(key, bytes, { signal: call.signal }))
  const wasKnown = (handle: string) => known(store, handle) !== undefined
  // A copy that arrives when nobody waits for it any more would be one that no handle names.
  const undoLate = (handle: unknown) => {
    if (isLate && isHandle(handle) && !wasKnown(handle)) return undoWrite(store, handle, call.timeoutMs)
  }
  written.then(undoLate).catch(() => {})
  const outcome = await settle(() => written, call.timeoutMs, call.signal)
  if (!outcome.ok) {
    isLate = outcome.why !== 'threw'
    if (outcome.why === 'timeout') return failed('store_timeout')
    return failed(outcome.why === 'aborted' ? 'aborted' : reasonOf(outcome.error))
  }
  const handle = outcome.value
  if (!isHandle(handle)) return failed('store_failed')
  const isNew = !wasKnown(handle)
  remember(store, handle, { key, runId: call.runId, bytes: size })
  const readInstruction = instructionOf(store, handle)
  return { answer: { handle, ...(readInstruction !== undefined && { readInstruction }) }, isNew }
}

/** Deletes what was just written, where the store can. */
export async function undoWrite(store: OverflowStore, handle: string, timeoutMs: number): Promise<void> {
  memories.get(store)?.delete(handle)
  if (typeof store.delete === 'function') await settle(() => store.delete?.(handle), timeoutMs)
}

function isHandle(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

function instructionOf(store: OverflowStore, handle: string): string | undefined {
  const answer = callNow<unknown>(() => store.readInstruction?.(handle))
  const instruction = 'value' in answer ? answer.value : undefined
  return typeof instruction === 'string' && instruction !== '' ? instruction : undefined
}

/** Whether another tool than the read tool reads the handles of a store. */
export function hasReadInstruction(store: OverflowStore): boolean {
  try {
    return typeof store.readInstruction === 'function'
  } catch {
    return false
  }
}

const REASONS: Record<string, FallbackReason> = {
  ENOSPC: 'store_full',
  EDQUOT: 'store_full',
  EACCES: 'store_denied',
  EPERM: 'store_denied',
  EROFS: 'store_denied',
  ELOOP: 'store_denied',
  ENOTDIR: 'store_denied',
  EFBIG: 'too_large',
}
const OWN_REASONS: readonly string[] = ['store_failed', 'store_full', 'store_denied', 'store_timeout', 'too_large']

/** Why a store failed: by the `reason` of our own errors, or by the code that Node's errors have. */
export function reasonOf(error: unknown): FallbackReason {
  try {
    const { reason, code } = error as { reason?: unknown; code?: unknown }
    if (typeof reason === 'string' && OWN_REASONS.includes(reason)) return reason as FallbackReason
    return (typeof code === 'string' ? REASONS[code] : undefined) ?? 'store_failed'
  } catch {
    return 'store_failed'
  }
}

/** A result as the engine reads it: whole, or in ranges that it asks for. */
export type Opened =
  | { readonly problem: 'unknown' | 'unavailable' }
  | { readonly whole: Uint8Array }
  | { readonly size: number }

/** Opens a handle of an application's store. */
export async function openIn(
  store: OverflowStore,
  handle: string,
  call: { readonly signal: AbortSignal | undefined; readonly timeoutMs: number },
): Promise<Opened> {
  const written = known(store, handle)?.bytes
  if (typeof store.readRange === 'function' && typeof store.size === 'function') {
    const size = await settle(() => store.size?.(handle, { signal: call.signal }), call.timeoutMs, call.signal)
    if (!size.ok) return { problem: isUnknown(size) ? 'unknown' : 'unavailable' }
    // A store that lies about the size is read as a whole, and its bytes are counted.
    if (isSize(size.value) && (written === undefined || written === size.value)) return { size: size.value }
    if (size.value === null || size.value === undefined) return { problem: 'unknown' }
  }
  const cached = cachedWhole(store, handle)
  if (cached !== undefined) return { whole: cached }
  const read = await settle(() => store.read(handle, { signal: call.signal }), call.timeoutMs, call.signal)
  if (!read.ok) return { problem: isUnknown(read) ? 'unknown' : 'unavailable' }
  if (read.value === null || read.value === undefined) return { problem: 'unknown' }
  if (!isBytes(read.value)) return { problem: 'unavailable' }
  const whole = bytesView(read.value)
  if (written !== undefined && written !== whole.byteLength) return { problem: 'unavailable' }
  keepWhole(store, handle, whole)
  return { whole }
}

/** Reads a range for the engine. */
export async function rangeOf(
  store: OverflowStore,
  handle: string,
  start: number,
  end: number,
  call: { readonly signal: AbortSignal | undefined; readonly timeoutMs: number },
): Promise<Answer> {
  const range = await settle(
    () => store.readRange?.(handle, start, end, { signal: call.signal }),
    call.timeoutMs,
    call.signal,
  )
  if (!range.ok || !isBytes(range.value)) return {}
  const bytes = bytesView(range.value)
  return bytes.byteLength === end - start ? { bytes: Uint8Array.from(bytes) } : {}
}

function isUnknown(outcome: { readonly why: string; readonly error?: unknown }): boolean {
  try {
    return outcome.why === 'threw' && (outcome.error as { code?: unknown }).code === 'ENOENT'
  } catch {
    return false
  }
}

function isSize(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

// ---- results of stores that have only `read`, kept for the next page ----

const KEPT_RESULTS = 4
const KEPT_BYTES = 64 << 20
const KEPT_MS = 10_000

interface Whole {
  readonly bytes: Uint8Array
  readonly since: number
}
const wholes = new WeakMap<OverflowStore, Map<string, Whole>>()

function cachedWhole(store: OverflowStore, handle: string): Uint8Array | undefined {
  const whole = wholes.get(store)?.get(handle)
  return whole !== undefined && performance.now() - whole.since < KEPT_MS ? whole.bytes : undefined
}

function keepWhole(store: OverflowStore, handle: string, bytes: Uint8Array): void {
  let cache = wholes.get(store)
  if (cache === undefined) {
    cache = new Map()
    wholes.set(store, cache)
  }
  cache.delete(handle)
  cache.set(handle, { bytes, since: performance.now() })
  let held = 0
  for (const whole of cache.values()) held += whole.bytes.byteLength
  for (const [oldest, whole] of cache) {
    if (held <= KEPT_BYTES && cache.size <= KEPT_RESULTS) break
    cache.delete(oldest)
    held -= whole.bytes.byteLength
  }
}
