import { callNow } from './callbacks.js'

/** What only stands for a result, by the name that it gives itself, and what to do with it. */
const UNFINISHED: Readonly<Record<string, string>> = {
  '[object Promise]': 'is a promise: await it',
  '[object Response]': 'is a Response: give its text, with await response.text()',
  '[object ReadableStream]': 'is a stream: read it to its end, and give what it gave',
  '[object AsyncGenerator]': 'is a generator: collect what it yields, and give that',
}

/** What was forgotten where a value is given that has no content yet; undefined for every other. */
export function unfinished(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const tag = callNow(() => Object.prototype.toString.call(value))
  return 'value' in tag ? UNFINISHED[tag.value] : undefined
}
