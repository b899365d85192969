// biome-ignore-all lint/suspicious/noExplicitAny: chunks of every adapter are looked into
import type { Generate } from 'tool-output-limits'

/** A text adapter of TanStack AI, as far as summaries use it. */
export interface TextAdapterLike {
  readonly kind: 'text'
  readonly model: string
  chatStream(options: any): AsyncIterable<any>
}

/**
 * A `generate` function that asks a text adapter: the given one, whatever else is named; without one, that of the summarize
 * action, the call or the limits.
 *
 * The adapter's own interface is called, not `chat`, so that nothing of TanStack AI has to be found at run time.
 */
export function summarizeWith(own?: TextAdapterLike): Generate {
  return async ({ prompt, model, signal }) => {
    const adapter = (own ?? model) as TextAdapterLike | undefined
    if (typeof adapter?.chatStream !== 'function')
      throw new TypeError(
        'summaries need a text adapter of TanStack AI: in the summarize action, in the limits, or as the option model of the adapter',
      )
    let text = ''
    let inputTokens = 0
    let outputTokens = 0
    const messages = [{ role: 'user', content: prompt }]
    for await (const chunk of adapter.chatStream({
      model: adapter.model,
      messages,
      request: { signal },
      logger: SILENT,
    })) {
      if (chunk.type === 'TEXT_MESSAGE_CONTENT') text += chunk.delta
      if (chunk.type === 'RUN_ERROR') throw new Error(String(chunk.message))
      if (chunk.type !== 'RUN_FINISHED') continue
      for (const { promptTokens, completionTokens, inputTokens: input, outputTokens: output } of [
        chunk.usage ?? [],
      ].flat()) {
        inputTokens += input ?? promptTokens ?? 0
        outputTokens += output ?? completionTokens ?? 0
      }
    }
    return { text, usage: { requests: 1, inputTokens, outputTokens, totalTokens: inputTokens + outputTokens } }
  }
}

const ignore = (): void => undefined
/** Adapters report to a logger, which `chat` would give them. */
const SILENT = {
  isEnabled: () => false,
  ...Object.fromEntries(
    ['request', 'provider', 'output', 'middleware', 'tools', 'sandbox', 'agentLoop', 'config', 'warn', 'errors'].map(
      (name) => [name, ignore],
    ),
  ),
}
