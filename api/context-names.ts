import { nearestName } from '../common/nearest.js'
import type { ReduceContext } from '../index.js'

/** Every name that the context of a call can have; the compiler sees to it that none is missing. */
const KNOWN: Record<keyof ReduceContext | 'outputSchema', true> = {
  toolName: true,
  toolCallId: true,
  runId: true,
  retry: true,
  content: true,
  metadata: true,
  toolMetadata: true,
  signal: true,
  store: true,
  model: true,
  generate: true,
  journal: true,
  usage: true,
  usageLimits: true,
  input: true,
  adapter: true,
  charset: true,
  outputSchema: true,
}
const NAMES = Object.keys(KNOWN)
/** What hosts tell a tool of its call has these names, which are near to ours by chance; it may be spread into the context. */
const OF_HOSTS = new Set(['context', 'modelId', 'toolCall'])
/** Below every band a call costs less than a microsecond, so only the first of them are looked at. */
const LOOKED_AT = 100
/** Names can come from a model, where its arguments are spread into the context. */
const MAX_REMEMBERED = 100

/** A name in a context that was probably misspelt. */
export interface Misspelt {
  readonly name: string
  readonly meant: string
}

/**
 * Finds names in contexts that were probably misspelt: such an id or signal would be missing and nothing would tell.
 * Names that are near to none of ours are the application's own, for a context may be a wider object.
 */
export class ContextNames {
  #calls = 0
  /** What was probably meant by names that are not ours; undefined where nothing is near, or it was told. */
  readonly #meant = new Map<string, string | undefined>()

  /** Those of a call, where it is one of the first. */
  ofFirst(context: ReduceContext): Misspelt[] {
    if (this.#calls >= LOOKED_AT) return NONE
    this.#calls += 1
    return this.of(context)
  }

  /** Those that were not told before. Never throws. */
  of(context: ReduceContext): Misspelt[] {
    try {
      let found = NONE
      for (const name of Object.keys(context)) {
        if (Object.hasOwn(KNOWN, name)) continue
        const meant = this.#meantBy(name)
        // Where both are given nothing is missing.
        if (meant === undefined || context[meant as keyof ReduceContext] !== undefined) continue
        this.#meant.set(name, undefined)
        found = [...found, { name, meant }]
      }
      return found
    } catch {
      return NONE // a Proxy that does not tell its names
    }
  }

  #meantBy(name: string): string | undefined {
    if (this.#meant.has(name) || this.#meant.size >= MAX_REMEMBERED) return this.#meant.get(name)
    const meant = OF_HOSTS.has(name) ? undefined : nearestName(name, NAMES)
    this.#meant.set(name, meant)
    return meant
  }
}

const NONE: Misspelt[] = []
