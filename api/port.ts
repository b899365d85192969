import { AsyncLocalStorage } from 'node:async_hooks'
import type { Answer, Question } from '../native.cjs'
import { native } from './native.js'

/** What only JavaScript can hold of a call while the engine works on it. */
export interface OpenCall {
  /** The strings that the engine takes windows of, by their numbers there: the body, the shape, then answers. */
  readonly texts: string[]
  /** Answers a question of the engine. Never rejects. */
  answer(question: Question): Promise<Answer>
}

/** A call, and the way into the async context it was made in: the engine's questions come from outside of any. */
interface Entry extends OpenCall {
  readonly inContext: <T>(work: () => T) => T
}

const calls = new Map<number, Entry>()
let lastNumber = 0

/** The one way from the engine's threads into this JavaScript environment. */
export const port = new native.Port(
  // A window of a string that is gone is too short, which the engine sees.
  (call: number, text: number, start: number, end: number) => calls.get(call)?.texts[text]?.slice(start, end) ?? '',
  async (call: number, question: Question): Promise<Answer> => {
    try {
      const entry = calls.get(call)
      return entry === undefined ? { reason: 'aborted' } : await entry.inContext(() => entry.answer(question))
    } catch {
      return {}
    }
  },
)

/**
 * Lets the engine reach a call by a number while `work` runs. The call is held here, not by the instance, so that an
 * instance which nobody refers to any more can be collected in the middle of it.
 */
export async function withCall<T>(call: OpenCall, work: (number: number) => Promise<T>): Promise<T> {
  do lastNumber = (lastNumber + 1) >>> 0
  while (calls.has(lastNumber))
  const number = lastNumber
  calls.set(number, { ...call, inContext: AsyncLocalStorage.snapshot() })
  try {
    return await work(number)
  } finally {
    calls.delete(number)
  }
}
