import type { Generate, Journal, JsonValue, Summarizer, SummaryRequest, SummaryResponse, Usage } from '../index.js'
import type { Answer, Question } from '../native.cjs'
import { isAborted, onAbort } from './abort.js'
import { settle } from './callbacks.js'
import type { Told } from './engine-call.js'
import { mayRequest, noteSummary } from './ledger.js'

/** What an action of type `summarize` holds that the engine cannot. */
export interface SummarySlot {
  readonly model: unknown
  readonly summarize: Summarizer | undefined
  readonly timeoutMs: number
}

/** What a call brings to a summary. */
export interface SummaryContext {
  readonly toolName: string
  readonly model: unknown
  readonly generate: Generate | undefined
  readonly adapterGenerate: Generate | undefined
  readonly journal: Journal | undefined
  readonly usage: { requests: number } | undefined
  readonly usageLimits: { requests?: number | undefined } | undefined
  readonly signal: AbortSignal | undefined
  /** Whether the call is named by ids that a replay has again. */
  readonly isReplayable: boolean
  readonly told: Told
}

/** Asks for a summary; the text of the answer is kept in `texts`. */
export async function askForSummary(
  question: Question,
  slot: SummarySlot,
  context: SummaryContext,
  texts: string[],
): Promise<Answer> {
  const text = question.text ?? texts[0] ?? ''
  const model = slot.model ?? context.model
  const own = slot.summarize
  const generate = context.generate ?? (model === undefined ? undefined : context.adapterGenerate)
  if (own === undefined && generate === undefined) return { reason: 'no_model' }
  if (isAborted(context.signal)) return { reason: 'aborted' }
  const stop = new AbortController()
  const forget = onAbort(context.signal, () => stop.abort(context.signal?.reason))
  let spent = false
  let ask: () => unknown
  if (own !== undefined) {
    ask = () => own(context.toolName, text, { signal: stop.signal })
  } else {
    if (!mayRequest(context.usage, context.usageLimits)) {
      forget()
      return { reason: 'usage_limit' }
    }
    if (context.journal !== undefined && !context.isReplayable) {
      const lack = 'a journal was given without the ids of run and tool call: random ones cannot be found again'
      context.told.warn('TOL_JOURNAL_IDS', lack)
    }
    const request: SummaryRequest = {
      // Not `join`, which copies the output there and then.
      prompt: (question.prompt ?? ['']).reduce((joined, piece) => joined + text + piece),
      text,
      toolName: context.toolName,
      ...(model !== undefined && { model }),
      maxChars: question.maxChars ?? 0,
      signal: stop.signal,
    }
    const call = (recorded?: Partial<SummaryRequest>) => {
      spent = true
      noteSummary(context.usage)
      return (generate as Generate)({ ...request, ...recorded, text, signal: stop.signal })
    }
    ask = () =>
      context.journal === undefined ? call() : journaled(context.journal, question.operationId ?? '', request, call)
  }
  const outcome = await settle(ask, slot.timeoutMs, context.signal)
  forget()
  if (!outcome.ok) {
    stop.abort()
    return { reason: { timeout: 'summary_timeout', aborted: 'aborted', threw: 'summary_failed' }[outcome.why] }
  }
  return answerOf(outcome.value, own !== undefined, () => spent, context, texts)
}

/** Runs the call as an operation that a durable engine records. Its input is plain JSON, and so is the answer. */
function journaled(
  journal: Journal,
  id: string,
  request: SummaryRequest,
  call: (recorded: Partial<SummaryRequest>) => unknown,
): unknown {
  const { prompt, toolName, maxChars } = request
  const run = async (input: JsonValue): Promise<SummaryResponse> => {
    const answer = await call(recordedInput(input))
    return typeof answer === 'string' ? { text: answer } : (answer as SummaryResponse)
  }
  return journal({ id, kind: 'summarize', input: { prompt, toolName, maxChars } }, run)
}

/** What of a recorded input can be used again: an engine may hand over less than it was given. */
function recordedInput(input: unknown): Partial<SummaryRequest> {
  const { prompt, toolName, maxChars } = (typeof input === 'object' && input !== null ? input : {}) as Record<
    string,
    unknown
  >
  return {
    ...(typeof prompt === 'string' && { prompt }),
    ...(typeof toolName === 'string' && { toolName }),
    ...(typeof maxChars === 'number' && { maxChars }),
  }
}

/** The engine's answer; whatever the application gave is looked at once. */
function answerOf(
  value: unknown,
  isOwn: boolean,
  wasSpent: () => boolean,
  context: SummaryContext,
  texts: string[],
): Answer {
  let text: unknown
  let usage: Usage | undefined
  try {
    text = typeof value === 'object' && value !== null && !isOwn ? (value as { text?: unknown }).text : value
    if (wasSpent()) {
      usage = usageOf(value)
      context.told.spend(usage)
    }
  } catch {
    return { reason: 'summary_failed' }
  }
  const spent = usage === undefined ? {} : { usage }
  if (typeof text !== 'string') return { reason: 'summary_failed', ...spent }
  texts.push(text)
  return { text: texts.length - 1, chars: text.length, ...spent }
}

/** What a summary cost; an answer that does not tell counts as one request. */
function usageOf(answer: unknown): Usage {
  const given = ((typeof answer === 'object' && answer !== null ? (answer as { usage?: unknown }).usage : undefined) ??
    {}) as Record<string, unknown>
  const inputTokens = amount(given.inputTokens, 0)
  const outputTokens = amount(given.outputTokens, 0)
  return {
    requests: amount(given.requests, 1),
    inputTokens,
    outputTokens,
    totalTokens: amount(given.totalTokens, inputTokens + outputTokens),
  }
}

function amount(value: unknown, otherwise: number): number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : otherwise
}
