import type { OverflowStore, StoreOptions } from 'tool-output-limits'
import { expectOptions } from './expect.js'
import { storeFailure, throwIfAborted, unknownHandle } from './store-errors.js'
import { addressed, isAddressed } from './store-handles.js'

/** Bytes of a chunk: small enough for most key-value stores (a third more as base64), large enough to page quickly. */
const CHUNK_BYTES = 256 * 1024
/** Chunks on their way at once. */
const CONCURRENT = 4
const MANIFEST = /^chunks ([0-9]{1,15}) ([0-9]{1,9})$/
const CHUNK = 'base64 '

/**
 * A key-value store of strings, such as a `Map`. Answers may be promises. `get` gives undefined or null for what is not there, and
 * throws or rejects where it cannot tell.
 */
export interface StringMap {
  get(key: string): unknown
  set(key: string, value: string): unknown
  delete(key: string): unknown
}

export interface ChunkedStoreOptions {
  /** Bytes of a result in one value, which takes a third more as base64. Default: 262,144. */
  chunkBytes?: number | undefined
}

interface Manifest {
  readonly size: number
  readonly chunkBytes: number
}

/**
 * Results over any key-value store, in chunks, so that a page loads only the chunks it needs and no value grows past what
 * the store takes. A result is announced when all its chunks are there: one cut off in the middle has no handle.
 *
 * @throws TypeError when `strings` lacks a method, RangeError when `chunkBytes` is no whole number above 0.
 */
export class ChunkedStore implements OverflowStore {
  readonly #strings: StringMap
  readonly #chunkBytes: number

  constructor(strings: StringMap, options: ChunkedStoreOptions = {}) {
    const { chunkBytes = CHUNK_BYTES } = expectOptions(options, { chunkBytes: true }, 'ChunkedStore')
    for (const method of ['get', 'set', 'delete'] as const) {
      if (typeof strings?.[method] !== 'function') throw new TypeError(`ChunkedStore: ${method} must be a function`)
    }
    if (!Number.isSafeInteger(chunkBytes) || chunkBytes < 1) {
      throw new RangeError('ChunkedStore: chunkBytes must be a whole number above 0')
    }
    this.#strings = strings
    this.#chunkBytes = chunkBytes
  }

  async write(key: string, data: Uint8Array, options?: StoreOptions): Promise<string> {
    const handle = addressed(key, data)
    const buffer = Buffer.from(data.buffer, data.byteOffset, data.byteLength)
    const size = this.#chunkBytes
    await each(Math.ceil(data.byteLength / size), async (n) => {
      throwIfAborted(options?.signal)
      const part = buffer.subarray(n * size, (n + 1) * size)
      await this.#strings.set(chunkKey(handle, n), CHUNK + part.toString('base64'))
    })
    throwIfAborted(options?.signal)
    await this.#strings.set(handle, `chunks ${data.byteLength} ${size}`)
    return handle
  }

  async read(handle: string, options?: StoreOptions): Promise<Uint8Array> {
    const manifest = await this.#manifest(handle)
    return this.#range(handle, manifest, 0, manifest.size, options)
  }

  async readRange(handle: string, start: number, end: number, options?: StoreOptions): Promise<Uint8Array> {
    return this.#range(handle, await this.#manifest(handle), start, end, options)
  }

  async size(handle: string): Promise<number> {
    return (await this.#manifest(handle)).size
  }

  async delete(handle: string): Promise<void> {
    const { size, chunkBytes } = await this.#manifest(handle)
    await this.#strings.delete(handle)
    await each(Math.ceil(size / chunkBytes), async (n) => {
      await this.#strings.delete(chunkKey(handle, n))
    })
  }

  async #manifest(handle: string): Promise<Manifest> {
    const value = isAddressed(handle) ? await this.#strings.get(handle) : undefined
    if (value === undefined || value === null) throw unknownHandle()
    const [, size, chunkBytes] = MANIFEST.exec(String(value)) ?? []
    if (size === undefined || !(Number(chunkBytes) > 0))
      throw storeFailure('store_failed', 'the stored result is damaged')
    return { size: Number(size), chunkBytes: Number(chunkBytes) }
  }

  async #range(handle: string, manifest: Manifest, start: number, end: number, options?: StoreOptions) {
    const { size, chunkBytes } = manifest
    const from = Math.max(0, Math.min(start, size))
    const to = Math.max(from, Math.min(end, size))
    const bytes = new Uint8Array(to - from)
    if (from === to) return bytes
    const first = Math.floor(from / chunkBytes)
    const last = Math.floor((to - 1) / chunkBytes)
    await each(last - first + 1, async (at) => {
      throwIfAborted(options?.signal)
      const n = first + at
      const offset = n * chunkBytes
      const chunk = await this.#chunk(chunkKey(handle, n), Math.min(chunkBytes, size - offset))
      const part = chunk.subarray(Math.max(0, from - offset), Math.min(chunk.byteLength, to - offset))
      bytes.set(part, Math.max(0, offset - from))
    })
    return bytes
  }

  async #chunk(key: string, length: number): Promise<Uint8Array> {
    const value = await this.#strings.get(key)
    // One chunk expired or was evicted: then the result is gone, and only its announcement is left.
    if (value === undefined || value === null) throw unknownHandle()
    const chunk =
      typeof value === 'string' && value.startsWith(CHUNK)
        ? Buffer.from(value.slice(CHUNK.length), 'base64')
        : undefined
    if (chunk?.byteLength !== length) throw storeFailure('store_failed', 'the stored result is damaged')
    return chunk
  }
}

/** Not below the manifest: where keys become paths, it is a file already. No handle, for it does not end in the digits alone. */
function chunkKey(handle: string, n: number): string {
  return `${handle}.part${n}`
}

/** Does some work for 0 … count - 1, a few at a time; ends at the first failure, when what was begun is done. */
async function each(count: number, work: (n: number) => Promise<void>): Promise<void> {
  let next = 0
  let isFailed = false
  const worker = async () => {
    while (next < count && !isFailed) {
      try {
        await work(next++)
      } catch (error) {
        isFailed = true
        throw error
      }
    }
  }
  const done = await Promise.allSettled(Array.from({ length: Math.min(CONCURRENT, count) }, worker))
  const failed = done.find((outcome) => outcome.status === 'rejected')
  if (failed !== undefined) throw failed.reason
}
