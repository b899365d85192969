import type { Generate } from 'tool-output-limits'
import { unsupportedHost } from './host-version.js'

/** A model of the Agents SDK, as far as summaries use it. */
interface Model {
  getResponse(request: object): Promise<{ usage?: Tokens | undefined; output: readonly OutputItem[] }>
}
interface Tokens {
  requests?: number | undefined
  inputTokens?: number | undefined
  outputTokens?: number | undefined
  totalTokens?: number | undefined
}
interface OutputItem {
  type?: string | undefined
  role?: string | undefined
  content?: unknown
}

/**
 * A `generate` function for models of the Agents SDK, or their names, which the default model provider knows: summaries by
 * the given one, whatever else is named; without one, by that of the summarize action, the call or the limits.
 */
export function summarizeWith(own?: unknown): Generate {
  return async ({ prompt, model, signal }) => {
    const known = await modelOf(own ?? model)
    const request = {
      input: prompt,
      modelSettings: {},
      tools: [],
      outputType: 'text',
      handoffs: [],
      tracing: false,
      signal,
    }
    const { output, usage = {} } = await known.getResponse(request)
    const { requests = 1, inputTokens = 0, outputTokens = 0, totalTokens = inputTokens + outputTokens } = usage
    return { text: output.map(textOf).join(''), usage: { requests, inputTokens, outputTokens, totalTokens } }
  }
}

async function modelOf(model: unknown): Promise<Model> {
  if (typeof model === 'string') {
    const sdk = '@openai/agents' // resolved in the application, only where a model is given by its name
    const { getDefaultModelProvider } = (await import(sdk)) as {
      getDefaultModelProvider?: () => { getModel(name: string): Model | Promise<Model> }
    }
    if (typeof getDefaultModelProvider !== 'function')
      throw unsupportedHost(sdk, '>=0.20 <1', 'one without getDefaultModelProvider()')
    return getDefaultModelProvider().getModel(model)
  }
  if (typeof (model as Model | undefined)?.getResponse === 'function') return model as Model
  throw new TypeError(
    'summaries need a model of the Agents SDK: in the summarize action, in the limits, or as the option model of the adapter',
  )
}

function textOf({ role, content }: OutputItem): string {
  if (role !== 'assistant' || !Array.isArray(content)) return ''
  return content
    .map((part: { type?: string; text?: unknown }) =>
      part.type === 'output_text' && typeof part.text === 'string' ? part.text : '',
    )
    .join('')
}
