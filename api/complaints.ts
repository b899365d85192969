import { describe } from '../common/describe.js'
import type { Action, FallbackReason, PartReport, Warning } from '../index.js'
import type { NativeOutcome } from '../native.cjs'
import type { Call } from './call.js'
import type { CheckedOptions } from './check.js'
import { type ContentParts, sizeOfBlock } from './content.js'
import { ContextNames, type Misspelt } from './context-names.js'
import { native } from './native.js'
import { hasReadInstruction } from './own-store.js'
import { LocalFileStore } from './stores.js'
import { unfinished } from './unfinished.js'
import { type WarningCode, warn } from './warnings.js'

/** What was thrown where an action could not run. It does not go through the engine, which knows reasons only. */
export type Causes = Map<FallbackReason, unknown>

/** What helps where an action could not run. A reason that someone intends, such as a limit of requests, has none and no warning. */
const ADVICE: Partial<Record<Action['type'], Partial<Record<FallbackReason, string>>>> = {
  spill: {
    store_failed: 'see whether its directory can be made, its server answers, and write() gives a handle',
    store_full: 'make room on the disk, or raise maxBytes',
    store_denied: 'give LocalFileStore a root that this user owns alone, and may write to',
    store_timeout: 'see whether it answers, or raise callbackTimeoutMs',
    too_large: 'raise maxBytes or maxFileBytes of the store',
  },
  summarize: {
    no_model: 'give the limits generate, the action a summarize function, or use an adapter that knows the model',
    summary_failed:
      'see whether the model can be called, and generate, the summarize function or the journal gives text',
    summary_timeout: 'see whether the model answers, or raise timeoutMs',
    summary_empty: 'see what the model makes of the prompt, or give another summaryPrompt',
  },
}

/** Of ASCII, as tokens are estimated. */
const CHARS_PER_TOKEN = 4

/** What limits have told that is told once. */
interface ToldBefore {
  /** Whether the read tool was asked for, or the lack of it was told. */
  isReadToolKnown: boolean
  /** Why spills and summaries failed. */
  readonly reasons: Set<FallbackReason>
  readonly contextNames: ContextNames
}

/** Tells the application what goes wrong around its calls, as far as that is no reason to fail. */
export class Complaints {
  readonly #options: CheckedOptions
  readonly #told: ToldBefore

  constructor(
    options: CheckedOptions,
    told: ToldBefore = { isReadToolKnown: false, reasons: new Set(), contextNames: new ContextNames() },
  ) {
    this.#options = options
    this.#told = told
  }

  /** Those of an extended instance, which does not tell again what was told. */
  with(options: CheckedOptions): Complaints {
    return new Complaints(options, this.#told)
  }

  readToolIsKnown(): void {
    this.#told.isReadToolKnown = true
  }

  warn(call: Call, code: WarningCode, message: string, reason?: FallbackReason, causes?: Causes): void {
    const { toolName } = call.tool
    warn(this.#options.onWarning, {
      code,
      message,
      toolName,
      ...(reason !== undefined && reason !== null && { reason, cause: causes?.get(reason) }),
    })
  }

  ofFilter(call: Call): void {
    this.warn(call, 'TOL_TOOL_FILTER', 'the toolFilter failed or did not give a boolean: the limit stays on')
  }

  ofSerializer(call: Call): void {
    this.warn(call, 'TOL_SERIALIZER', 'the serializer failed or did not give a string: compact JSON is used')
  }

  ofCharset(call: Call): void {
    const { charset } = call.context
    if (charset === undefined || (typeof charset === 'string' && native.charsetName(charset))) return
    this.warn(call, 'TOL_CHARSET', `the charset ${describe(charset)} is not known and is ignored`)
  }

  ofUnfinished(value: unknown, call: Call): void {
    const forgotten = unfinished(value)
    if (forgotten !== undefined) this.warn(call, 'TOL_NOT_AWAITED', `the result ${forgotten}`)
  }

  /** Names in the context that are probably misspelt; with `ofNamesAtFirst` only those of the first calls. */
  ofNames(call: Call): void {
    this.#ofMisspelt(this.#told.contextNames.of(call.context), call)
  }

  ofNamesAtFirst(call: Call): void {
    this.#ofMisspelt(this.#told.contextNames.ofFirst(call.context), call)
  }

  #ofMisspelt(misspelt: readonly Misspelt[], call: Call): void {
    for (const { name, meant } of misspelt) {
      const message = `${describe(name)} in the context of reduce is not known and is ignored: did you mean ${meant}?`
      this.warn(call, 'TOL_CONTEXT', message)
    }
  }

  /** Blocks that are over the limit and cannot be reduced. */
  ofBlocks(content: ContentParts, threshold: number, call: Call): void {
    for (const block of content.others)
      this.#ofLarge(sizeOfBlock(block), 'a content block', 'is not text', threshold, call)
    if (content.text !== undefined) return
    const chars = content.texts.reduce((sum, { length }) => sum + length, 0)
    this.#ofLarge(chars, 'content', 'is too long for a string', threshold, call)
  }

  #ofLarge(chars: number, what: string, problem: string, threshold: number, call: Call): void {
    // In tokens as they are estimated: what is encoded is ASCII.
    if (chars === 0 || (this.#options.overTokens ? chars / CHARS_PER_TOKEN : chars) < threshold) return
    const shown = chars.toLocaleString('en-US')
    this.warn(call, 'TOL_CONTENT_NOT_TEXT', `${what} of about ${shown} chars ${problem} and stays as it is`)
  }

  /** What the engine warns of, actions that failed, and handles that the model cannot read. */
  ofOutcome(call: Call, warnings: NativeOutcome['warnings'], report: PartReport, causes: Causes): void {
    for (const { code, message, reason } of warnings) {
      const last = reason ? report.fallbacks.at(-1) : undefined
      const advice = last && ADVICE[last.action]?.[last.reason]
      const advised = advice === undefined ? message : `${message}: ${advice}`
      this.warn(call, code as WarningCode, advised, reason as Warning['reason'], causes)
    }
    if (report.action === 'spill') this.#ofReadTool(call)
    if (!warnings.some(({ code }) => code === 'TOL_NOT_REDUCED')) this.#ofActions(call, report, causes)
  }

  #ofReadTool(call: Call): void {
    if (this.#told.isReadToolKnown || hasReadInstruction(call.store)) return
    this.readToolIsKnown()
    const { name } = this.#options.readTool
    const advice = 'give the model the tool that readToolResult() returns, or use the adapter of your framework'
    this.warn(call, 'TOL_READ_TOOL_MISSING', `a result was spilled, but nothing registered ${name}: ${advice}`)
  }

  /** A store or a model that fails, once for each reason: else nobody might see that only fallbacks run. */
  #ofActions(call: Call, report: PartReport, causes: Causes): void {
    for (const { action, reason } of report.fallbacks) {
      const advice = ADVICE[action]?.[reason]
      if (advice === undefined || this.#told.reasons.has(reason)) continue
      this.#told.reasons.add(reason)
      const [code, wanted] =
        action === 'spill' ? (['TOL_STORE', 'stored'] as const) : (['TOL_SUMMARY', 'summarized'] as const)
      const instead = report.action === 'passthrough' ? 'stayed as it is' : `${report.action} acted instead`
      const place = reason === 'store_denied' && call.store instanceof LocalFileStore ? ` (now ${call.store.root})` : ''
      const message = `an output that should be ${wanted} was not (${reason}), and ${instead}: ${advice}${place}`
      this.warn(call, code, message, reason, causes)
    }
  }
}
