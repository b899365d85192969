import type { FallbackReason, OverflowStore } from '../index.js'
import type { Answer } from '../native.cjs'
import { isAborted } from './abort.js'
import { bytesView, isBytes } from './bytes.js'
import { callNow, settle } from './callbacks.js'
import { keptOf } from './kept-results.js'

/** What this process knows of a result in an application's store: its handle alone may not tell. */
export interface KnownResult {
  /** The key it was written under; the store may have named it otherwise. */
  readonly key: string
  /** The runs that stored it: of the same bytes some stores make one result, whoever writes them. */
  readonly runs: ReadonlySet<string>
  readonly bytes: number
  /** Which write of this process it was: what was learnt of the handle before does not hold for it. */
  readonly write: number
}

/** Results that are remembered for a store, and the runs of each. */
const REMEMBERED = 256

const memories = new WeakMap<OverflowStore, Map<string, KnownResult>>()

/** What is known of a handle of a store. */
export function known(store: OverflowStore, handle: string): KnownResult | undefined {
  return memories.get(store)?.get(handle)
}

let writes = 0

function remember(store: OverflowStore, handle: string, key: string, runId: string, bytes: number): void {
  let memory = memories.get(store)
  if (memory === undefined) {
    memory = new Map()
    memories.set(store, memory)
  }
  const before = memory.get(handle)
  // The same bytes again are the same result.
  const same = before?.bytes === bytes ? before : undefined
  const others = [...(same?.runs ?? [])].filter((run) => run !== runId)
  const runs = new Set([...others, runId].slice(-REMEMBERED))
  memory.delete(handle)
  memory.set(handle, { key, runs, bytes, write: same?.write ?? ++writes })
  const oldest = memory.keys().next()
  if (memory.size > REMEMBERED && !oldest.done) memory.delete(oldest.value)
}

/** Writes to a store of the application, within its time limit. */
export async function writeTo(
  store: OverflowStore,
  key: string,
  bytes: Uint8Array,
  call: StoreCall & {
    readonly runId: string
    readonly threw: (reason: FallbackReason, error: unknown) => void
  },
): Promise<{ readonly answer: Answer; readonly isNew: boolean }> {
  const failed = (reason: FallbackReason) => ({ answer: { reason }, isNew: false })
  // Nothing is written that would have to be taken back at once.
  if (isAborted(call.signal)) return failed('aborted')
  const size = bytes.byteLength
  const written = Promise.resolve().then(() => store.write(key, bytes, { signal: call.signal }))
  // A handle that does not hold the key may be that of the same bytes from before, in a store that goes by them.
  const isNewHandle = (handle: string) => handle.includes(key) && known(store, handle) === undefined
  // A copy that arrives when nobody waits for it any more would be one that no handle names.
  const undoLate = (handle: unknown) => {
    if (isHandle(handle) && isNewHandle(handle)) return undoWrite(store, handle, call.timeoutMs)
  }
  const outcome = await settle(() => written, call.timeoutMs, call.signal)
  if (!outcome.ok) {
    if (outcome.why !== 'threw') written.then(undoLate).catch(() => {})
    if (outcome.why === 'timeout') return failed('store_timeout')
    if (outcome.why === 'aborted') return failed('aborted')
    const reason = reasonOf(outcome.error)
    call.threw(reason, outcome.error)
    return failed(reason)
  }
  const handle = outcome.value
  if (!isHandle(handle)) return failed('store_failed')
  const isNew = isNewHandle(handle)
  remember(store, handle, key, call.runId, size)
  const readInstruction = instructionOf(store, handle)
  return { answer: { handle, ...(readInstruction !== undefined && { readInstruction }) }, isNew }
}

/** Deletes what was just written, where the store can. */
export async function undoWrite(store: OverflowStore, handle: string, timeoutMs: number): Promise<void> {
  memories.get(store)?.delete(handle)
  keptOf(store).wholes.delete(handle)
  if (typeof store.delete === 'function') await settle(() => store.delete?.(handle), timeoutMs)
}

/** No handle has a lone surrogate: what a model is told would be another. */
function isHandle(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && !/\p{Surrogate}/u.test(value)
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
const OWN_REASONS: readonly string[] = [
  'store_failed',
  'store_full',
  'store_denied',
  'store_timeout',
  'too_large',
  'aborted',
]

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

/** A result as the engine reads it: its size, and a way to its bytes. */
export interface Opened {
  readonly size: number
  /** Tells the result from every other of this process, as long as its store keeps the contract. */
  readonly identity: { readonly store: number; readonly write: number }
  readonly range: (start: number, end: number) => Promise<Answer>
}

interface StoreCall {
  readonly signal: AbortSignal | undefined
  readonly timeoutMs: number
}

/** Opens a handle of an application's store. */
export async function openIn(
  store: OverflowStore,
  handle: string,
  call: StoreCall,
): Promise<Opened | { readonly problem: 'unknown' | 'unavailable' }> {
  const { bytes: written, write = 0 } = known(store, handle) ?? {}
  const { wholes, number } = keptOf(store)
  const identity = { store: number, write }
  if (typeof store.readRange === 'function' && typeof store.size === 'function') {
    const answer = await settle(() => store.size?.(handle, { signal: call.signal }), call.timeoutMs, call.signal)
    if (!answer.ok) return { problem: isUnknown(answer) ? 'unknown' : 'unavailable' }
    const size = answer.value
    // A store that lies about the size is read as a whole, and its bytes are counted.
    if (isSize(size) && (written === undefined || written === size)) {
      return { size, identity, range: (start, end) => rangeOf(store, handle, { size, write }, start, end, call) }
    }
    if (size === null || size === undefined) return { problem: 'unknown' }
  }
  let whole = wholes.get(handle)
  if (whole === undefined || (written !== undefined && written !== whole.byteLength)) {
    const read = await settle(() => store.read(handle, { signal: call.signal }), call.timeoutMs, call.signal)
    if (!read.ok) return { problem: isUnknown(read) ? 'unknown' : 'unavailable' }
    if (read.value === null || read.value === undefined) return { problem: 'unknown' }
    if (!isBytes(read.value)) return { problem: 'unavailable' }
    // A copy: what the store gave may be its own memory.
    whole = Uint8Array.from(bytesView(read.value))
    if (written !== undefined && written !== whole.byteLength) return { problem: 'unavailable' }
    wholes.put(handle, whole)
  }
  const bytes = whole
  return { size: bytes.byteLength, identity, range: async (start, end) => ({ bytes: bytes.slice(start, end) }) }
}

/**
 * What is fetched at a time, in bytes: the engine asks for the text in small steps, each of which would be a request. A
 * page lies in one block or two, and so do the pages after it.
 */
const BLOCK = 1 << 20

/** Reads a range through whole blocks, of which some are kept. */
async function rangeOf(
  store: OverflowStore,
  handle: string,
  { size, write }: { readonly size: number; readonly write: number },
  start: number,
  end: number,
  call: StoreCall,
): Promise<Answer> {
  const { blocks } = keptOf(store)
  const bytes = new Uint8Array(end - start)
  for (let at = start; at < end; ) {
    const first = at - (at % BLOCK)
    const name = `${write} ${size} ${first} ${handle}`
    let block = blocks.get(name)
    if (block === undefined) {
      const fresh = await fetched(store, handle, first, Math.min(first + BLOCK, size), call)
      if ('problem' in fresh) return { reason: fresh.problem }
      block = fresh.bytes
      blocks.put(name, block)
    }
    const part = block.subarray(at - first, end - first)
    if (part.byteLength === 0) return {}
    bytes.set(part, at - start)
    at += part.byteLength
  }
  return { bytes }
}

async function fetched(store: OverflowStore, handle: string, start: number, end: number, call: StoreCall) {
  const range = await settle(
    () => store.readRange?.(handle, start, end, { signal: call.signal }),
    call.timeoutMs,
    call.signal,
  )
  // Gone since it was opened, or in part: what expires does so piece by piece.
  if (range.ok ? range.value === null || range.value === undefined : isUnknown(range)) return { problem: 'unknown' }
  if (!range.ok || !isBytes(range.value)) return { problem: 'unavailable' }
  const bytes = bytesView(range.value)
  // A copy: what the store gave may be its own memory.
  return bytes.byteLength === end - start ? { bytes: Uint8Array.from(bytes) } : { problem: 'unavailable' }
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
