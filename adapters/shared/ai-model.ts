// biome-ignore-all lint/suspicious/noExplicitAny: models of three majors are called
import type { SummaryRequest, SummaryResponse } from 'tool-output-limits'
import { unsupportedHost } from './host-version.js'

/** The language-model interfaces of ai 5, 6 and 7. They agree in what is used here. */
const SPECIFICATIONS = new Set(['v2', 'v3', 'v4'])

/** A language model of the AI SDK, as far as this adapter uses it. */
export interface LanguageModelLike {
  specificationVersion: string
  doGenerate(options: any): PromiseLike<any>
}

/** Token counts as the interfaces give them: a number in v2, an object with a total from v3 on. */
type TokenCount = number | { total?: number | undefined } | undefined

/** Throws unless a model is one of a supported `ai`. */
export function checkModel(model: unknown): asserts model is LanguageModelLike {
  const version = (model as LanguageModelLike | null | undefined)?.specificationVersion
  if (typeof version === 'string' && SPECIFICATIONS.has(version)) return
  throw unsupportedHost('ai', '>=5 <8', `a language model with specificationVersion ${JSON.stringify(version)}`)
}

/**
 * Asks a model for a summary.
 *
 * The model's own interface is called, not `generateText`, so nothing of `ai` has to be found at run time, whichever of its
 * versions the application has. Only a model given by its name needs `ai`, for the provider that knows names.
 */
export async function summarizeByModel(model: unknown, request: SummaryRequest): Promise<SummaryResponse> {
  const known = typeof model === 'string' ? await modelByName(model) : model
  checkModel(known)
  const result: {
    content?: { type: string; text?: string }[]
    usage?: { inputTokens?: TokenCount; outputTokens?: TokenCount }
  } = await known.doGenerate({
    prompt: [{ role: 'user', content: [{ type: 'text', text: request.prompt }] }],
    abortSignal: request.signal,
  })
  const texts = (result.content ?? []).filter((part) => part.type === 'text' && typeof part.text === 'string')
  const inputTokens = tokenCount(result.usage?.inputTokens)
  const outputTokens = tokenCount(result.usage?.outputTokens)
  return {
    text: texts.map((part) => part.text).join(''),
    usage: { requests: 1, inputTokens, outputTokens, totalTokens: inputTokens + outputTokens },
  }
}

/** Asks the model that a request names; there always has to be one. */
export function summarizeByNamedModel(request: SummaryRequest): Promise<SummaryResponse> {
  return summarizeByModel(request.model, request)
}

async function modelByName(name: string): Promise<unknown> {
  const { AI_SDK_DEFAULT_PROVIDER: provider } = globalThis as {
    AI_SDK_DEFAULT_PROVIDER?: { languageModel(name: string): unknown }
  }
  const known = provider ?? (await import('ai')).gateway
  if (typeof known?.languageModel !== 'function')
    throw unsupportedHost('ai', '>=5 <8', 'one without a gateway for names')
  return known.languageModel(name)
}

function tokenCount(count: TokenCount): number {
  return (typeof count === 'object' ? count.total : count) ?? 0
}
