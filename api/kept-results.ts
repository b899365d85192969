import type { OverflowStore } from '../index.js'

/** Results of stores that have only `read`: how many, and how much of them, are kept for the next page. */
const WHOLES = { count: 4, bytes: 128 << 20 }
/** Blocks of results that are read by range. */
const BLOCKS = { count: 64, bytes: 16 << 20 }
/** How long anything is kept that nobody asks for again, in milliseconds. */
const KEPT_MS = 10_000

/** Bytes by name, bounded; what was used longest ago goes first, and all of it when nobody asked for a while. */
class Kept {
  readonly #bytes = new Map<string, Uint8Array>()
  #held = 0
  #until = 0
  #timer: NodeJS.Timeout | undefined

  constructor(readonly limit: { readonly count: number; readonly bytes: number }) {}

  get(name: string): Uint8Array | undefined {
    const bytes = this.#bytes.get(name)
    if (bytes === undefined) return undefined
    this.#bytes.delete(name)
    this.#bytes.set(name, bytes)
    this.#until = performance.now() + KEPT_MS
    return bytes
  }

  put(name: string, bytes: Uint8Array): void {
    this.delete(name)
    if (bytes.byteLength > this.limit.bytes) return
    this.#bytes.set(name, bytes)
    this.#held += bytes.byteLength
    for (const oldest of this.#bytes.keys()) {
      if (this.#held <= this.limit.bytes && this.#bytes.size <= this.limit.count) break
      this.delete(oldest)
    }
    this.#until = performance.now() + KEPT_MS
    this.#timer ??= this.#later(KEPT_MS)
  }

  delete(name: string): void {
    this.#held -= this.#bytes.get(name)?.byteLength ?? 0
    this.#bytes.delete(name)
  }

  #later(ms: number): NodeJS.Timeout {
    const timer = setTimeout(() => {
      const left = this.#until - performance.now()
      this.#timer = left > 0 ? this.#later(left) : undefined
      if (left <= 0) {
        this.#bytes.clear()
        this.#held = 0
      }
    }, ms)
    // An idle instance never keeps the process alive.
    return timer.unref()
  }
}

/** What is kept of the results of one store. */
export interface KeptResults {
  readonly wholes: Kept
  readonly blocks: Kept
  /** Tells this store from every other of the process. */
  readonly number: number
}

const kept = new WeakMap<OverflowStore, KeptResults>()
let stores = 0

/** What is kept of the results of a store. */
export function keptOf(store: OverflowStore): KeptResults {
  let results = kept.get(store)
  if (results === undefined) {
    results = { wholes: new Kept(WHOLES), blocks: new Kept(BLOCKS), number: ++stores }
    kept.set(store, results)
  }
  return results
}
