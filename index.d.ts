/** A JSON value. */
export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue }

/** Why an action could not run. Documented in docs/errors.md. */
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

export interface Truncate {
  readonly type: 'truncate'
  readonly maxChars?: number | undefined
  readonly strategy?: 'head' | 'tail' | 'head-tail' | undefined
  readonly keepTailLines?: number | undefined
  readonly json?: 'valid' | 'text' | undefined
  readonly keepMatching?: RegExp | readonly string[] | undefined
  readonly fallback?: Action | undefined
}
export interface Spill {
  readonly type: 'spill'
  readonly previewChars?: number | undefined
  readonly highlights?: false | RegExp | readonly string[] | undefined
  readonly fallback?: Action | undefined
}
export interface Summarize {
  readonly type: 'summarize'
  readonly model?: unknown
  readonly summarize?: Summarizer | undefined
  readonly maxChars?: number | undefined
  readonly timeoutMs?: number | undefined
  readonly fallback?: Action | undefined
}
export interface Passthrough {
  readonly type: 'passthrough'
}
export type Action = Truncate | Spill | Summarize | Passthrough
export type Summarizer = (toolName: string, text: string, options: { signal: AbortSignal }) => string | PromiseLike<string>
export type TruncateOptions = Omit<Truncate, 'type'>
export type SpillOptions = Omit<Spill, 'type'>
export type SummarizeOptions = Omit<Summarize, 'type'>

export interface Band {
  readonly over: number
  readonly action: Action
}
export type SerializerName = 'json' | 'indented-json' | 'json-lines'

export interface ToolCall {
  toolName: string
  toolCallId?: string | undefined
  runId?: string | undefined
  retry: number
  input?: unknown
  toolMetadata?: Record<string, unknown> | undefined
}
export type ToolFilter = 'all' | readonly string[] | Readonly<Record<string, unknown>> | ((call: ToolCall) => boolean | PromiseLike<boolean>)

export interface ReadToolOptions {
  name?: string | undefined
  enabled?: boolean | undefined
  maxLines?: number | undefined
  maxChars?: number | undefined
  scope?: 'store' | 'run' | undefined
}

export interface ToolOutputLimitsOptions {
  bands?: readonly Band[] | undefined
  perTool?: Readonly<Record<string, readonly Band[]>> | undefined
  toolFilter?: ToolFilter | undefined
  overTokens?: boolean | undefined
  tokenizer?: ((text: string) => number | PromiseLike<number>) | undefined
  serializer?: SerializerName | ((value: unknown) => string | PromiseLike<string>) | undefined
  stripAnsi?: boolean | undefined
  terminal?: boolean | undefined
  store?: OverflowStore | undefined
  model?: unknown
  generate?: Generate | undefined
  summaryPrompt?: string | undefined
  journal?: Journal | undefined
  readTool?: ReadToolOptions | undefined
  callbackTimeoutMs?: number | undefined
  id?: string | undefined
  runId?: string | undefined
  onWarning?: ((warning: Warning) => void) | undefined
  onReduce?: ((event: ReduceEvent) => void) | undefined
  onUsage?: ((event: UsageEvent) => void) | undefined
}

export interface Usage {
  requests: number
  inputTokens: number
  outputTokens: number
  totalTokens: number
}
export interface SummaryRequest {
  prompt: string
  text: string
  toolName: string
  model?: unknown
  maxChars: number
  signal: AbortSignal
}
export interface SummaryResponse {
  text: string
  usage?: Partial<Usage> | undefined
}
export type Generate = (request: SummaryRequest) => string | SummaryResponse | PromiseLike<string | SummaryResponse>
export type Journal = (
  operation: { id: string; kind: 'summarize'; input: JsonValue },
  run: (input: JsonValue) => Promise<SummaryResponse>,
) => PromiseLike<SummaryResponse>

export interface ContentBlock {
  type: string
  [key: string]: unknown
}
export interface ReduceContext {
  toolName: string
  toolCallId?: string | undefined
  runId?: string | undefined
  retry?: number | undefined
  content?: string | ContentBlock[] | undefined
  metadata?: unknown
  toolMetadata?: Record<string, unknown> | undefined
  signal?: AbortSignal | undefined
  store?: OverflowStore | undefined
  model?: unknown
  generate?: Generate | undefined
  journal?: Journal | undefined
  usage?: { requests: number } | undefined
  usageLimits?: { requests?: number | undefined } | undefined
  input?: unknown
  adapter?: { generate?: Generate | undefined } | undefined
  charset?: string | undefined
}

export interface PartReport {
  action: 'none' | 'passthrough' | 'truncate' | 'spill' | 'summarize'
  size: number
  unit: 'chars' | 'tokens' | 'bytes'
  chars: number
  handle?: string
  bytes?: number
  replaced?: number
  fallbacks: { action: string; reason: FallbackReason }[]
  usage?: Usage
}
export interface Untouched<T> {
  reduced: false
  value: T
  content?: string | ContentBlock[]
  metadata?: Record<string, unknown>
  report: PartReport
  contentReport?: PartReport
}
export interface Reduced<T> {
  reduced: true
  value: T | string
  content?: string | ContentBlock[]
  metadata?: Record<string, unknown>
  report: PartReport
  contentReport?: PartReport
}
export type Reduction<T> = Reduced<T> | Untouched<T>
export type Stats = Record<string, { [action: string]: { calls: number; sizeBefore: number; charsAfter: number; fallbacks: number } }>
export interface ReduceEvent {
  toolName: string
  toolCallId?: string
  runId?: string
  retry: number
  part: 'value' | 'content'
  report: PartReport
  durationMs: number
}
export interface UsageEvent {
  toolName: string
  toolCallId?: string
  runId?: string
  usage: Usage
}
export interface Warning {
  code: string
  message: string
  toolName?: string
  reason?: FallbackReason
}

export interface ReadInput {
  handle: string
  offset?: number | undefined
  limit?: number | undefined
  from_end?: boolean | undefined
  pattern?: string | undefined
  char_offset?: number | undefined
  regex?: boolean | undefined
  ignore_case?: boolean | undefined
  context?: number | undefined
  pointer?: string | undefined
}
export interface CamelReadInput extends Omit<ReadInput, 'from_end' | 'char_offset' | 'ignore_case'> {
  fromEnd?: boolean | undefined
  charOffset?: number | undefined
  ignoreCase?: boolean | undefined
}
export interface ReadContext {
  runId?: string | undefined
  store?: OverflowStore | undefined
  signal?: AbortSignal | undefined
}
export interface ReadPage {
  found: boolean
  problem?: 'arguments' | 'unknown' | 'unavailable'
  handle?: string
  text: string
  firstLine: number
  lastLine: number
  totalLines: number
  chars: number
  matches?: { line: number; char?: number; text: string }[]
  next?: ReadInput
  notice?: string
}
export interface ReadToolDefinition {
  name: string
  description: string
  inputSchema: {
    type: 'object'
    properties: Record<string, { type: string; description: string; [keyword: string]: unknown }>
    required: string[]
    additionalProperties: boolean
  }
  execute(input: unknown, context?: ReadContext): Promise<string>
}

export interface StoreOptions {
  signal?: AbortSignal | undefined
}
export interface OverflowStore {
  write(key: string, data: Uint8Array, options?: StoreOptions): string | PromiseLike<string>
  read(handle: string, options?: StoreOptions): Uint8Array | null | undefined | PromiseLike<Uint8Array | null | undefined>
  readRange?(handle: string, start: number, end: number, options?: StoreOptions): Uint8Array | PromiseLike<Uint8Array>
  size?(handle: string, options?: StoreOptions): number | PromiseLike<number>
  delete?(handle: string, options?: StoreOptions): void | PromiseLike<void>
  readInstruction?(handle: string): string
  exempts?(call: ToolCall): boolean
}
export interface LocalFileStoreOptions {
  root?: string | undefined
  cleanupAfterMs?: number | undefined
  maxBytes?: number | undefined
  maxFileBytes?: number | undefined
  scope?: string | undefined
}
export declare class LocalFileStore implements OverflowStore {
  constructor(options?: LocalFileStoreOptions)
  readonly root: string
  write(key: string, data: Uint8Array, options?: StoreOptions): Promise<string>
  read(handle: string, options?: StoreOptions): Promise<Uint8Array>
  readRange(handle: string, start: number, end: number, options?: StoreOptions): Promise<Uint8Array>
  size(handle: string, options?: StoreOptions): Promise<number>
  delete(handle: string, options?: StoreOptions): Promise<void>
  prune(options?: { olderThanMs?: number | undefined; runId?: string | undefined }): Promise<{ files: number; bytes: number }>
}

/** An MCP `CallToolResult`, structurally. */
export interface CallToolResultLike {
  content?: unknown
  structuredContent?: unknown
  isError?: boolean | undefined
  _meta?: Record<string, unknown> | undefined
}

export declare class ToolOutputLimits {
  constructor(options?: ToolOutputLimitsOptions)
  readonly id: string
  readonly usage: Usage
  reduce<T>(value: T, context: ReduceContext): Promise<Reduction<T>>
  read(input: ReadInput | CamelReadInput, context?: ReadContext): Promise<ReadPage>
  readToolResult(): ReadToolDefinition
  reduceCallToolResult<R extends CallToolResultLike>(result: R, context: ReduceContext & { outputSchema?: boolean | undefined }): Promise<R>
  extend(options: ToolOutputLimitsOptions): ToolOutputLimits
  stats(): Stats
}

export declare function truncate(options?: TruncateOptions): Truncate
export declare function spill(options?: SpillOptions): Spill
export declare function summarize(options?: SummarizeOptions): Summarize
export declare function passthrough(): Passthrough
export declare function indentedJson(value: unknown): string
export declare function jsonLines(value: unknown): string
