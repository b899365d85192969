import { describe, expect, it } from 'vitest'
import { setup } from './support/limits.js'
import { numberedLines } from './support/text.js'

const large = numberedLines(3_000)
const ours = { overflow_handle: 'run/call.0', overflow_bytes: large.length }
const merged = async (metadata: unknown) => (await setup().reduce(large, { metadata })).metadata

describe('metadata', () => {
  it.each<[string, unknown, object]>([
    ['none', undefined, ours],
    ['null', null, ours],
    ['an object', { a: 1, b: { c: 2 } }, { a: 1, b: { c: 2 }, ...ours }],
    ['a frozen object', Object.freeze({ a: 1 }), { a: 1, ...ours }],
    ['its own overflow_handle: ours wins', { overflow_handle: 'theirs', a: 1 }, { a: 1, ...ours }],
    ['a string', 'note', { original_metadata: 'note', ...ours }],
    ['a number', 0, { original_metadata: 0, ...ours }],
    ['false', false, { original_metadata: false, ...ours }],
    ['an array', [1, 2], { original_metadata: [1, 2], ...ours }],
    [
      'a Map: keys as strings',
      new Map<unknown, unknown>([
        ['a', 1],
        [2, 'b'],
      ]),
      { a: 1, 2: 'b', ...ours },
    ],
  ])('goes beside what the tool put there: %s', async (_, metadata, expected) => {
    const before = structuredClone(metadata)
    expect(await merged(metadata)).toEqual(expected)
    expect(metadata).toEqual(before)
  })

  it('keeps __proto__ as an ordinary key', async () => {
    const out = (await merged(JSON.parse('{"__proto__":{"x":1},"constructor":2}')))!
    expect(Object.keys(out)).toEqual(['__proto__', 'constructor', 'overflow_handle', 'overflow_bytes'])
    expect(Object.getOwnPropertyDescriptor(out, '__proto__')!.value).toEqual({ x: 1 })
    expect(({} as { x?: number }).x).toBeUndefined()
    expect((out as { x?: number }).x).toBeUndefined()
  })

  it('takes own properties only', async () => {
    const metadata = Object.assign(Object.create({ inherited: 1 }), { own: 2 })
    expect(await merged(metadata)).toEqual({ own: 2, ...ours })
    class Info {
      a = 1
      get b() {
        return 2
      }
    }
    expect(await merged(new Info())).toEqual({ a: 1, ...ours })
  })

  it.each<[string, () => unknown]>([
    [
      'a throwing getter',
      () => ({
        a: 1,
        get x() {
          throw new Error('x')
        },
      }),
    ],
    [
      'a revoked Proxy',
      () => {
        const { proxy, revoke } = Proxy.revocable({}, {})
        revoke()
        return proxy
      },
    ],
    ['a symbol', () => Symbol('x')],
    ['a function', () => () => 1],
    ['a BigInt', () => 5n],
  ])('that is odd is no reason to fail: %s', async (_, make) => {
    expect(await merged(make())).toMatchObject(ours)
  })

  it('of an output that was not spilled is the very object of the tool', async () => {
    const metadata = { a: 1 }
    const result = await setup().reduce('small', { metadata })
    expect(result.metadata).toBe(metadata)
    expect(result.reduced).toBe(false)
  })

  it('of an output without any is absent', async () => {
    expect('metadata' in (await setup().reduce('small'))).toBe(false)
  })

  it('tells that something was reduced: no marker in text does', async () => {
    const { metadata, report } = await setup().reduce(large)
    expect(metadata).toEqual({ overflow_handle: report.handle, overflow_bytes: report.bytes })
  })
})
