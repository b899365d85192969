import type { BaseMessage } from '@langchain/core/messages'
import * as langchain from 'langchain'
import type { Generate, SummaryRequest, SummaryResponse } from 'tool-output-limits'

/** What summaries need of a chat model. */
interface ChatModel {
  invoke(
    input: string,
    options: { tags: string[]; runName: string; signal: AbortSignal },
  ): Promise<BaseMessage & { usage_metadata?: UsageMetadata | undefined }>
}
interface UsageMetadata {
  input_tokens?: number
  output_tokens?: number
  total_tokens?: number
}

/** The tag that keeps the tokens of a summary out of `streamMode: 'messages'`. */
const NO_STREAM = 'langsmith:nostream'

/**
 * A `generate` function that calls LangChain chat models, or names such as `'openai:gpt-5-mini'` for `initChatModel`:
 * summaries by the given one, whatever the run's own is and whatever else is named; without one, by that of the summarize
 * action, the call or the limits. Callbacks and tracing of the surrounding run apply: its usage includes the summary.
 */
export function summarizeWith(own?: unknown): Generate {
  return async ({ prompt, model, signal }: SummaryRequest): Promise<SummaryResponse> => {
    const chat = await chatModelOf(own ?? model)
    const message = await chat.invoke(prompt, { tags: [NO_STREAM], runName: 'tool_output_limits.summarize', signal })
    const {
      input_tokens: inputTokens = 0,
      output_tokens: outputTokens = 0,
      total_tokens: totalTokens = inputTokens + outputTokens,
    } = message.usage_metadata ?? {}
    return { text: message.text, usage: { requests: 1, inputTokens, outputTokens, totalTokens } }
  }
}

async function chatModelOf(model: unknown): Promise<ChatModel> {
  if (typeof model === 'string') return (await langchain.initChatModel(model)) as unknown as ChatModel
  if (typeof (model as ChatModel | undefined)?.invoke === 'function') return model as ChatModel
  throw new TypeError(
    'summaries need a LangChain chat model: in the summarize action, in the limits, or as the option model of the adapter',
  )
}

const MAX_CALLS = 1_000

/**
 * Remembers which model asked for a tool call, so that its result can be summarized by the same one. Bounded: calls
 * that never run are forgotten.
 */
export class CallingModels {
  readonly #models = new Map<string, unknown>()

  remember(runId: string | undefined, toolCallId: string | undefined, model: unknown): void {
    const key = keyOf(runId, toolCallId)
    this.#models.delete(key)
    this.#models.set(key, model)
    if (this.#models.size > MAX_CALLS) this.#models.delete(this.#models.keys().next().value as string)
  }

  of(runId: string | undefined, toolCallId: string | undefined): unknown {
    return this.#models.get(keyOf(runId, toolCallId))
  }
}
const keyOf = (runId: string | undefined, toolCallId: string | undefined): string => JSON.stringify([runId, toolCallId])
