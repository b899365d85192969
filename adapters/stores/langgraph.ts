import type { OverflowStore } from 'tool-output-limits'
import { ChunkedStore } from '../shared/chunked-store.js'
import { expectOptions } from '../shared/expect.js'

/** What a `BaseStore` of LangGraph has, as far as it is used. */
export interface LangGraphStoreLike {
  get(namespace: string[], key: string): Promise<{ value: Record<string, unknown> } | null | undefined>
  put(namespace: string[], key: string, value: Record<string, unknown>, index?: false | string[]): Promise<void>
  delete(namespace: string[], key: string): Promise<void>
}

export interface LangGraphStoreOptions {
  /** The store of the graph: `PostgresStore`, `InMemoryStore` and so on; set up already. */
  store: LangGraphStoreLike
  /** Under which namespace. Default: `['tool-output-limits']`. */
  namespace?: readonly string[] | undefined
}

/**
 * Results in a `BaseStore` of LangGraph, never indexed: they would only cost embeddings.
 *
 * @throws TypeError when `store` is none, or `namespace` is empty or has labels that LangGraph refuses.
 */
export class LangGraphStore extends ChunkedStore implements OverflowStore {
  constructor(options: LangGraphStoreOptions) {
    const { store, namespace = ['tool-output-limits'] } = expectOptions(
      options,
      { store: true, namespace: true },
      'LangGraphStore',
    )
    if (typeof store?.get !== 'function' || typeof store.put !== 'function' || typeof store.delete !== 'function') {
      throw new TypeError('LangGraphStore: the option store must be a BaseStore')
    }
    const isLabel = (label: unknown) => typeof label === 'string' && label !== '' && !label.includes('.')
    if (
      !Array.isArray(namespace) ||
      namespace.length === 0 ||
      !namespace.every(isLabel) ||
      namespace[0] === 'langgraph'
    ) {
      throw new TypeError('LangGraphStore: namespace must be labels, not empty and without a full stop')
    }
    const place = () => [...namespace]
    super({
      get: async (key) => (await store.get(place(), key))?.value.data,
      set: (key, data) => store.put(place(), key, { data }, false),
      delete: (key) => store.delete(place(), key),
    })
  }
}
