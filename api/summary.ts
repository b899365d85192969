import type {
  FallbackReason,
  Generate,
  Journal,
  JsonValue,
  Summarize,
  SummaryRequest,
  SummaryResponse,
  Usage,
} from '../index.js'
import type { Answer, Question } from '../native.cjs'
import { isAborted, onAbort } from './abort.js'
import { SUMMARY_TIMEOUT_MS } from './actions.js'
import { callNow, settle } from './callbacks.js'
import type { Told } from './engine-call.js'
import { mayRequest, noteSummary } from './ledger.js'

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
  action: Summarize,
  context: SummaryContext,
  texts: string[],
): Promise<Answer> {
  const text = question.text ?? texts[0] ?? ''
  const model = action.model ?? context.model
  const own = action.summarize
  const generate = context.generate ?? (model === undefined ? undefined : context.adapterGenerate)
  if (own === undefined && generate === undefined) return { reason: 'no_model' }
  if (isAborted(context.signal)) return { reason: 'aborted' }
  const stop = new AbortController()
  const forget = onAbort(context.signal, () => stop.abort(context.signal?.reason))
  let isOver = false
  let usage: Usage | undefined
  let unanswered = 0
  const spend = (spent: Usage) => {
    if (isOver) return
    usage = usage === undefined ? spent : sum(usage, spent)
    context.told.spend(spent)
  }
  let ask: () => unknown
  if (own !== undefined) {
    ask = () => own(context.toolName, text, { signal: stop.signal })
  } else {
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
    // Decided where the model would be called: what a journal has recorded costs no request, however few are left.
    const call = async (recorded?: Partial<SummaryRequest>) => {
      if (!mayRequest(context.usage, context.usageLimits)) return REFUSED
      noteSummary(context.usage)
      unanswered += 1
      let answer: unknown
      try {
        answer = await (generate as Generate)({ ...request, ...recorded, text, signal: stop.signal })
      } finally {
        unanswered -= 1
        // Counted here, for a journal may never answer in the process that called the model; and a call that fails was one.
        spend(usageOf(answer))
      }
      return answer
    }
    ask = () =>
      context.journal === undefined ? call() : journaled(context.journal, question.operationId ?? '', request, call)
  }
  const outcome = await settle(ask, action.timeoutMs ?? SUMMARY_TIMEOUT_MS, context.signal)
  // A model that nobody waits for any more was called all the same.
  if (unanswered > 0) spend({ ...usageOf(undefined), requests: unanswered })
  isOver = true
  forget()
  const cost = usage === undefined ? {} : { usage }
  if (!outcome.ok) {
    stop.abort()
    if (outcome.why === 'threw') context.told.threw('summary_failed', outcome.error)
    return { reason: { timeout: 'summary_timeout', aborted: 'aborted', threw: 'summary_failed' }[outcome.why], ...cost }
  }
  if (own === undefined && isRefused(outcome.value)) return { reason: 'usage_limit', ...cost }
  const summary = own === undefined ? textOf(outcome.value) : outcome.value
  if (typeof summary !== 'string') return { reason: 'summary_failed', ...cost }
  texts.push(summary)
  return { text: texts.length - 1, chars: summary.length, ...cost }
}

/** Runs the call as an operation that a durable engine records. Its input is plain JSON, and so is the answer. */
function journaled(
  journal: Journal,
  id: string,
  request: SummaryRequest,
  call: (recorded: Partial<SummaryRequest>) => Promise<unknown>,
): unknown {
  const { prompt, toolName, maxChars } = request
  const run = (input: JsonValue): Promise<SummaryResponse> => {
    const response = call(recordedInput(input)).then((answer) =>
      typeof answer === 'string' ? { text: answer } : (answer as SummaryResponse),
    )
    // A journal that does not wait for it is not to end the process.
    response.catch(() => {})
    return response
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

/** What a journal records where the usage limit forbids the call, so that a replay decides as the first run did. */
const REFUSED: SummaryResponse & { readonly refusal: FallbackReason } = { text: '', refusal: 'usage_limit' }

function isRefused(answer: unknown): boolean {
  if (typeof answer !== 'object' || answer === null) return false
  const refusal = callNow(() => (answer as { refusal?: unknown }).refusal)
  return 'value' in refusal && refusal.value === REFUSED.refusal
}

/** The text of an answer, or what stands in its place. */
function textOf(answer: unknown): unknown {
  if (typeof answer !== 'object' || answer === null) return answer
  const text = callNow(() => (answer as { text?: unknown }).text)
  return 'value' in text ? text.value : undefined
}

/** What a call of a model cost; one that does not tell, or throws when it is asked, counts as one request. */
function usageOf(answer: unknown): Usage {
  try {
    const given = ((answer as { usage?: unknown } | null | undefined)?.usage ?? {}) as Record<string, unknown>
    const inputTokens = amount(given.inputTokens, 0)
    const outputTokens = amount(given.outputTokens, 0)
    return {
      requests: amount(given.requests, 1),
      inputTokens,
      outputTokens,
      totalTokens: amount(given.totalTokens, inputTokens + outputTokens),
    }
  } catch {
    return { requests: 1, inputTokens: 0, outputTokens: 0, totalTokens: 0 }
  }
}

function sum(one: Usage, other: Usage): Usage {
  return {
    requests: one.requests + other.requests,
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    totalTokens: one.totalTokens + other.totalTokens,
  }
}

function amount(value: unknown, otherwise: number): number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : otherwise
}
