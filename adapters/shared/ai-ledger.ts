import type { ToolOutputLimits } from 'tool-output-limits'

/** Calls remembered per instance; far above what is ever open at once, and small enough to forget about. */
const MAX_CALLS = 1_000

/** Tokens of summaries that no model call has reported yet. */
export interface Tokens {
  inputTokens: number
  outputTokens: number
}

/**
 * What the language-model middleware and the wrapped tools tell each other about a tool call: the model that asked for it,
 * and what its summary cost. Keyed by tool-call id, so that concurrent runs over one instance keep apart.
 */
export class Ledger {
  /** Set once a middleware folds usage; until then nothing is collected that nobody would take. */
  folds = false
  readonly #models = new Map<string, unknown>()
  readonly #spent = new Map<string, Tokens>()

  /** The model that asked for a call. */
  modelOf(toolCallId: string | undefined): unknown {
    return toolCallId === undefined ? undefined : this.#models.get(toolCallId)
  }

  rememberModel(toolCallId: string, model: unknown): void {
    bounded(this.#models, toolCallId, model)
  }

  spend(toolCallId: string | undefined, tokens: { [K in keyof Tokens]?: Tokens[K] | undefined } | undefined): void {
    if (!this.folds || toolCallId === undefined || tokens === undefined) return
    const before = this.#spent.get(toolCallId)
    bounded(this.#spent, toolCallId, {
      inputTokens: (before?.inputTokens ?? 0) + (tokens.inputTokens ?? 0),
      outputTokens: (before?.outputTokens ?? 0) + (tokens.outputTokens ?? 0),
    })
  }

  /** Takes what the summaries of these calls cost; undefined when that is nothing. */
  take(toolCallIds: Iterable<string>): Tokens | undefined {
    if (this.#spent.size === 0) return undefined
    let sum: Tokens | undefined
    for (const id of toolCallIds) {
      const tokens = this.#spent.get(id)
      if (!tokens) continue
      this.#spent.delete(id)
      sum = {
        inputTokens: (sum?.inputTokens ?? 0) + tokens.inputTokens,
        outputTokens: (sum?.outputTokens ?? 0) + tokens.outputTokens,
      }
    }
    return sum
  }
}

/** The ledger of an instance, the same for every copy of an adapter in the process. */
export function ledgerOf(limits: ToolOutputLimits): Ledger {
  const ledgers = registry()
  let ledger = ledgers.get(limits)
  if (!ledger) {
    ledger = new Ledger()
    ledgers.set(limits, ledger)
  }
  return ledger
}

const REGISTRY = Symbol.for('tool-output-limits.ai-ledgers')

function registry(): WeakMap<ToolOutputLimits, Ledger> {
  const holder = globalThis as { [REGISTRY]?: WeakMap<ToolOutputLimits, Ledger> }
  holder[REGISTRY] ??= new WeakMap()
  return holder[REGISTRY]
}

function bounded<V>(map: Map<string, V>, key: string, value: V): void {
  map.delete(key)
  map.set(key, value)
  if (map.size <= MAX_CALLS) return
  const oldest = map.keys().next()
  if (!oldest.done) map.delete(oldest.value)
}
