import type { FallbackReason, OverflowStore, StoreOptions } from 'tool-output-limits'
import { expectOptions } from '../shared/expect.js'
import { prefixOf } from '../shared/object-store.js'
import { storeFailure, throwIfAborted, unknownHandle } from '../shared/store-errors.js'
import { addressed, isAddressed } from '../shared/store-handles.js'

interface CallOptions {
  abortSignal?: AbortSignal
}
interface Place {
  Bucket: string
  Key: string
}

/** What an `S3` client of `@aws-sdk/client-s3` has, as far as it is used. */
export interface S3Like {
  // As methods, for the client's own types are narrower.
  putObject(input: Place & { Body: Uint8Array; ContentType: string }, options?: CallOptions): Promise<unknown>
  getObject(
    input: Place & { Range?: string },
    options?: CallOptions,
  ): Promise<{ Body?: { transformToByteArray(): Promise<Uint8Array> } | undefined }>
  headObject(input: Place, options?: CallOptions): Promise<{ ContentLength?: number | undefined }>
  deleteObject(input: Place, options?: CallOptions): Promise<unknown>
}

export interface S3StoreOptions {
  /** `new S3({ … })` of `@aws-sdk/client-s3` (not `S3Client`, which has no methods). Its lifetime is yours. */
  client: S3Like
  bucket: string
  /** Where in the bucket. Default: `tool-output-limits/`. */
  prefix?: string | undefined
}

/**
 * Results as objects of S3 or whatever speaks its protocol. Pages are read by range.
 *
 * Old objects are the business of a lifecycle rule on the prefix. Without the right to list the bucket S3 answers a
 * missing object with 403, and an unknown handle then reads as a store that is unavailable.
 *
 * @throws TypeError when an option is missing or of no use.
 */
export class S3Store implements OverflowStore {
  readonly #client: S3Like
  readonly #bucket: string
  readonly #prefix: string

  constructor(options: S3StoreOptions) {
    const {
      client,
      bucket,
      prefix = 'tool-output-limits/',
    } = expectOptions(options, { client: true, bucket: true, prefix: true }, 'S3Store')
    if (typeof client?.getObject !== 'function' || typeof client.putObject !== 'function') {
      throw new TypeError('S3Store: the option client must be an S3 of @aws-sdk/client-s3')
    }
    if (typeof bucket !== 'string' || bucket === '') throw new TypeError('S3Store: bucket must be its name')
    this.#client = client
    this.#bucket = bucket
    this.#prefix = prefixOf('S3Store', prefix)
  }

  async write(key: string, data: Uint8Array, options?: StoreOptions): Promise<string> {
    const handle = addressed(key, data)
    const input = { ...this.#place(handle), Body: data, ContentType: 'application/octet-stream' }
    await this.#ask(options, (call) => this.#client.putObject(input, call))
    return handle
  }

  async read(handle: string, options?: StoreOptions): Promise<Uint8Array> {
    return this.#bytes(this.#known(handle), options)
  }

  async readRange(handle: string, start: number, end: number, options?: StoreOptions): Promise<Uint8Array> {
    const place = this.#known(handle)
    if (end <= start) return new Uint8Array(0)
    try {
      return await this.#bytes({ ...place, Range: `bytes=${start}-${end - 1}` }, options)
    } catch (error) {
      // Past the end there are no bytes.
      if ((error as { cause?: { name?: string } }).cause?.name === 'InvalidRange') return new Uint8Array(0)
      throw error
    }
  }

  async size(handle: string, options?: StoreOptions): Promise<number> {
    const place = this.#known(handle)
    const { ContentLength } = await this.#ask(options, (call) => this.#client.headObject(place, call))
    if (ContentLength === undefined) throw storeFailure('store_failed', 'S3 tells no size')
    return ContentLength
  }

  async delete(handle: string, options?: StoreOptions): Promise<void> {
    const place = this.#known(handle)
    // Deleting what is not there is no error in S3.
    await this.#ask(options, (call) => this.#client.headObject(place, call))
    await this.#ask(options, (call) => this.#client.deleteObject(place, call))
  }

  #place(handle: string): Place {
    return { Bucket: this.#bucket, Key: this.#prefix + handle }
  }

  #known(handle: string): Place {
    if (!isAddressed(handle)) throw unknownHandle()
    return this.#place(handle)
  }

  async #bytes(input: Place & { Range?: string }, options: StoreOptions | undefined): Promise<Uint8Array> {
    return this.#ask(options, async (call) => {
      const { Body } = await this.#client.getObject(input, call)
      return Body === undefined ? new Uint8Array(0) : Body.transformToByteArray()
    })
  }

  async #ask<T>(options: StoreOptions | undefined, work: (call: CallOptions) => Promise<T>): Promise<T> {
    const signal = options?.signal
    throwIfAborted(signal)
    try {
      return await work(signal === undefined ? {} : { abortSignal: signal })
    } catch (error) {
      const { name = '', $metadata } = error as { name?: string; $metadata?: { httpStatusCode?: number } }
      // The answer to HEAD has no body, and so no better name than this.
      if (name === 'NoSuchKey' || name === 'NotFound') throw unknownHandle()
      throw storeFailure(reasonOf(name, $metadata?.httpStatusCode), 'S3 failed', error)
    }
  }
}

function reasonOf(name: string, status: number | undefined): FallbackReason {
  if (name === 'EntityTooLarge') return 'too_large'
  if (name === 'QuotaExceeded' || status === 507) return 'store_full'
  return status === 401 || status === 403 ? 'store_denied' : 'store_failed'
}
