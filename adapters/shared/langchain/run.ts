import { AsyncLocalStorageProviderSingleton } from '@langchain/core/singletons'

/** The parts of LangGraph's config and runtime that name a run. */
export interface RunConfig {
  configurable?: Record<string, unknown> | undefined
  signal?: AbortSignal | undefined
  store?: unknown
  context?: unknown
  executionInfo?:
    | { threadId?: string | undefined; runId?: string | undefined; nodeAttempt?: number | undefined }
    | undefined
}

/**
 * Where a handle belongs: the thread, so that later turns read it back; without a checkpointer the run. Undefined
 * when LangGraph knows neither.
 */
export function threadOf(config: RunConfig | undefined): string | undefined {
  const info = executionInfoOf(config)
  return text(config?.configurable?.thread_id) ?? text(info?.threadId) ?? text(info?.runId)
}

/** How often LangGraph has run this node again after a failure, from 0. */
export function nodeRetryOf(config: RunConfig | undefined): number {
  const attempt = executionInfoOf(config)?.nodeAttempt
  return typeof attempt === 'number' && Number.isSafeInteger(attempt) && attempt > 1 ? attempt - 1 : 0
}

// The agent's tool node hands on a selection of the config; the whole of it is in the async context.
function executionInfoOf(config: RunConfig | undefined): RunConfig['executionInfo'] {
  const current = AsyncLocalStorageProviderSingleton.getRunnableConfig() as RunConfig | undefined
  return config?.executionInfo ?? current?.executionInfo
}
const text = (id: unknown): string | undefined =>
  typeof id === 'string' && id !== '' ? id : typeof id === 'number' ? String(id) : undefined

/**
 * Counts how often each tool call came by, for a middleware further out that calls it again.
 * The count lives with the runtime object, one for each run of the node: a node that runs again after a resume counts
 * from 0 and finds its journal.
 */
export function attemptCounter(): (runtime: object) => number {
  const attempts = new WeakMap<object, number>()
  return (runtime) => {
    const attempt = attempts.get(runtime) ?? 0
    attempts.set(runtime, attempt + 1)
    return attempt
  }
}
