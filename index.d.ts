/**
 * Reduces the oversized result of an LLM agent's tool once, when it is produced: truncates it, spills it to a store from
 * which the model reads it back, or summarizes it.
 *
 * "Chars" are UTF-16 code units everywhere, what `string.length` counts. A line is ended by LF or CRLF and by nothing
 * else. "Bytes" are `Uint8Array` and `Buffer`, `ArrayBuffer`, `DataView` and `SharedArrayBuffer`.
 */

/** A JSON value. */
export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue }

/**
 * Why an action could not run, so that its `fallback` was tried.
 *
 * - `binary`: the output is bytes, and the action needs text
 * - `no_read_tool`: the read tool is disabled, so nobody could read a handle
 * - `not_smaller`: what the action makes is no smaller than the output
 * - `store_failed`, `store_full`, `store_denied`, `store_timeout`: the store threw or answered wrongly, has no room,
 *   refuses the access, did not answer in time
 * - `too_large`: the output is above a limit of the store, or of the work on JSON
 * - `no_model`: there is no way to call a model
 * - `summary_failed`, `summary_timeout`, `summary_empty`: the model threw or answered wrongly, too late, with nothing
 * - `usage_limit`: the run's limit of requests leaves none for a summary
 * - `aborted`: the call's signal fired
 */
export type FallbackReason =
  | 'binary'
  | 'no_read_tool'
  | 'not_smaller'
  | 'store_failed'
  | 'store_full'
  | 'store_denied'
  | 'store_timeout'
  | 'too_large'
  | 'no_model'
  | 'summary_failed'
  | 'summary_timeout'
  | 'summary_empty'
  | 'usage_limit'
  | 'aborted'

// ---- actions --------------------------------------------------------------------------------------------------------

/** Keeps the beginning, the end or both of a text, within a budget of chars. Free and lossy; falls back for bytes. */
export interface Truncate {
  readonly type: 'truncate'
  /** Chars of the result at most, the marker that tells what was left out included. Default 4,000; 0 or less gives `''`. */
  readonly maxChars?: number | undefined
  /** What is kept. Default `'head-tail'`: two fifths from the beginning, three from the end. */
  readonly strategy?: 'head' | 'tail' | 'head-tail' | undefined
  /** Lines at the end that are kept in any case, as far as `maxChars` allows. A whole number ≥ 0, default 0. */
  readonly keepTailLines?: number | undefined
  /**
   * `'valid'` cuts JSON such that it stays JSON, `'text'` like any text. Default `'valid'` for structured values and for
   * text that is one JSON document.
   */
  readonly json?: 'valid' | 'text' | undefined
  /**
   * Keeps lines that match, with their numbers. Strings are literal and not empty; a RegExp runs in linear time, without
   * look-around and back-references. Default: none.
   */
  readonly keepMatching?: RegExp | readonly string[] | undefined
  /** What is tried where this cannot run. Absent: the output stays as it is, with a warning. */
  readonly fallback?: Action | undefined
}

/**
 * Stores the output whole and puts an envelope in its place: size, handle, the call that reads it, a sketch of
 * structured data, a preview. One write, nothing lost.
 */
export interface Spill {
  readonly type: 'spill'
  /** Chars of the output in the envelope, half from its beginning and half from its end. A whole number ≥ 0, default 1,000. */
  readonly previewChars?: number | undefined
  /**
   * Up to five lines that the preview does not show but the model should see, within half of `previewChars`. Strings
   * are literal and not empty; a RegExp runs in linear time, without look-around and back-references. Default: lines
   * that look like errors; `false`: none.
   */
  readonly highlights?: false | RegExp | readonly string[] | undefined
  /** What is tried where this cannot run. Absent: the output stays as it is, with a warning. */
  readonly fallback?: Action | undefined
}

/** Puts a model's summary in the place of the output. One model call, lossy; falls back for bytes. */
export interface Summarize {
  readonly type: 'summarize'
  /** The model, in whatever form `generate` takes. Default: the call's, then the options'. */
  readonly model?: unknown
  /** Makes the summary itself, without prompt, `generate`, journal and usage. Default: `generate` with the prompt. */
  readonly summarize?: Summarizer | undefined
  /** Chars of the summary at most; a longer one is truncated. ≥ 1, default 8,000. */
  readonly maxChars?: number | undefined
  /** Milliseconds until the signal of the call fires and the fallback is tried. > 0, default 60,000. */
  readonly timeoutMs?: number | undefined
  /** What is tried where this cannot run. Absent: the output stays as it is, with a warning. */
  readonly fallback?: Action | undefined
}

/** Leaves the output as it is: a band that exempts what is above it. */
export interface Passthrough {
  readonly type: 'passthrough'
}

/** What to do with an output, told apart by `type`. Plain data: written by hand it works as one made by a helper does. */
export type Action = Truncate | Spill | Summarize | Passthrough

/** Makes a summary of a tool's output. `signal` fires when the time is up or the call is aborted. */
export type Summarizer = (
  toolName: string,
  text: string,
  options: { signal: AbortSignal },
) => string | PromiseLike<string>

/** What `truncate()` takes. */
export type TruncateOptions = Omit<Truncate, 'type'>
/** What `spill()` takes. */
export type SpillOptions = Omit<Spill, 'type'>
/** What `summarize()` takes. */
export type SummarizeOptions = Omit<Summarize, 'type'>

/** An action for outputs from a size on. */
export interface Band {
  /** The smallest size that the action is for, itself included: chars, tokens with `overTokens`, bytes for bytes. Finite, ≥ 0. */
  readonly over: number
  readonly action: Action
}

/** A frozen action with its defaults. Throws RangeError or TypeError for a wrong option. */
export declare function truncate(options?: TruncateOptions): Truncate
/** A frozen action with its defaults. Throws RangeError or TypeError for a wrong option. */
export declare function spill(options?: SpillOptions): Spill
/** A frozen action with its defaults. Throws RangeError or TypeError for a wrong option. */
export declare function summarize(options?: SummarizeOptions): Summarize
/** A frozen action. */
export declare function passthrough(): Passthrough

// ---- options --------------------------------------------------------------------------------------------------------

/** How a structured value becomes text: one line; one field per line; one line per element of an array. */
export type SerializerName = 'json' | 'indented-json' | 'json-lines'

/** A tool call, as filters and stores see it. */
export interface ToolCall {
  toolName: string
  toolCallId?: string | undefined
  runId?: string | undefined
  /** How often the call was tried before. */
  retry: number
  /** The arguments of the call, where the host gave them. */
  input?: unknown
  toolMetadata?: Record<string, unknown> | undefined
}

/**
 * Which tools the limits are for: all; names and globs; an object that the tool's metadata must include, deeply; a
 * predicate. A predicate that throws, rejects, hangs or gives no boolean counts as true, with a warning.
 */
export type ToolFilter =
  | 'all'
  | readonly string[]
  | Readonly<Record<string, unknown>>
  | ((call: ToolCall) => boolean | PromiseLike<boolean>)

/** The tool by which a model reads spilled results. */
export interface ReadToolOptions {
  /** Its name: 1 to 128 of `A-Z a-z 0-9 _ . -`. Default `'read_tool_result'`. */
  name?: string | undefined
  /** Default true. False: nothing is spilled, the fallback runs, unless the store itself tells how to read a handle. */
  enabled?: boolean | undefined
  /** Lines of a page at most, ≥ 1. Default 1,000. */
  maxLines?: number | undefined
  /** Chars of a page at most, ≥ 500. Default 50,000. */
  maxChars?: number | undefined
  /** `'run'` answers only for handles of the caller's own run. Default `'store'`: for all of the store. */
  scope?: 'store' | 'run' | undefined
}

/** What `new ToolOutputLimits()` takes. Undefined counts as absent everywhere. */
export interface ToolOutputLimitsOptions {
  /**
   * What is done from which size on; the largest `over` that is not above the size decides, and the order in the list
   * does not matter. Default: from 10,000 chars spill, else truncate. `[]` leaves every tool alone.
   */
  bands?: readonly Band[] | undefined
  /**
   * Bands that replace `bands` for the tools of a name or glob. The exact name comes before globs, longer globs before
   * shorter ones. Own properties only.
   */
  perTool?: Readonly<Record<string, readonly Band[]>> | undefined
  /** Which tools the limits are for. Default `'all'`. */
  toolFilter?: ToolFilter | undefined
  /** Measures text in tokens instead of chars; `maxChars` and `previewChars` stay chars. Default false. */
  overTokens?: boolean | undefined
  /**
   * Counts tokens for `overTokens`; not called where the length alone decides. Default, and where it fails: an estimate,
   * a quarter of the chars for ASCII.
   */
  tokenizer?: ((text: string) => number | PromiseLike<number>) | undefined
  /** How structured values become text. Default `'json'`; where a function fails, compact JSON and a warning. */
  serializer?: SerializerName | ((value: unknown) => string | PromiseLike<string>) | undefined
  /** Removes control sequences of terminals from text and from the strings in structured values. Default false. */
  stripAnsi?: boolean | undefined
  /** Renders `\r`, `\b` and erased lines as a terminal would, and collapses repeated lines; implies `stripAnsi`. Default false. */
  terminal?: boolean | undefined
  /** Where spilled results go. Default: `new LocalFileStore()`, made when it is first needed. */
  store?: OverflowStore | undefined
  /** The model for summaries, where neither the action nor the call has one. */
  model?: unknown
  /** Calls a model for a summary. Host adapters supply it; without it, and without the action's own, `no_model`. */
  generate?: Generate | undefined
  /** The prompt of summaries; must contain `{tool_name}` and `{output}`. Default: one that fences the output as data. */
  summaryPrompt?: string | undefined
  /** Records summaries for a durable engine. */
  journal?: Journal | undefined
  /** The tool by which a model reads spilled results. */
  readTool?: ReadToolOptions | undefined
  /** Milliseconds that tokenizer, serializer, predicate and custom store may take. > 0, default 30,000. */
  callbackTimeoutMs?: number | undefined
  /** Names the instance in journals. Not empty, default `'tool_output_limits'`. */
  id?: string | undefined
  /** The run of calls that do not name one. Not empty, default: random per instance. */
  runId?: string | undefined
  /**
   * Told of every warning of the limits. What it throws is ignored. Default: `process.emitWarning` with a `code`, by which
   * those of the adapters are told always.
   */
  onWarning?: ((warning: Warning) => void) | undefined
  /** Told of every part that reached a band. What it throws is ignored. */
  onReduce?: ((event: ReduceEvent) => void) | undefined
  /** Told of what a summary cost. What it throws is ignored. */
  onUsage?: ((event: UsageEvent) => void) | undefined
}

// ---- summaries ------------------------------------------------------------------------------------------------------

/** What summaries cost. */
export interface Usage {
  /** Calls of a model, with those that failed or were not waited for: of these nothing but the request is known. */
  requests: number
  inputTokens: number
  outputTokens: number
  totalTokens: number
}

/** What a model is asked for. */
export interface SummaryRequest {
  /** The whole prompt, with the output in it. */
  prompt: string
  /** The output alone. */
  text: string
  toolName: string
  /** The model of the action, the call or the options; absent where there is none. */
  model?: unknown
  /** Chars of the summary at most. */
  maxChars: number
  /** Fires when the time is up or the call is aborted. */
  signal: AbortSignal
}

/** What a model answered. */
export interface SummaryResponse {
  text: string
  /** What it cost. What is absent counts as 0, `requests` as 1, `totalTokens` as the sum. Where it throws: one request. */
  usage?: { [K in keyof Usage]?: Usage[K] | undefined } | undefined
}

/** Calls a model. A throw, a rejection or anything but text falls back with `summary_failed`. */
export type Generate = (request: SummaryRequest) => string | SummaryResponse | PromiseLike<string | SummaryResponse>

/**
 * Wraps a summary so that a durable engine records it. `operation.id` is the same when the run is replayed; a journal
 * that has a result for it returns that and does not call `run`, and then no usage is counted. What `run` gives is to be
 * kept whole: it also tells where the usage limit forbade the call.
 */
export type Journal = (
  operation: { id: string; kind: 'summarize'; input: JsonValue },
  run: (input: JsonValue) => Promise<SummaryResponse>,
) => PromiseLike<SummaryResponse | PromiseLike<SummaryResponse>>

// ---- reduce ---------------------------------------------------------------------------------------------------------

/** A part of what a tool returns for the model: text, an image, a link … */
export interface ContentBlock {
  type: string
  [key: string]: unknown
}

/** What is known of a tool call besides its value. */
export interface ReduceContext {
  /** Not empty; `reduce` rejects without it. */
  toolName: string
  /** Makes the handle, with `runId` and `retry`. Absent or empty: random per call. */
  toolCallId?: string | undefined
  /** Absent or empty: that of the options. */
  runId?: string | undefined
  /** How often the call was tried before: a whole number ≥ 0, else `reduce` rejects. Default 0. */
  retry?: number | undefined
  /** What the tool returned for the model beside its value; reduced on its own, under its own handle. */
  content?: string | readonly ContentBlock[] | undefined
  /** What the tool returned for the application. Copied where a handle is added, never changed. */
  metadata?: unknown
  /** What the application says of the tool, for `toolFilter`. */
  toolMetadata?: Record<string, unknown> | undefined
  /** Aborts summaries and writes; `reduce` then falls back, and does not reject. */
  signal?: AbortSignal | undefined
  /** For this call, instead of that of the options. */
  store?: OverflowStore | undefined
  /** For this call, instead of that of the options. */
  model?: unknown
  /** For this call, instead of that of the options. */
  generate?: Generate | undefined
  /** For this call, instead of that of the options. */
  journal?: Journal | undefined
  /** The run's own count of requests, for `usageLimits`; compared by identity, never written to. */
  usage?: { requests: number } | undefined
  /** A finite `requests` keeps one request back for the parent; summaries that would pass it fall back. */
  usageLimits?: { requests?: number | undefined } | undefined
  /** The arguments of the tool call, for filters and stores. */
  input?: unknown
  /** Set by host adapters only: comes after the call's and the options' own. */
  adapter?: { generate?: Generate | undefined } | undefined
  /** The charset of bytes that are text: a WHATWG label. An unknown one is ignored, with a warning. */
  charset?: string | undefined
}

/** What happened to a part, and why. */
export interface PartReport {
  /**
   * What produced the output. `'none'`: exempt, or below every band. `'passthrough'` also where no action could run, or
   * an envelope would not have been shorter.
   */
  action: 'none' | Action['type']
  /** As measured, in `unit`. Of an exempt tool the length of a string or of bytes, else 0. */
  size: number
  unit: 'chars' | 'tokens' | 'bytes'
  /** Chars of the output; 0 for bytes that were kept. */
  chars: number
  /** Of a spilled part: by which it is read back. */
  handle?: string
  /** Of a spilled part: bytes that were stored. */
  bytes?: number
  /** Lone surrogates that became U+FFFD; absent where there were none. */
  replaced?: number
  /** The actions that were tried before, in order. */
  fallbacks: { action: Action['type']; reason: FallbackReason }[]
  /** What a summary cost. */
  usage?: Usage
}

/** Nothing was reduced: all is the very objects that were passed in. */
export interface Untouched<T> {
  reduced: false
  value: T
  /** Absent where none was passed in. */
  content?: string | ContentBlock[]
  /** Absent where none was passed in. */
  metadata?: Record<string, unknown>
  report: PartReport
  /** Absent where there is no content, or the tool is exempt. */
  contentReport?: PartReport
}

/** The value or the content was reduced; persist what is here. */
export interface Reduced<T> {
  reduced: true
  /** The reduced text; the value as it was where only the content was reduced. */
  value: T | string
  /** Absent where none was passed in. */
  content?: string | ContentBlock[]
  /**
   * The tool's metadata with `overflow_handle`, `overflow_bytes`, `overflow_content_handle` and
   * `overflow_content_bytes` of what was spilled. What was no object is under `original_metadata`.
   */
  metadata?: Record<string, unknown>
  report: PartReport
  /** Absent where there is no content. */
  contentReport?: PartReport
}

/** What `reduce` gives: a union on `reduced`, where false narrows the value to its own type. */
export type Reduction<T> = Reduced<T> | Untouched<T>

/** Counters of an action for a tool. */
export interface ActionStats {
  calls: number
  /** Sum of the sizes, each in its own unit. */
  sizeBefore: number
  /** Sum of the chars of the outputs. */
  charsAfter: number
  /** Actions that were tried and could not run. */
  fallbacks: number
}

/** Counters by tool, then by action. Tools after the first 1,000 names are together under `(other tools)`. */
export type Stats = Record<string, { [action: string]: ActionStats }>

/** Tells of a part that reached a band. Also published on the diagnostics channel `tool-output-limits:reduce`. */
export interface ReduceEvent {
  toolName: string
  toolCallId?: string
  runId?: string
  retry: number
  /** Both the text and the structured content of an MCP result are `'value'`. */
  part: 'value' | 'content'
  report: PartReport
  /** Milliseconds, fractions included. */
  durationMs: number
}

/** Tells what a summary cost. */
export interface UsageEvent {
  toolName: string
  toolCallId?: string
  runId?: string
  usage: Usage
}

/** Something that did not go as configured. Never contains the output's text, save what its `cause` may hold. */
export interface Warning {
  /** `TOL_…`, one per kind. */
  code: string
  message: string
  /** Absent where it is about no tool in particular. */
  toolName?: string
  /** Of an output that stays as it is, or could not be stored or summarized: why the action could not run. */
  reason?: FallbackReason
  /**
   * What a store, `generate`, a summarize function or a journal threw, as thrown: why there is that `reason`. It may hold
   * the output or a secret, so it is not enumerable, and a log of the warning does not show it. Absent where nothing was
   * thrown, and where a `LocalFileStore` or `MemoryStore` failed.
   */
  cause?: unknown
}

// ---- reading back ---------------------------------------------------------------------------------------------------

/** What is to be read. In snake_case because models write it; numbers may be numeric strings. */
export interface ReadInput {
  /** As the envelope gives it. Quotes, a full stop or the envelope's line around it do no harm. */
  handle: string
  /** Lines to skip, ≥ 0; matches with `pattern`, items with a `pointer` to an array. Default 0. */
  offset?: number | undefined
  /** Lines of the page, ≥ 1; above `readTool.maxLines` it is clamped, and the page says so. Default 200. */
  limit?: number | undefined
  /** Counts `offset` and `limit` from the end. Lines stay in forward order. Default false. */
  from_end?: boolean | undefined
  /**
   * Only lines that contain this literal text, each with its number; of a line of over 2,000 chars, or half of
   * `readTool.maxChars` where that is less, each place. Absent or empty: the text verbatim.
   */
  pattern?: string | undefined
  /** Chars to skip inside the first line, ≥ 0. Default 0. */
  char_offset?: number | undefined
  /** Takes `pattern` for a regular expression, searched in linear time. Default false. */
  regex?: boolean | undefined
  /** Matches without regard to case. Default false. */
  ignore_case?: boolean | undefined
  /** Lines to show around each match, 0 to 20. Default 0. */
  context?: number | undefined
  /** A JSON Pointer (RFC 6901) into stored JSON; in JSON Lines its first token is the index of the record. */
  pointer?: string | undefined
}

/** The same in camelCase, for `limits.read()`. */
export interface CamelReadInput extends Omit<ReadInput, 'from_end' | 'char_offset' | 'ignore_case'> {
  /** `from_end` */
  fromEnd?: boolean | undefined
  /** `char_offset` */
  charOffset?: number | undefined
  /** `ignore_case` */
  ignoreCase?: boolean | undefined
}

/** Who is reading. */
export interface ReadContext {
  /** For `readTool.scope: 'run'`, and to offer handles of the run where one is unknown. Default: that of the options. */
  runId?: string | undefined
  /** Instead of that of the options. */
  store?: OverflowStore | undefined
  /** Ends the wait for a custom store. */
  signal?: AbortSignal | undefined
}

/** A page of a spilled result. */
export interface ReadPage {
  found: boolean
  /**
   * Why nothing was found. `'arguments'`: the input is wrong; `'unknown'`: no such handle, or it expired;
   * `'unavailable'`: the store fails, try again later. Absent where `found`.
   */
  problem?: 'arguments' | 'unknown' | 'unavailable'
  /** The handle that was found in the input. */
  handle?: string
  /** Verbatim without `pattern`: joined page by page it is the stored text. */
  text: string
  /** Of the lines shown, from 1; 0 where there are none. */
  firstLine: number
  /** Of the lines shown, from 1; 0 where there are none. */
  lastLine: number
  totalLines: number
  /** Chars of `text`. */
  chars: number
  /**
   * With `pattern`: what matches. `line`: from 1; `char`: place of the match inside it; `text`: the line, or
   * a window of a long one (see `pattern` of the input), without its number. A long line matches again wherever the window
   * around the match before does not reach.
   */
  matches?: { line: number; char?: number; text: string }[]
  /** The input of the next page, in absolute offsets; absent at the end. */
  next?: ReadInput
  /** What the model should know besides: guidance, a clamped limit, the number of matches. */
  notice?: string
}

/** The read tool, for any host. */
export interface ReadToolDefinition {
  name: string
  /** Whether the model is to have the tool: `readTool.enabled`. Adapters leave it out where it is false. */
  enabled: boolean
  /** For the model. */
  description: string
  /** JSON Schema of types only: ranges are judged by `execute`, which explains them to the model. */
  inputSchema: {
    type: 'object'
    properties: Record<string, { type: string; description: string; [keyword: string]: unknown }>
    required: string[]
    additionalProperties: boolean
  }
  /** A page as text for the model. Never rejects: what is wrong is told in the text. */
  execute(input: unknown, context?: ReadContext): Promise<string>
}

// ---- stores ---------------------------------------------------------------------------------------------------------

/** Passed to every method of a store. */
export interface StoreOptions {
  /** Fires when nobody waits for the answer any longer. */
  signal?: AbortSignal | undefined
}

/**
 * Where spilled results go. Methods may answer at once or with a promise; one that throws, hangs or answers wrongly
 * makes the spill fall back.
 */
export interface OverflowStore {
  /**
   * Stores bytes and gives the handle, well-formed and not empty, by which they are read. A write under a key that holds
   * other bytes gives a new handle and leaves the first intact; the same bytes give the same handle.
   */
  write(key: string, data: Uint8Array, options?: StoreOptions): string | PromiseLike<string>
  /** The bytes. An unknown handle: null, undefined, or an error with code `ENOENT`; another error: try again later. */
  read(
    handle: string,
    options?: StoreOptions,
  ): Uint8Array | null | undefined | PromiseLike<Uint8Array | null | undefined>
  /** The bytes from `start` up to and without `end`. With `size`, lets pages be read without loading the whole. */
  readRange?(handle: string, start: number, end: number, options?: StoreOptions): Uint8Array | PromiseLike<Uint8Array>
  /** How many bytes there are. */
  size?(handle: string, options?: StoreOptions): number | PromiseLike<number>
  /**
   * Deletes what a handle names. Called where an envelope turned out not to be shorter, or a write came too late, of handles
   * that hold their key: another may be that of the same bytes from before. So may one that a call has written before under
   * the same ids, in another process: a store that can tell leaves it.
   */
  delete?(handle: string, options?: StoreOptions): void | PromiseLike<void>
  /** How the model reads a handle where another tool does it, such as files in a workspace; the read tool is then not needed. */
  readInstruction?(handle: string): string
  /** Whether a call itself reads a spilled result, and so is never reduced. */
  exempts?(call: ToolCall): boolean
}

/** What `new LocalFileStore()` takes. */
export interface LocalFileStoreOptions {
  /**
   * The directory, made where it is missing; `~` is refused. Default `<os tmp>/tool-output-limits-<uid>`, so that a later
   * run finds it.
   */
  root?: string | undefined
  /**
   * Milliseconds after the last write until a file is deleted in the background. > 0, default: never. Writes look for such
   * files once a minute, so it may take that much longer.
   */
  cleanupAfterMs?: number | undefined
  /** Bytes under the root and scope at most; the oldest files go first. > 0, default: no limit. */
  maxBytes?: number | undefined
  /** Bytes of a file at most; a larger result falls back. > 0, default: no limit. */
  maxFileBytes?: number | undefined
  /** A part of the root with handles of its own: 1 to 40 of `a-z 0-9 _ -`. Default: none. */
  scope?: string | undefined
}

/**
 * Spilled results as files, private to the user: directories 0700, files 0600, no link followed, nothing half written.
 * The handle is the path relative to the root. Methods reject where the store fails, with a `reason` (a `FallbackReason`),
 * and for an unknown handle with the reason `not_found` and the code `ENOENT`.
 */
export declare class LocalFileStore implements OverflowStore {
  /** Touches no file. Throws RangeError or TypeError for a wrong option. */
  constructor(options?: LocalFileStoreOptions)
  /** The directory, as an absolute path. */
  readonly root: string
  /** Stores bytes under a key and gives the handle: the key, or `key~2` … where it holds other bytes. */
  write(key: string, data: Uint8Array, options?: StoreOptions): Promise<string>
  /** The whole file. Rejects with code `ENOENT` for an unknown handle. */
  read(handle: string, options?: StoreOptions): Promise<Uint8Array>
  /** The bytes from `start` up to and without `end`, fewer where the file ends. Rejects with code `ENOENT`. */
  readRange(handle: string, start: number, end: number, options?: StoreOptions): Promise<Uint8Array>
  /** Bytes of the file. Rejects with code `ENOENT`. */
  size(handle: string, options?: StoreOptions): Promise<number>
  /** Deletes the file. Rejects with code `ENOENT` for an unknown handle. */
  delete(handle: string, options?: StoreOptions): Promise<void>
  /** Deletes files by age, by run or both, and tells how much; without options, all. Rejects for an unknown option. */
  prune(options?: PruneOptions): Promise<{ files: number; bytes: number }>
}

/** Options of `LocalFileStore.prune`. One that is given as undefined is a TypeError: it would delete more than was meant. */
export interface PruneOptions {
  /** Milliseconds since the last write. ≥ 0, default: of any age. */
  olderThanMs?: number
  /** Default: of all runs. */
  runId?: string
}

/** Options of `MemoryStore`. */
export interface MemoryStoreOptions {
  /** Bytes in all; the oldest results make room, and a larger result falls back. > 0, default: no limit. */
  maxBytes?: number | undefined
}

/**
 * Spilled results in the memory of this process: for tests, and for runs that nothing needs to outlive. Behaves as
 * `LocalFileStore` does.
 */
export declare class MemoryStore implements OverflowStore {
  /** Throws RangeError or TypeError for a wrong option. */
  constructor(options?: MemoryStoreOptions)
  /** Stores bytes under a key and gives the handle: the key, or `key~2` … where it holds other bytes. */
  write(key: string, data: Uint8Array, options?: StoreOptions): Promise<string>
  /** The whole result. Rejects with code `ENOENT` for an unknown handle. */
  read(handle: string, options?: StoreOptions): Promise<Uint8Array>
  /** The bytes from `start` up to and without `end`, fewer where the result ends. Rejects with code `ENOENT`. */
  readRange(handle: string, start: number, end: number, options?: StoreOptions): Promise<Uint8Array>
  /** Bytes of the result. Rejects with code `ENOENT`. */
  size(handle: string, options?: StoreOptions): Promise<number>
  /** Deletes the result. Rejects with code `ENOENT` for an unknown handle. */
  delete(handle: string, options?: StoreOptions): Promise<void>
}

// ---- the class ------------------------------------------------------------------------------------------------------

/** An MCP `CallToolResult`, structurally. */
export interface CallToolResultLike {
  content?: unknown
  structuredContent?: unknown
  isError?: boolean | undefined
  _meta?: Record<string, unknown> | undefined
}

/**
 * Reduces oversized tool results, and reads them back. One instance serves any number of calls at the same time.
 *
 * @example
 * const limits = new ToolOutputLimits()
 * const { value } = await limits.reduce(output, { toolName: 'log', runId, toolCallId })
 */
export declare class ToolOutputLimits {
  /** Throws RangeError or TypeError that names the option and its value. */
  constructor(options?: ToolOutputLimitsOptions)
  /** Stable name of the instance for journals. Default `'tool_output_limits'`. */
  readonly id: string
  /** Everything spent on summaries so far, as a copy. */
  readonly usage: Usage
  /**
   * Reduces one tool result; below every band it comes back by reference. Rejects only for a missing `toolName` or a
   * wrong `retry`, never because of the value, the store, the model, a callback or an abort.
   */
  reduce<T>(value: T, context: ReduceContext): Promise<Reduction<T>>
  /** A page of a spilled result, as data. Does not reject: see `found` and `problem`. */
  read(input: ReadInput | CamelReadInput, context?: ReadContext): Promise<ReadPage>
  /** The tool by which a model reads spilled results. Asking for it tells that it is registered. */
  readToolResult(): ReadToolDefinition
  /**
   * Reduces an MCP result: its text as one part, `structuredContent` that differs from it as another. Errors and media
   * stay. `outputSchema: true`: the tool has one, so the structured content must stay. Rejects as `reduce` does.
   */
  reduceCallToolResult<R extends CallToolResultLike>(
    result: R,
    context: ReduceContext & { outputSchema?: boolean | undefined },
  ): Promise<R>
  /**
   * Another instance with the same run and store, its own usage, and options that replace those here. Explicit bands
   * merge, a later one replacing one with the same `over`; tools of `perTool` and options of `readTool` merge by name.
   * The `id` stays, whatever is given. Throws as the constructor does.
   */
  extend(options: ToolOutputLimitsOptions): ToolOutputLimits
  /** Counters by tool and action since the instance was made, as a copy. */
  stats(): Stats
}

/** Any value as JSON with two spaces of indent, total as the serializer `'indented-json'`: it never throws. */
export declare function indentedJson(value: unknown): string
/** An array as one line of JSON per element, anything else as `indentedJson`: the serializer `'json-lines'`. */
export declare function jsonLines(value: unknown): string
