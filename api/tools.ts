import type { NativeLimits } from '../native.cjs'

/** Tools whose thresholds are remembered: as many as get counters of their own. */
const REMEMBERED = 1_000
/** Longer names are looked up anew each time: they can come from a model. */
const MAX_REMEMBERED_NAME = 200

/** What is remembered of a tool, with the parts below every band that the engine does not know of yet. */
interface Tool {
  readonly threshold: number
  calls: number
  size: number
  chars: number
}

/** Knows from where on each tool is limited, without asking the engine for every small result. */
export class Tools {
  readonly #native: NativeLimits
  readonly #tools = new Map<string, Tool>()

  constructor(native: NativeLimits) {
    this.#native = native
  }

  /** The smallest size of a tool's result that can be reduced; infinity where it never is. */
  threshold(name: string): number {
    const known = this.#tools.get(name)
    if (known !== undefined) return known.threshold
    const threshold = this.#native.threshold(name)
    if (name.length <= MAX_REMEMBERED_NAME) this.#remember(name, threshold)
    return threshold
  }

  /** Counts a part that is below every band. */
  countUntouched(name: string, size: number, chars: number): void {
    const tool = this.#tools.get(name)
    // The first is told at once, for the engine counts the first names on their own.
    if (tool === undefined || tool.calls === 0) this.#native.countUntouched(name, 1, size, chars)
    if (tool === undefined) return
    if (tool.calls > 0) {
      tool.size += size
      tool.chars += chars
    }
    tool.calls += 1
  }

  /** Tells the engine of everything counted here. */
  flush(): void {
    for (const [name, tool] of this.#tools) this.#flush(name, tool)
  }

  #remember(name: string, threshold: number): void {
    this.#tools.set(name, { threshold, calls: 0, size: 0, chars: 0 })
    if (this.#tools.size <= REMEMBERED) return
    for (const [oldest, tool] of this.#tools) {
      this.#flush(oldest, tool)
      this.#tools.delete(oldest)
      break
    }
  }

  #flush(name: string, tool: Tool): void {
    if (tool.calls <= 1) return
    this.#native.countUntouched(name, tool.calls - 1, tool.size, tool.chars)
    tool.calls = 1
    tool.size = 0
    tool.chars = 0
  }
}
