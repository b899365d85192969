import type { OverflowStore } from 'tool-output-limits'
import { ChunkedStore } from '../shared/chunked-store.js'
import { expectOptions } from '../shared/expect.js'

/** What a storage of unstorage has, as far as it is used. */
export interface UnstorageLike {
  getItem(key: string): Promise<unknown>
  setItem(key: string, value: string): Promise<void>
  removeItem(key: string): Promise<void>
}

export interface UnstorageStoreOptions {
  /** The storage: `createStorage({ driver })`, or a part of one: `prefixStorage(storage, 'tool-output')`. */
  storage: UnstorageLike
}

/**
 * Results in any driver of unstorage.
 *
 * @throws TypeError when `storage` is none.
 */
export class UnstorageStore extends ChunkedStore implements OverflowStore {
  constructor(options: UnstorageStoreOptions) {
    const { storage } = expectOptions(options, { storage: true }, 'UnstorageStore')
    if (typeof storage?.getItem !== 'function' || typeof storage.setItem !== 'function') {
      throw new TypeError('UnstorageStore: the option storage must be a storage of unstorage')
    }
    super({
      get: (key) => storage.getItem(key),
      set: (key, value) => storage.setItem(key, value),
      delete: (key) => storage.removeItem(key),
    })
  }
}
