import type { CallToolResultLike, PartReport } from '../index.js'
import { type ContentParts, contentParts } from './content.js'
import { renderJson } from './render.js'

/** Whether two JSON texts say the same, whatever the order of keys, spacing and spelling of numbers and strings. */
export type SameJson = (a: string, b: string) => Promise<boolean>

/** An MCP `CallToolResult` as it was at the moment of the call. */
export interface CallToolResultParts {
  readonly content: ContentParts
  /** Undefined where the result has none. */
  readonly structuredContent: unknown
  /** Everything but content and structured content. */
  readonly rest: Readonly<Record<string, unknown>>
}

/** What became of a part. */
export interface ReducedPart {
  readonly text: string
  readonly report: PartReport
}

const META_HANDLE = 'tool-output-limits/handle'
const META_STRUCTURED_HANDLE = 'tool-output-limits/structured-handle'
/** How a text begins that may be JSON which is not spelled like ours. */
const JSON_START = /^[ \t\r\n]*[[{"\d-]/
/** Under these keys servers wrap a plain text or list to make an object of it. */
const WRAPPERS = ['content', 'result']

/** Takes a result apart; undefined for one that stays as it is: an error, or something that is no result. */
export function callToolResultParts(result: unknown): CallToolResultParts | undefined {
  try {
    if (typeof result !== 'object' || result === null) return undefined
    const { content, structuredContent, ...rest } = result as CallToolResultLike & Record<string, unknown>
    if (rest.isError === true || !Array.isArray(content)) return undefined
    const parts = contentParts(content)
    return parts.blocks === undefined ? undefined : { content: parts, structuredContent, rest }
  } catch {
    return undefined
  }
}

/**
 * Makes a function that tells whether structured content only repeats the text of the result, itself or wrapped as
 * `{ content }` or `{ result }`; of a list each item may be a text of its own. The structured content is rendered now, and
 * compared when the function is called.
 */
export function repetition(
  structuredContent: unknown,
  { text, texts }: { readonly text: string; readonly texts: readonly string[] },
  isSameJson: SameJson,
): () => Promise<boolean> {
  const whole = renderJson(structuredContent).text
  const wrapped = unwrapped(structuredContent, whole)
  return async () => {
    if (whole === text || wrapped?.json === text || (wrapped !== undefined && wrapped.value === text)) return true
    if (await isListOf([whole, wrapped?.json], texts, isSameJson)) return true
    if (!JSON_START.test(text.slice(0, 100))) return false
    return (await isSameJson(whole, text)) || (wrapped !== undefined && (await isSameJson(wrapped.json, text)))
  }
}

/** Whether one of the JSON texts is a list of what the texts are, one by one: strings as they are, else JSON. */
async function isListOf(
  jsons: readonly (string | undefined)[],
  texts: readonly string[],
  isSameJson: SameJson,
): Promise<boolean> {
  const list = jsons.find((json) => json?.startsWith('['))
  // Spacing and escapes make it longer or shorter than the texts, but not by much: no work for what cannot be the same.
  const chars = texts.reduce((sum, { length }) => sum + length, 0)
  if (list === undefined || list.length > 2 * chars + 100 || chars > 8 * list.length + 100) return false
  try {
    const items: unknown = JSON.parse(list)
    if (!Array.isArray(items) || items.length !== texts.length) return false
    const rest = items.flatMap((item, index) => (item === texts[index] ? [] : [index]))
    if (rest.some((index) => typeof items[index] === 'string' && JSON.stringify(items[index]) !== texts[index]))
      return false
    if (rest.length === 0) return true
    const [a, b] = [rest.map((index) => JSON.stringify(items[index])), rest.map((index) => texts[index])]
    return await isSameJson(`[${a.join(',')}]`, `[${b.join(',')}]`)
  } catch {
    return false // more chars than a string can have
  }
}

/** The one value that an object wraps, as it is where that is a string, and as JSON. */
function unwrapped(structuredContent: unknown, whole: string): { value: unknown; json: string } | undefined {
  const key = wrapperOf(structuredContent)
  const start = `{"${key}":`
  // Taken out of the rendering, so that no getter is asked again.
  if (key === undefined || !whole.startsWith(start)) return undefined
  const json = whole.slice(start.length, -1)
  if (!json.startsWith('"')) return { value: undefined, json }
  try {
    return { value: JSON.parse(json), json }
  } catch {
    return undefined // a `toJSON` gave more than the one key
  }
}

function wrapperOf(structuredContent: unknown): string | undefined {
  try {
    if (typeof structuredContent !== 'object' || structuredContent === null) return undefined
    const [key, ...others] = Object.keys(structuredContent)
    return key !== undefined && others.length === 0 && WRAPPERS.includes(key) ? key : undefined
  } catch {
    return undefined
  }
}

/** What was made of the parts of a result. */
export interface CallToolResultChange {
  /** The reduced text of the text blocks; undefined where they stay. */
  readonly text?: ReducedPart | undefined
  /** The envelope of structured content that was a part of its own; undefined where it stays or is dropped. */
  readonly structured?: ReducedPart | undefined
  /** Whether structured content goes with the text that it repeats. */
  readonly dropsStructured: boolean
}

/** Puts a result together again, or gives undefined where nothing was reduced and the original is to be returned. */
export function assembleCallToolResult(
  parts: CallToolResultParts,
  { text, structured, dropsStructured }: CallToolResultChange,
): CallToolResultLike | undefined {
  if (text === undefined && structured === undefined) return undefined
  const blocks = text === undefined ? (parts.content.blocks ?? []) : parts.content.replaceText(text.text)
  const content: unknown[] = [...blocks]
  if (structured !== undefined) content.push({ type: 'text', text: structured.text })
  const result: Record<string, unknown> = { ...parts.rest, content }
  const isGone = structured !== undefined || (dropsStructured && text !== undefined)
  if (parts.structuredContent !== undefined && !isGone) result.structuredContent = parts.structuredContent
  const handles = {
    ...(text?.report.handle !== undefined && { [META_HANDLE]: text.report.handle }),
    ...(structured?.report.handle !== undefined && { [META_STRUCTURED_HANDLE]: structured.report.handle }),
  }
  if (Object.keys(handles).length > 0) result._meta = { ...metaOf(parts.rest), ...handles }
  return result
}

function metaOf(rest: Readonly<Record<string, unknown>>): object {
  try {
    return { ...(rest._meta as object | undefined) }
  } catch {
    return {}
  }
}
