import { describe } from '../common/describe.js'
import type { LocalFileStoreOptions, MemoryStoreOptions, OverflowStore, PruneOptions, StoreOptions } from '../index.js'
import type {
  NativeLocalOptions,
  NativeLocalStore,
  NativeMemoryOptions,
  NativeMemoryStore,
  NativeStored,
} from '../native.cjs'
import { isAborted, onAbort } from './abort.js'
import { bytesView, isBytes } from './bytes.js'
import { checkMemoryStoreOptions, checkPruneOptions, checkStoreOptions } from './check.js'
import { native } from './native.js'
import { StoreError } from './store-error.js'

/** A store of the engine's own. */
interface BuiltIn {
  readonly local?: NativeLocalStore
  readonly memory?: NativeMemoryStore
}

const builtIns = new WeakMap<OverflowStore, BuiltIn>()
const NONE: BuiltIn = {}

/** The engine's side of a store; empty for a store of the application, subclasses of ours included. */
export function builtInStore(store: OverflowStore): BuiltIn {
  return builtIns.get(store) ?? NONE
}

let ofDefaultRoot: LocalFileStore | undefined

/** The store in the default place, one for all instances. */
export function defaultStore(): OverflowStore {
  ofDefaultRoot ??= new LocalFileStore()
  return ofDefaultRoot
}

/** What both stores of the engine do in the same way. */
abstract class EngineStore implements OverflowStore {
  readonly #native: NativeLocalStore | NativeMemoryStore

  constructor(store: NativeLocalStore | NativeMemoryStore) {
    this.#native = store
  }

  async write(key: string, data: Uint8Array, options?: StoreOptions): Promise<string> {
    if (typeof key !== 'string') throw new TypeError(`write: key must be a string, got ${describe(key)}`)
    if (!isBytes(data)) throw new TypeError(`write: data must be bytes, got ${describe(data)}`)
    const abort = new native.NativeAbort()
    if (isAborted(options?.signal)) abort.set()
    const forget = onAbort(options?.signal, () => abort.set())
    try {
      return handleOf(await this.#native.write(key, bytesView(data), abort))
    } finally {
      forget()
    }
  }

  async read(handle: string, _options?: StoreOptions): Promise<Uint8Array> {
    return bytesOf(await this.#native.readRange(String(handle)))
  }

  async readRange(handle: string, start: number, end: number, _options?: StoreOptions): Promise<Uint8Array> {
    return bytesOf(await this.#native.readRange(String(handle), start, end))
  }

  async size(handle: string, _options?: StoreOptions): Promise<number> {
    const stored = checked(await this.#native.size(String(handle)))
    return stored.size ?? 0
  }

  async delete(handle: string, _options?: StoreOptions): Promise<void> {
    checked(await this.#native.delete(String(handle)))
  }
}

export class LocalFileStore extends EngineStore {
  readonly root: string
  readonly #native: NativeLocalStore

  constructor(options: LocalFileStoreOptions = {}) {
    const store = new native.NativeLocalStore(checkStoreOptions(options) as NativeLocalOptions)
    super(store)
    this.#native = store
    this.root = store.root
    // A subclass may do more in `write` than the engine would.
    if (new.target === LocalFileStore) builtIns.set(this, { local: store })
  }

  async prune(options?: PruneOptions) {
    const { olderThanMs, runId } = checkPruneOptions(options)
    const pruned = checked(await this.#native.prune(olderThanMs, runId))
    return { files: pruned.files ?? 0, bytes: pruned.size ?? 0 }
  }
}

export class MemoryStore extends EngineStore {
  constructor(options: MemoryStoreOptions = {}) {
    const store = new native.NativeMemoryStore(checkMemoryStoreOptions(options) as NativeMemoryOptions)
    super(store)
    if (new.target === MemoryStore) builtIns.set(this, { memory: store })
  }
}

function checked(stored: NativeStored): NativeStored {
  if (stored.reason !== undefined) throw new StoreError(stored.reason)
  return stored
}

function handleOf(stored: NativeStored): string {
  return checked(stored).handle ?? ''
}

function bytesOf(stored: NativeStored): Uint8Array {
  return checked(stored).bytes ?? new Uint8Array(0)
}
