import type { OverflowStore, StoreOptions } from 'tool-output-limits'
import { aString, expectOptions } from '../shared/expect.js'
import { prefixOf } from '../shared/object-store.js'
import { storeFailure, throwIfAborted, unknownHandle } from '../shared/store-errors.js'
import { addressed, isAddressed } from '../shared/store-handles.js'

interface CallOptions {
  token?: string
  abortSignal?: AbortSignal
}

/** The functions of `@vercel/blob` (2.x) that are used: `import * as blob from '@vercel/blob'`. */
export interface VercelBlobLike {
  put(
    pathname: string,
    body: Buffer,
    options: CallOptions & {
      access: 'private'
      addRandomSuffix: false
      allowOverwrite: true
      contentType: string
    },
  ): Promise<unknown>
  get(
    pathname: string,
    options: CallOptions & { access: 'private'; headers?: Record<string, string> },
  ): Promise<{ statusCode: number; stream: ReadableStream<Uint8Array> | null; headers: Headers } | null>
  head(pathname: string, options: CallOptions): Promise<{ size: number }>
  del(pathname: string, options: CallOptions): Promise<unknown>
}

export interface VercelBlobStoreOptions {
  /** The module `@vercel/blob`. */
  client: VercelBlobLike
  /** Token for reading and writing. Default: what the client finds in the environment. */
  token?: string | undefined
  /** Where in the store. Default: `tool-output-limits/`. */
  prefix?: string | undefined
}

/**
 * Results as private blobs of Vercel. A range is asked for; where the whole is sent all the same, its other bytes are
 * left out.
 *
 * @throws TypeError when an option is missing or of no use.
 */
export class VercelBlobStore implements OverflowStore {
  readonly #client: VercelBlobLike
  readonly #token: string | undefined
  readonly #prefix: string

  constructor(options: VercelBlobStoreOptions) {
    const {
      client,
      token,
      prefix = 'tool-output-limits/',
    } = expectOptions(options, { client: true, token: aString, prefix: true }, 'VercelBlobStore')
    if (typeof client?.put !== 'function' || typeof client.get !== 'function' || typeof client.head !== 'function') {
      throw new TypeError('VercelBlobStore: the option client must be the module @vercel/blob, 2.x')
    }
    this.#client = client
    this.#token = token
    this.#prefix = prefixOf('VercelBlobStore', prefix)
  }

  async write(key: string, data: Uint8Array, options?: StoreOptions): Promise<string> {
    const handle = addressed(key, data)
    const body = Buffer.from(data.buffer, data.byteOffset, data.byteLength)
    const how = { access: 'private', addRandomSuffix: false, allowOverwrite: true } as const
    await this.#ask(options, (call) =>
      this.#client.put(this.#prefix + handle, body, { ...call, ...how, contentType: 'application/octet-stream' }),
    )
    return handle
  }

  async read(handle: string, options?: StoreOptions): Promise<Uint8Array> {
    const pathname = this.#known(handle)
    return this.#ask(options, async (call) => bytesOf(await this.#client.get(pathname, { ...call, access: 'private' })))
  }

  async readRange(handle: string, start: number, end: number, options?: StoreOptions): Promise<Uint8Array> {
    const pathname = this.#known(handle)
    if (end <= start) return new Uint8Array(0)
    const headers = { range: `bytes=${start}-${end - 1}` }
    return this.#ask(options, async (call) => {
      const answer = await this.#client.get(pathname, { ...call, access: 'private', headers })
      const bytes = await bytesOf(answer)
      return answer?.headers.has('content-range') ? bytes : bytes.subarray(start, end)
    })
  }

  async size(handle: string, options?: StoreOptions): Promise<number> {
    const pathname = this.#known(handle)
    return (await this.#ask(options, (call) => this.#client.head(pathname, call))).size
  }

  async delete(handle: string, options?: StoreOptions): Promise<void> {
    await this.size(handle, options)
    await this.#ask(options, (call) => this.#client.del(this.#prefix + handle, call))
  }

  #known(handle: string): string {
    if (!isAddressed(handle)) throw unknownHandle()
    return this.#prefix + handle
  }

  async #ask<T>(options: StoreOptions | undefined, work: (call: CallOptions) => Promise<T>): Promise<T> {
    const signal = options?.signal
    throwIfAborted(signal)
    try {
      const token = this.#token
      return await work({ ...(token !== undefined && { token }), ...(signal !== undefined && { abortSignal: signal }) })
    } catch (error) {
      const {
        name,
        code,
        constructor: made,
      } = error as { name?: string; code?: string; constructor?: { name?: string } }
      // The client's errors are told apart by their class alone.
      const kind = made?.name ?? name
      if (code === 'ENOENT' || kind === 'BlobNotFoundError') throw unknownHandle()
      const isDenied = kind === 'BlobAccessError' || kind === 'BlobStoreSuspendedError'
      throw storeFailure(isDenied ? 'store_denied' : 'store_failed', 'Vercel Blob failed', error)
    }
  }
}

async function bytesOf(answer: { stream: ReadableStream<Uint8Array> | null } | null): Promise<Uint8Array> {
  if (answer === null || answer.stream === null) throw unknownHandle()
  return new Uint8Array(await new Response(answer.stream).arrayBuffer())
}
