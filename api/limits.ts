import { describe } from '../common/describe.js'
import type {
  CallToolResultLike,
  CamelReadInput,
  PartReport,
  ReadContext,
  ReadInput,
  ReadPage,
  ReadToolDefinition,
  ReduceContext,
  Reduction,
  Stats,
  ToolOutputLimitsOptions,
  Usage,
} from '../index.js'
import type { NativeConfig } from '../native.cjs'
import { bytesView, isBytes } from './bytes.js'
import { type Call, toolCallOf } from './call.js'
import { callNow, notify, settleAnswer } from './callbacks.js'
import { type CheckedOptions, checkOptions } from './check.js'
import { type Causes, Complaints } from './complaints.js'
import { type ContentParts, contentParts } from './content.js'
import { type Instance, type PartInput, type PartName, reduceInEngine } from './engine-call.js'
import { publish, reportOf, untouchedReport } from './events.js'
import { plainObject } from './expect.js'
import { copyOptions, extendOptions } from './extend.js'
import { type CallFilter, callFilter } from './filter.js'
import { isError } from './is-error.js'
import { assembleCallToolResult, callToolResultParts, type ReducedPart, repetition } from './mcp-result.js'
import { native } from './native.js'
import { nativeConfig } from './native-config.js'
import { port } from './port.js'
import { type Reader, readPage, readToolDefinition } from './reading.js'
import { assemble, type DonePart, exempt } from './reduction.js'
import { isList, renderJson } from './render.js'
import { defaultStore } from './stores.js'
import { Tools } from './tools.js'

/** Longer texts are estimated off the main thread. */
const MAX_ESTIMATED_HERE = 16_384
/** A text has at most this many tokens more than it has UTF-8 bytes, of which a char has at most three. */
const SPECIAL_TOKENS = 16
/** Where stripping may take something away: control characters, in text or as JSON spells them. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it looks for
const CONTROL = /[\x1b\x80-\x9f]|\\u00[189]/

/** A part on its way to the engine, with the answer of a serializer that comes later. */
type Prepared = PartInput & { readonly later?: Promise<unknown> }

export class ToolOutputLimits {
  readonly #given: ToolOutputLimitsOptions
  readonly #options: CheckedOptions
  readonly #instance: Instance
  readonly #filter: CallFilter | undefined
  /** Of calls that name no run; instances made of each other by `extend` have one. */
  #runId: string
  readonly #tools: Tools
  #complaints: Complaints

  constructor(options: ToolOutputLimitsOptions = {}) {
    this.#options = checkOptions(options, (glob) => native.globProblem(glob) ?? undefined)
    this.#given = copyOptions(options, this.#options)
    const { config, slots } = nativeConfig(this.#options)
    this.#instance = { native: engineLimits(config), options: this.#options, slots }
    this.#tools = new Tools(this.#instance.native)
    const matcher = (names: readonly string[]) => (toolName: string) =>
      names.includes(toolName) || native.matchesGlob(toolName, [...names])
    this.#filter = callFilter(this.#options.toolFilter, matcher, this.#options.callbackTimeoutMs)
    this.#runId = this.#options.runId ?? native.randomRunId()
    this.#complaints = new Complaints(this.#options)
  }

  get id(): string {
    return this.#options.id
  }

  get usage(): Usage {
    return this.#instance.native.usage()
  }

  stats(): Stats {
    this.#tools.flush()
    return Object.fromEntries(this.#instance.native.stats())
  }

  extend(options: ToolOutputLimitsOptions): ToolOutputLimits {
    const extended = new ToolOutputLimits({
      ...extendOptions(this.#given, plainObject('options', options) as ToolOutputLimitsOptions),
      id: this.id,
    })
    extended.#complaints = this.#complaints.with(extended.#options)
    // Or the read tool of one could not read what the other stores.
    extended.#runId = extended.#options.runId ?? this.#runId
    return extended
  }

  async reduce<T>(value: T, context: ReduceContext): Promise<Reduction<T>> {
    const call = this.#call(context)
    if (this.#isExempt(call) || isError(value)) return exempt(value, context)
    let current: unknown = value
    const selection = this.#filter?.(call.tool) ?? true
    if (selection instanceof Promise) {
      // Bytes count as of now, also when the filter takes its time.
      if (isBytes(value)) current = bytesView(value).slice()
      if (!this.#isSelected(await selection, call)) return exempt(value, context)
    } else if (!this.#isSelected(selection, call)) {
      return exempt(value, context)
    }
    const content = context.content === undefined ? undefined : contentParts(context.content)
    const done = await this.#part('value', this.#prepared(current, call), call)
    const contentDone = content && (await this.#content(content, call))
    return assemble(value, context, done, content, contentDone)
  }

  async reduceCallToolResult<R extends CallToolResultLike>(
    result: R,
    context: ReduceContext & { outputSchema?: boolean | undefined },
  ): Promise<R> {
    const call = this.#call(context)
    if (this.#isExempt(call)) return result
    const selection = this.#filter?.(call.tool) ?? true
    // Awaited only where it has to be, so that what is changed after the call has no effect.
    if (!this.#isSelected(selection instanceof Promise ? await selection : selection, call)) return result
    const parts = callToolResultParts(result)
    if (parts === undefined) {
      this.#complaints.ofUnfinished(result, call)
      return result
    }
    const { structuredContent, content } = parts
    const text = content.text
    const repeats =
      structuredContent === undefined || text === undefined
        ? undefined
        : repetition(structuredContent, { text, texts: content.texts }, (a, b) => native.sameJson(a, b))
    const staysStructured = structuredContent === undefined || context.outputSchema === true
    const structured = staysStructured ? undefined : this.#prepared(structuredContent, call)
    this.#complaints.ofBlocks(content, this.#tools.threshold(call.tool.toolName), call)
    const main = text === undefined ? undefined : this.#part('value', { text, isJson: false }, call)
    const isRepeated = (await repeats?.()) ?? false
    const own = structured === undefined || isRepeated ? undefined : this.#part('structured', structured, call)
    const changed = assembleCallToolResult(parts, {
      text: reducedPart(await main),
      structured: reducedPart(await own),
      dropsStructured: isRepeated && context.outputSchema !== true,
    })
    return (changed as R | undefined) ?? result
  }

  read(input: ReadInput | CamelReadInput, context?: ReadContext): Promise<ReadPage> {
    return readPage(this.#reader(), input, context)
  }

  readToolResult(...given: unknown[]): ReadToolDefinition {
    expectNothing(given)
    this.#complaints.readToolIsKnown()
    return readToolDefinition(this.#reader())
  }

  #reader(): Reader {
    return { ...this.#instance, runId: this.#runId, store: () => this.#options.store ?? defaultStore() }
  }

  #call(context: ReduceContext): Call {
    const tool = toolCallOf(context, this.#options.runId)
    const keyIds = { run: tool.runId ?? this.#runId, call: tool.toolCallId ?? native.randomRunId() }
    // A store of the call that is none fails like any other: the result is not lost for it.
    const store = context.store ?? this.#options.store ?? defaultStore()
    const call = { tool, context, keyIds, store }
    this.#complaints.ofNamesAtFirst(call)
    return call
  }

  /** Whether a call has no bands, or itself reads a spilled result. */
  #isExempt(call: Call): boolean {
    if (this.#tools.threshold(call.tool.toolName) === Number.POSITIVE_INFINITY) return true
    const exempts = callNow<unknown>(() => call.store.exempts?.({ ...call.tool }))
    return 'value' in exempts && exempts.value === true
  }

  #isSelected(selection: boolean | 'failed', call: Call): boolean {
    if (selection === 'failed') {
      this.#complaints.ofFilter(call)
    }
    return selection !== false
  }

  /** A value as the engine takes it; a structured one is rendered now. */
  #prepared(value: unknown, call: Call): Prepared {
    if (typeof value === 'string') return { text: value, isJson: false }
    if (isBytes(value)) {
      this.#complaints.ofCharset(call)
      return { bytes: bytesView(value) }
    }
    this.#complaints.ofUnfinished(value, call)
    const rendered = renderJson(value)
    const { serializer } = this.#options
    if (typeof serializer === 'string') return { ...rendered, isList: serializer === 'json-lines' && isList(value) }
    const answer = callNow<unknown>(() => serializer(value))
    if ('later' in answer) return { ...rendered, later: answer.later }
    if ('value' in answer && typeof answer.value === 'string') return serialized(answer.value, rendered)
    this.#complaints.ofSerializer(call)
    return rendered
  }

  async #part(name: PartName, prepared: Prepared, call: Call): Promise<DonePart> {
    const started = performance.now()
    const input = prepared.later === undefined ? prepared : await this.#serialized(prepared, prepared.later, call)
    const untouched = this.#belowEveryBand(input, call)
    if (untouched !== undefined) return { text: undefined, report: untouched }
    this.#complaints.ofNames(call)
    const causes: Causes = new Map()
    const outcome = await reduceInEngine(this.#instance, call, name, input, {
      spend: (usage) => notify(this.#options.onUsage, { ...this.#names(call), usage }),
      warn: (code, message) => this.#complaints.warn(call, code, message),
      threw: (reason, error) => void causes.set(reason, error),
    })
    const report = reportOf(outcome)
    this.#complaints.ofOutcome(call, outcome.warnings, report, causes)
    if (outcome.reached) this.#tell(name, call, report, performance.now() - started)
    return { text: outcome.text ?? undefined, report }
  }

  async #serialized(prepared: Prepared, later: Promise<unknown>, call: Call): Promise<PartInput> {
    const outcome = await settleAnswer({ later }, this.#options.callbackTimeoutMs)
    const rendered = prepared as { text: string; isJson: boolean }
    if (outcome.ok && typeof outcome.value === 'string') return serialized(outcome.value, rendered)
    this.#complaints.ofSerializer(call)
    return rendered
  }

  /** The report of a part that reaches no band, where that can be told at once; else the engine is asked. */
  #belowEveryBand(input: PartInput, call: Call): PartReport | undefined {
    const { toolName } = call.tool
    const threshold = this.#tools.threshold(toolName)
    const { overTokens, stripAnsi, terminal, serializer } = this.#options
    let report: PartReport
    if ('bytes' in input) {
      const size = input.bytes.byteLength
      if (size >= threshold) return undefined
      report = untouchedReport(size, 'bytes', 0)
    } else {
      const { text, isJson } = input
      // Laying out and rendering as a terminal may lengthen a text; what is stripped is not measured.
      if (terminal || (isJson && serializer !== 'json')) return undefined
      const least = overTokens ? text.length * 3 + SPECIAL_TOKENS : text.length
      if (least >= threshold || (overTokens && text.length > MAX_ESTIMATED_HERE)) return undefined
      if (stripAnsi && CONTROL.test(text)) return undefined
      report = overTokens
        ? untouchedReport(native.estimateTokensNow(text), 'tokens', text.length)
        : untouchedReport(text.length, 'chars', text.length)
    }
    this.#tools.countUntouched(toolName, report.size, report.chars)
    return report
  }

  #content(content: ContentParts, call: Call): Promise<DonePart> {
    if (content.blocks !== undefined || content.text === undefined)
      this.#complaints.ofBlocks(content, this.#tools.threshold(call.tool.toolName), call)
    if (content.text === undefined) return Promise.resolve({ text: undefined, report: untouchedReport(0, 'chars', 0) })
    return this.#part('content', { text: content.text, isJson: false }, call)
  }

  #tell(name: PartName, call: Call, report: PartReport, durationMs: number): void {
    const part = name === 'content' ? 'content' : 'value'
    const event = { ...this.#names(call), retry: call.tool.retry, part, report, durationMs } as const
    notify(this.#options.onReduce, event)
    publish(event)
  }

  #names({ tool: { toolName, toolCallId, runId } }: Call) {
    return { toolName, ...(toolCallId !== undefined && { toolCallId }), ...(runId !== undefined && { runId }) }
  }
}

/** All that was not checked before are regular expressions: only the engine knows which of them it can run. */
function engineLimits(config: NativeConfig): InstanceType<typeof native.NativeLimits> {
  try {
    return new native.NativeLimits(config, port)
  } catch (error) {
    const problem = String((error as Error).message).replace(/ at line \d+ column \d+$/, '')
    throw new RangeError(`keepMatching or highlights: the RegExp ${problem}`)
  }
}

/** Throws for options of the read tool where there are none: the limits hold some, and each of its calls the others. */
function expectNothing(given: readonly unknown[]): void {
  const value = given.find((argument) => argument !== undefined)
  if (value === undefined) return
  const names = typeof value === 'object' && value !== null ? Object.keys(value) : []
  const got = names.length > 0 ? names.slice(0, 5).map(describe).join(', ') : describe(value)
  throw new TypeError(
    `readToolResult takes no options, got ${got}; ` +
      'name, enabled, maxLines, maxChars and scope go to new ToolOutputLimits({ readTool: { … } }), ' +
      'runId, store and signal to execute(input, { … })',
  )
}

/** The application's rendering of a value, with JSON that tells its shape. */
function serialized(text: string, rendered: { readonly text: string; readonly isJson: boolean }): PartInput {
  return { text, isJson: false, shape: rendered.isJson ? rendered.text : undefined }
}

function reducedPart(done: DonePart | undefined): ReducedPart | undefined {
  return done?.text === undefined ? undefined : { text: done.text, report: done.report }
}
