import type { OverflowStore } from 'tool-output-limits'
import { ChunkedStore } from '../shared/chunked-store.js'
import { expectOptions } from '../shared/expect.js'
import { storeFailure } from '../shared/store-errors.js'

/** What a `Keyv` instance has, as far as it is used. */
export interface KeyvLike {
  get(key: string): Promise<unknown>
  set(key: string, value: string, ttl?: number): Promise<unknown>
  delete(key: string): Promise<unknown>
  on(event: 'error', listener: (error: unknown) => void): unknown
  throwOnErrors?: boolean
}

export interface KeyvStoreOptions {
  /** The instance: `new Keyv(new KeyvRedis(url), { namespace: 'tool-output' })`. Its lifetime is yours. */
  keyv: KeyvLike
  /** Milliseconds until a result expires. Default: the instance's own `ttl`, or never. */
  ttlMs?: number | undefined
}

/**
 * Results in any backend of Keyv: Redis, Valkey, Postgres, etcd and so on.
 *
 * Keyv reports many failures as an `error` event and answers as if a key were missing. Here an event in the time of an
 * operation makes it fail, and `throwOnErrors` is set on the instance (give the store one of its own), so that a backend
 * that is down is never taken for an unknown handle.
 *
 * @throws TypeError when `keyv` is no Keyv, RangeError when `ttlMs` is not positive and finite.
 */
export class KeyvStore extends ChunkedStore implements OverflowStore {
  constructor(options: KeyvStoreOptions) {
    const { keyv, ttlMs } = expectOptions(options, { keyv: true, ttlMs: true }, 'KeyvStore')
    if (typeof keyv?.get !== 'function' || typeof keyv.set !== 'function' || typeof keyv.delete !== 'function') {
      throw new TypeError('KeyvStore: the option keyv must be a Keyv instance')
    }
    if (ttlMs !== undefined && !(ttlMs > 0 && Number.isFinite(ttlMs))) {
      throw new RangeError('KeyvStore: ttlMs must be a positive number of milliseconds')
    }
    if ('throwOnErrors' in keyv) keyv.throwOnErrors = true
    let failures = 0
    let last: unknown
    keyv.on?.('error', (error) => {
      failures++
      last = error
    })
    const watched = async <T>(work: () => Promise<T>): Promise<T> => {
      const before = failures
      const value = await work()
      if (failures !== before) throw storeFailure('store_failed', 'the Keyv backend failed', last)
      return value
    }
    super({
      get: (key) => watched(() => keyv.get(key)),
      set: async (key, value) => {
        const isStored = await watched(() => keyv.set(key, value, ttlMs))
        if (isStored === false) throw storeFailure('store_failed', 'the Keyv backend did not store the value')
      },
      delete: async (key) => void (await watched(() => keyv.delete(key))),
    })
  }
}
