// Limits on a store of their own, and what a model or host sees of their results.
import {
  type Action,
  LocalFileStore,
  type PartReport,
  type ReadInput,
  type ReadPage,
  type ReduceContext,
  type ReduceEvent,
  type Reduction,
  summarize,
  ToolOutputLimits,
  type ToolOutputLimitsOptions,
  type UsageEvent,
  type Warning,
} from '../../index.js'
import { newRoot } from './roots.js'

export interface Setup {
  limits: ToolOutputLimits
  root: string
  store: LocalFileStore
  warnings: Warning[]
  events: ReduceEvent[]
  usages: UsageEvent[]
  /** reduce() with ids that make the handle `run/call.0`. */
  reduce<T>(value: T, context?: Partial<ReduceContext>): Promise<Reduction<T>>
}
/** Limits that store under a new root and collect what they tell. */
export function setup(options: ToolOutputLimitsOptions = {}): Setup {
  const root = newRoot()
  const store = new LocalFileStore({ root })
  const warnings: Warning[] = []
  const events: ReduceEvent[] = []
  const usages: UsageEvent[] = []
  const limits = new ToolOutputLimits({
    store,
    onWarning: (warning) => void warnings.push(warning),
    onReduce: (event) => void events.push(event),
    onUsage: (event) => void usages.push(event),
    ...options,
  })
  limits.readToolResult()
  const reduce: Setup['reduce'] = (value, context) =>
    limits.reduce(value, { toolName: 'tool', runId: 'run', toolCallId: 'call', ...context })
  return { limits, root, store, warnings, events, usages, reduce }
}
/** Reduces a value by one action that takes everything from 0 chars on. */
export function act<T>(
  action: Action,
  value: T,
  context?: Partial<ReduceContext>,
  options?: ToolOutputLimitsOptions,
): Promise<Reduction<T>> {
  return setup({ ...options, bands: [{ over: 0, action }] }).reduce(value, context)
}
/** The text of a value as it is measured and stored, seen through a summarizer; undefined where it never got that far. */
export async function rendered(value: unknown, options?: ToolOutputLimitsOptions): Promise<string | undefined> {
  let seen: string | undefined
  const action = summarize({
    summarize: (_toolName, text) => {
      seen = text
      return ''
    },
  })
  await act(action, value, {}, options)
  return seen
}

export interface Envelope {
  /** The bracketed first line. */
  line: string
  /** All numbers of that line outside the call, thousands separators removed. */
  figures: number[]
  /** Name and arguments of the call that reads the result back. */
  tool: string
  input: ReadInput
  /** The `shape:` line without its label. */
  shape: string | undefined
  /** What follows. */
  preview: string
}
/** Numbers of a text, written with thousands separators. */
export const numbersIn = (text: string): number[] =>
  [...text.matchAll(/\d{1,3}(?:,\d{3})+|\d+/g)].map(([digits]) => Number(digits.replaceAll(',', '')))
/** Takes an envelope apart by its structure, whatever its wording. */
export function envelope(value: unknown): Envelope {
  if (typeof value !== 'string') throw new TypeError('not an envelope: no text')
  const end = value.indexOf('\n')
  const line = end < 0 ? value : value.slice(0, end)
  const call = /([\w.-]+)\((\{.*\})\)/.exec(line)
  if (!/^\[.*\]$/.test(line) || !call) throw new Error(`not an envelope: ${line.slice(0, 200)}`)
  const input = JSON.parse(call[2]!) as ReadInput
  const outside = line.replace(call[0], '').replaceAll(JSON.stringify(input.handle), '')
  let preview = end < 0 ? '' : value.slice(end + 1)
  let shape: string | undefined
  const shaped = /^shape: (.*)\n/.exec(preview)
  if (shaped) {
    shape = shaped[1]
    preview = preview.slice(shaped[0].length)
  }
  return { line, figures: numbersIn(outside), tool: call[1]!, input, shape, preview }
}
/** The arguments of the next call at the end of an answer of the read tool, if it gives one. */
export function nextCall(answer: string, tool = 'read_tool_result'): ReadInput | undefined {
  const last = answer.trimEnd().split('\n').at(-1) ?? ''
  const at = last.indexOf(`${tool}(`)
  if (at < 0) return undefined
  return JSON.parse(last.slice(at + tool.length + 1, last.lastIndexOf(')'))) as ReadInput
}
/** Follows `next` from a first page to the end. Fails when a page makes no progress. */
export async function pagesFrom(limits: ToolOutputLimits, input: ReadInput): Promise<ReadPage[]> {
  const pages: ReadPage[] = []
  const asked = new Set<string>()
  for (let next: ReadInput | undefined = input; next; next = pages.at(-1)!.next) {
    const key = JSON.stringify(next)
    if (asked.has(key)) throw new Error(`asked twice: ${key}`)
    asked.add(key)
    pages.push(await limits.read(next))
  }
  return pages
}
/** The whole of a stored result, page by page. */
export async function readBack(limits: ToolOutputLimits, handle: string | undefined): Promise<string> {
  if (handle === undefined) throw new Error('there is no handle')
  const pages = await pagesFrom(limits, { handle, limit: 1000 })
  return pages.map(({ text }) => text).join('')
}
/** Reasons of a report's fallbacks, as `action: reason`. */
export const reasons = ({ fallbacks }: PartReport): string[] =>
  fallbacks.map(({ action, reason }) => `${action}: ${reason}`)
