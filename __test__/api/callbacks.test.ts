import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { callNow, notify, settle } from '../../api/callbacks.js'

/** Behaviours of a function of the application, and how a call of it must end within a second of its clock. */
type Row = [comment: string, f: () => unknown, outcome: object]

const hostile = new Proxy(() => {}, {
  get() {
    throw 'trap'
  },
})

function thenable(then: (resolve: (value: unknown) => void, reject: (error: unknown) => void) => void): object {
  return { then }
}

const rows: Row[] = [
  ['answers at once', () => 1, { ok: true, value: 1 }],
  ['answers with undefined', () => undefined, { ok: true, value: undefined }],
  ['answers with an object', () => ({ a: 1 }), { ok: true, value: { a: 1 } }],
  ['answers with null', () => null, { ok: true, value: null }],
  ['resolves', async () => 'late', { ok: true, value: 'late' }],
  ['rejects', () => Promise.reject(new Error('no')), { ok: false, why: 'threw', error: new Error('no') }],
  ['rejects with undefined', () => Promise.reject(), { ok: false, why: 'threw', error: undefined }],
  [
    'throws',
    () => {
      throw new Error('no')
    },
    { ok: false, why: 'threw', error: new Error('no') },
  ],
  [
    'throws undefined',
    () => {
      throw undefined
    },
    { ok: false, why: 'threw', error: undefined },
  ],
  [
    'throws a symbol',
    () => {
      throw Symbol.iterator
    },
    { ok: false, why: 'threw', error: Symbol.iterator },
  ],
  ['never settles', () => new Promise(() => {}), { ok: false, why: 'timeout' }],
  ['thenable that resolves', () => thenable((resolve) => resolve(2)), { ok: true, value: 2 }],
  [
    'thenable that throws',
    () =>
      thenable(() => {
        throw 'then'
      }),
    { ok: false, why: 'threw', error: 'then' },
  ],
  [
    'thenable that calls back twice and throws',
    () =>
      thenable((resolve, reject) => {
        resolve(1)
        resolve(2)
        reject(3)
        throw 4
      }),
    { ok: true, value: 1 },
  ],
  ['thenable that never calls back', () => thenable(() => {}), { ok: false, why: 'timeout' }],
  [
    'object whose then throws',
    () => ({
      get then() {
        throw 'get'
      },
    }),
    { ok: false, why: 'threw', error: 'get' },
  ],
  ['proxy whose traps throw', () => hostile, { ok: false, why: 'threw', error: 'trap' }],
]

let unhandled: unknown[]
const onUnhandled = (error: unknown) => unhandled.push(error)

beforeEach(() => {
  unhandled = []
  process.on('unhandledRejection', onUnhandled)
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
})
afterEach(async () => {
  vi.useRealTimers()
  await nextTurn()
  process.off('unhandledRejection', onUnhandled)
  expect(unhandled).toEqual([])
})

/** Unhandled rejections are told before the next turn of the event loop. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

describe('settle', () => {
  it.each(rows)('%s', async (_comment, f, outcome) => {
    const settled = settle(f, 1_000)
    await vi.advanceTimersByTimeAsync(1_000)
    expect(await settled).toEqual(outcome)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('asks for then once', async () => {
    let asked = 0
    const value = {
      get then() {
        asked++
        return undefined
      },
    }
    expect(await settle(() => value, 1_000)).toEqual({ ok: true, value })
    expect(asked).toBe(1)
  })

  it('ignores a late value and a late rejection', async () => {
    let late: { resolve: (value: unknown) => void; reject: (error: unknown) => void } | undefined
    for (const end of ['resolve', 'reject'] as const) {
      const settled = settle(
        () =>
          new Promise((resolve, reject) => {
            late = { resolve, reject }
          }),
        10,
      )
      await vi.advanceTimersByTimeAsync(10)
      late?.[end](new Error('late'))
      expect(await settled).toEqual({ ok: false, why: 'timeout' })
    }
  })

  it('waits until the last millisecond, and no longer', async () => {
    const early = settle(() => new Promise((resolve) => setTimeout(resolve, 9, 'in time')), 10)
    await vi.advanceTimersByTimeAsync(10)
    expect(await early).toEqual({ ok: true, value: 'in time' })
  })

  it('takes a time limit beyond what a timer can do', async () => {
    const settled = settle(() => new Promise((resolve) => setTimeout(resolve, 50, 'later')), Number.MAX_SAFE_INTEGER)
    await vi.advanceTimersByTimeAsync(50)
    expect(await settled).toEqual({ ok: true, value: 'later' })
  })

  it('does not call for a signal that has fired', async () => {
    const f = vi.fn()
    expect(await settle(f, 1_000, AbortSignal.abort())).toEqual({ ok: false, why: 'aborted' })
    expect(f).not.toHaveBeenCalled()
  })

  it('ends when the signal fires, and leaves no timer', async () => {
    const controller = new AbortController()
    const settled = settle(() => new Promise(() => {}), 1_000, controller.signal)
    controller.abort()
    expect(await settled).toEqual({ ok: false, why: 'aborted' })
    expect(vi.getTimerCount()).toBe(0)
  })

  it('ends when f itself fires the signal and then hangs', async () => {
    const controller = new AbortController()
    const settled = settle(
      () => {
        controller.abort()
        return new Promise(() => {})
      },
      1_000,
      controller.signal,
    )
    expect(await settled).toEqual({ ok: false, why: 'aborted' })
  })

  it('ends for a foreign signal that calls its listener while it is added', async () => {
    const signal = { aborted: false, addEventListener: (_: string, f: () => void) => f(), removeEventListener() {} }
    const settled = settle(() => new Promise(() => {}), 1_000, signal as unknown as AbortSignal)
    expect(await settled).toEqual({ ok: false, why: 'aborted' })
    expect(vi.getTimerCount()).toBe(0)
  })
})

describe('whatever a function answers or throws', () => {
  it('settle resolves', async () => {
    await fc.assert(
      fc.asyncProperty(fc.anything(), fc.constantFrom('return', 'throw', 'resolve', 'reject'), async (given, how) => {
        const outcome = await settle(() => {
          if (how === 'throw') throw given
          return how === 'resolve' ? Promise.resolve(given) : how === 'reject' ? Promise.reject(given) : given
        }, 1_000)
        const isFailure = how === 'throw' || how === 'reject'
        expect(outcome).toStrictEqual(
          isFailure ? { ok: false, why: 'threw', error: given } : { ok: true, value: given },
        )
      }),
    )
  })
})

describe('callNow', () => {
  it('tells an answer from a promise and a throw', async () => {
    expect(callNow(() => 1)).toEqual({ value: 1 })
    expect(
      callNow(() => {
        throw undefined
      }),
    ).toEqual({ threw: undefined })
    const answer = callNow(async () => 2)
    expect('later' in answer && (await answer.later)).toBe(2)
  })
})

describe('notify', () => {
  it.each(rows)('a sink that %s', (_comment, f) => {
    const sink = vi.fn(f)
    notify(sink, 'event')
    expect(sink).toHaveBeenCalledExactlyOnceWith('event')
  })

  it('needs no sink', () => {
    expect(() => notify(undefined, 'event')).not.toThrow()
  })
})
