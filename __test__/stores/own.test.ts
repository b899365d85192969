// Stores that an application wrote: how much is fetched of a large result, and what a bad one may do.
import { describe, expect, it } from 'vitest'
import { type OverflowStore, type ReadInput, spill, ToolOutputLimits, truncate } from '../../index.js'
import { act } from '../support/limits.js'
import { numberedLines } from '../support/text.js'

const MIB = 1 << 20
/** 100 MB of text that both kinds of store serve. */
const line = `${'0123456789 한 '.repeat(60)}\n`
const large = Buffer.alloc(100_000_000 - (100_000_000 % Buffer.byteLength(line)), line)

/** A store of one result that counts what is fetched of it. */
function counting(ranged: boolean) {
  const counts = { bytes: 0, calls: 0 }
  const give = (bytes: Uint8Array) => {
    counts.calls++
    counts.bytes += bytes.byteLength
    return bytes
  }
  const store: OverflowStore = { write: (key) => key, read: () => give(large) }
  if (ranged) {
    store.size = () => large.byteLength
    store.readRange = (_, start, end) => give(large.subarray(start, end))
  }
  return { store, counts }
}

describe('paging through 100 MB', () => {
  it.each([
    ['ranges', true],
    ['nothing but the whole', false],
  ])('of a store that serves %s fetches it once', async (_, ranged) => {
    const { store, counts } = counting(ranged)
    const limits = new ToolOutputLimits({ store })
    let next: ReadInput | undefined = { handle: 'run/call.0', limit: 50 }
    const pages: string[] = []
    for (let n = 0; n < 30; n++) {
      const page = await limits.read(next as ReadInput)
      expect(page).toMatchObject({ found: true, totalLines: large.byteLength / Buffer.byteLength(line) })
      pages.push(page.text)
      next = page.next
    }
    expect(pages.join('')).toBe(line.repeat(30 * 50))
    expect(counts.bytes).toBeGreaterThanOrEqual(large.byteLength)
    // A few blocks more than the one look over all of it.
    expect(counts.bytes).toBeLessThan(large.byteLength + 8 * MIB)
    expect(counts.calls).toBeLessThan(ranged ? 110 : 2)
    // From anywhere in it, by another instance as well.
    const before = counts.bytes
    const page = await new ToolOutputLimits({ store }).read({ handle: 'run/call.0', offset: 40_000, limit: 1 })
    expect(page.text).toBe(line)
    expect(counts.bytes - before).toBeLessThanOrEqual(2 * MIB)
  })

  it('keeps what it learns of one store from another', async () => {
    const [a, b] = ['a\nb\nc\n', 'abcde\n'].map((text): OverflowStore => {
      const bytes = Buffer.from(text)
      return {
        write: (key) => key,
        read: () => bytes,
        size: () => bytes.byteLength,
        readRange: (_, start, end) => bytes.subarray(start, end),
      }
    })
    const limits = new ToolOutputLimits()
    for (const [store, totalLines] of [
      [a, 3],
      [b, 1],
      [a, 3],
    ] as const) {
      expect(await limits.read({ handle: 'run/call.0' }, { store: store as OverflowStore })).toMatchObject({
        totalLines,
      })
    }
  })

  it('forgets what it learnt of a handle that is taken back and given again', async () => {
    const results = new Map<string, Uint8Array>()
    const store: OverflowStore = {
      write: (key, data) => {
        results.set(key, Uint8Array.from(data))
        return key
      },
      read: (handle) => results.get(handle),
      delete: (handle) => void results.delete(handle),
    }
    const limits = new ToolOutputLimits({ store, onWarning() {} })
    limits.readToolResult()
    const reduce = (text: string) => limits.reduce(text, { toolName: 't', runId: 'run', toolCallId: 'call' })
    await reduce(numberedLines(5_000))
    expect(await limits.read({ handle: 'run/call.0', limit: 1 })).toMatchObject({ totalLines: 5_000 })
    results.clear()
    await reduce(numberedLines(2_000, (n) => `other ${n}`))
    expect(await limits.read({ handle: 'run/call.0', limit: 1 })).toMatchObject({
      totalLines: 2_000,
      text: 'other 1\n',
    })
  })
})

describe('a bad store', () => {
  const text = numberedLines(5_000)
  const action = spill({ fallback: truncate() })
  /** A store over a map, changed for the worse. */
  function bad(changes: Partial<OverflowStore>): OverflowStore {
    const results = new Map<string, Uint8Array>()
    return {
      write: (key, data) => {
        results.set(key, Uint8Array.from(data))
        return key
      },
      read: (handle) => results.get(handle),
      ...changes,
    }
  }

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['an empty handle', ''],
    ['a number', 5],
    ['an object', { handle: 'x' }],
    ['a promise of nothing', Promise.resolve(null)],
  ])('that answers a write with %s has failed', async (_, answer) => {
    const { report } = await act(action, text, {}, { store: bad({ write: () => answer as string }) })
    expect(report).toMatchObject({ action: 'truncate', fallbacks: [{ action: 'spill', reason: 'store_failed' }] })
  })

  it('that hangs is given up, on write and on read', async () => {
    const hangs = () => new Promise<never>(() => {})
    const options = { callbackTimeoutMs: 30, store: bad({ write: hangs, read: hangs }) }
    const { report } = await act(action, text, {}, options)
    expect(report).toMatchObject({ action: 'truncate', fallbacks: [{ action: 'spill', reason: 'store_timeout' }] })
    const page = await new ToolOutputLimits(options).read({ handle: 'run/call.0' })
    expect(page).toMatchObject({ found: false, problem: 'unavailable' })
  })

  it.each([
    ['blob://store/with a space/"quote"', 5_000],
    ['https://example.com/x?y=1#z', 5_000],
  ])('that renames keys is read by its own handle: %s', async (handle, totalLines) => {
    let stored: Uint8Array | undefined
    const store = bad({
      write: (_, data) => {
        stored = Uint8Array.from(data)
        return handle
      },
      read: (asked) => (asked === handle ? stored : undefined),
    })
    const { report } = await act(action, text, {}, { store })
    expect(report).toMatchObject({ action: 'spill', handle })
    expect(await new ToolOutputLimits({ store }).read({ handle })).toMatchObject({ found: true, totalLines })
    const other = await new ToolOutputLimits({ store }).read({ handle: 'run/call.0' })
    expect(other).toMatchObject({ found: false, problem: 'unknown' })
  })

  it.each<[string, Partial<OverflowStore>]>([
    ['gives fewer bytes than were written', { read: () => Buffer.from(text.slice(1)) }],
    ['gives more', { read: () => Buffer.from(`${text}x`) }],
    ['gives text', { read: () => text as never }],
    ['fails with a path', { read: () => Promise.reject(new Error('/secret/place')) }],
    [
      'lies about the size, and of the whole, too',
      { size: () => 10, readRange: () => Buffer.alloc(10), read: () => Buffer.alloc(10) },
    ],
    [
      'gives shorter ranges',
      { size: () => text.length, readRange: (_, start, end) => Buffer.alloc(Math.max(0, end - start - 1)) },
    ],
    ['gives longer ranges', { size: () => text.length, readRange: (_, start, end) => Buffer.alloc(end - start + 1) }],
  ])('that %s is unavailable, and the model sees nothing of it', async (_, changes) => {
    const store = bad(changes)
    const limits = new ToolOutputLimits({ store, onWarning() {} })
    const tool = limits.readToolResult()
    const { report } = await limits.reduce(text, { toolName: 't', runId: 'run', toolCallId: 'call' })
    expect(report.action).toBe('spill')
    expect(await limits.read({ handle: 'run/call.0' })).toMatchObject({ found: false, problem: 'unavailable' })
    expect(await tool.execute({ handle: 'run/call.0' })).not.toContain('secret')
  })

  it.each<[string, unknown]>([
    ['NaN', Number.NaN],
    ['a negative number', -1],
    ['a fraction', 1.5],
    ['text', '5'],
    ['too little', 3],
    ['too much', 1e9],
  ])('that tells %s for the size is read as a whole', async (_, size) => {
    const store = bad({ size: () => size as number, readRange: () => Buffer.alloc(0) })
    const limits = new ToolOutputLimits({ store, onWarning() {} })
    limits.readToolResult()
    await limits.reduce(text, { toolName: 't', runId: 'run', toolCallId: 'call' })
    expect(await limits.read({ handle: 'run/call.0' })).toMatchObject({ found: true, totalLines: 5_000 })
  })

  it('does not change a page by changing the bytes it gave', async () => {
    const bytes = Buffer.from(text)
    const limits = new ToolOutputLimits({ store: bad({ read: () => bytes }) })
    await limits.read({ handle: 'run/call.0' })
    bytes.fill('x')
    expect((await limits.read({ handle: 'run/call.0', limit: 1 })).text).toBe('line 1\n')
  })
})
