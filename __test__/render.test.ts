import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { indentedJson, jsonLines, spill, type ToolOutputLimitsOptions } from '../index.js'
import { readBack, rendered, setup } from './support/limits.js'
import { storedText } from './support/roots.js'
import { wellFormed } from './support/text.js'

class Point {
  constructor(
    readonly x: number,
    readonly y: number,
  ) {}
  get length() {
    return Math.hypot(this.x, this.y)
  }
}
class ToItself {
  toJSON() {
    return this
  }
}
const circular = () => {
  const value: Record<string, unknown> = { name: 'a', list: [{ deep: 1 }] }
  value.self = value
  ;(value.list as unknown[]).push(value.list)
  return value
}
const revoked = () => {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  return proxy
}
const sparse = (length: number, at: Record<number, unknown> = {}) => Object.assign(Object.assign([], { length }), at)
const deep = (levels: number, array = true) => {
  let value: unknown = 'end'
  for (let i = 0; i < levels; i++) value = array ? [value] : { a: value }
  return value
}

describe('a value is rendered as JSON.stringify does', () => {
  it.each<[string, unknown]>([
    ['an object', { a: 1, b: [true, null, 'x'], c: { d: -0, e: 1e21, f: 1.1 } }],
    ['undefined, functions and symbols as members', { u: undefined, f() {}, s: Symbol('x'), k: 1 }],
    ['undefined, functions and symbols as elements', [undefined, () => 1, Symbol('x')]],
    ['NaN and infinities inside', { a: Number.NaN, b: [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY] }],
    ['dates, an invalid one too', { d: new Date(0), n: new Date(Number.NaN) }],
    [
      'toJSON, with the key',
      { a: { toJSON: (key: string) => `key ${key}` }, b: [{ toJSON: (key: string) => `key ${key}` }] },
    ],
    ['toJSON that gives undefined', { a: { toJSON: () => undefined }, b: 1 }],
    ['boxed primitives', { n: Object(1), s: Object('x'), b: Object(false) }],
    ['a class with getters on its prototype', new Point(3, 4)],
    ['a null prototype', Object.assign(Object.create(null), { a: 1 })],
    ['an own key __proto__', JSON.parse('{"__proto__":{"x":1},"a":2}')],
    ['symbol keys', { [Symbol('k')]: 1, a: 2 }],
    ['non-enumerable properties', Object.defineProperty({ a: 1 }, 'hidden', { value: 2 })],
    ['integer-like keys', { b: 1, 2: 'x', 1: 'y' }],
    ['escapes', { 'a"\\\n\u0001\u2028\u2029\u0085': '"\\\n\u0001\u2028\u2029\u0085</script>' }],
    ['strings with pairs', ['😀', '漢']],
    ['a small sparse array', sparse(5, { 3: 1 })],
    [
      'typed arrays that are no bytes',
      { f: Float32Array.of(1.5, Number.NaN), i: Int16Array.of(-1, 2), e: new Uint16Array() },
    ],
    ['an array with extra properties', Object.assign([1, 2], { extra: 3 })],
    ['a RegExp', { r: /x/g }],
    ['a Promise', { p: Promise.resolve(1) }],
    ['a WeakMap', new WeakMap()],
    ['null', null],
    ['a number', 12.5],
    ['true', true],
    ['a URL', { u: new URL('http://x/y?z') }],
    ['a harmless Proxy', new Proxy({ a: 1, b: [2] }, {})],
    ['a harmless Proxy of an array', new Proxy([1, 2], {})],
    [
      'the same object twice is no circle',
      (() => {
        const x = { a: 1 }
        return [x, x, { x }]
      })(),
    ],
    [
      'arguments',
      (function (..._: unknown[]) {
        return arguments
      })(1, 2),
    ],
    ['an object of another realm', runInNewContext('({ a: [1, { b: 2 }], d: new Date(0) })')],
  ])('%s', async (_, value) => {
    expect(await rendered(value)).toBe(JSON.stringify(value))
    expect(await rendered(value, { serializer: 'indented-json' })).toBe(escaped(JSON.stringify(value, null, 2)))
    if (typeof value === 'object' && value !== null)
      expect(indentedJson(value)).toBe(escaped(JSON.stringify(value, null, 2)))
  })
  const escaped = (text: string) =>
    text.replace(/[\u0085\u2028\u2029]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)

  it('for any JSON value', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.jsonValue().filter((value) => typeof value !== 'string'),
        async (value) => {
          expect(await rendered(value)).toBe(wellFormed(JSON.stringify(value)))
        },
      ),
      { numRuns: 100 },
    )
  })
})

describe('with exceptions, so that every value has a rendering', () => {
  const error = new TypeError('boom', { cause: { code: 7 } })
  Object.assign(error, { code: 'E_BOOM' })
  it.each<[string, () => unknown, string]>([
    [
      'BigInt as digits',
      () => ({ n: 12345678901234567890n, z: -1n, b: Object(5n) }),
      '{"n":12345678901234567890,"z":-1,"b":5}',
    ],
    ['BigInt at top level', () => 123n, '123'],
    ['NaN at top level', () => Number.NaN, 'NaN'],
    ['Infinity at top level', () => Number.NEGATIVE_INFINITY, '-Infinity'],
    ['undefined at top level', () => undefined, 'undefined'],
    ['a named function at top level', () => function deploy() {}, '[function deploy]'],
    ['an anonymous function at top level', () => [() => 1][0], '[function]'],
    ['a symbol at top level', () => Symbol('x'), 'Symbol(x)'],
    [
      'a Map with string keys',
      () =>
        new Map<string, unknown>([
          ['a', 1],
          ['b', new Map([['c', 2]])],
        ]),
      '{"a":1,"b":{"c":2}}',
    ],
    [
      'a Map with other keys',
      () =>
        new Map<unknown, unknown>([
          [1, 2],
          ['a', { b: 1 }],
        ]),
      '[[1,2],["a",{"b":1}]]',
    ],
    ['an empty Map', () => ({ m: new Map() }), '{"m":{}}'],
    ['a Set', () => new Set([1, 'a', new Set()]), '[1,"a",[]]'],
    [
      'an Error inside',
      () => ({ e: error }),
      `{"e":{"name":"TypeError","message":"boom","stack":${JSON.stringify(error.stack)},"cause":{"code":7},"code":"E_BOOM"}}`,
    ],
    ['bytes that are text', () => ({ b: Buffer.from('héllo\n') }), '{"b":"héllo\\n"}'],
    [
      'bytes that are not',
      () => ({ b: Buffer.from([255]), a: new Uint8Array([0, 1]).buffer }),
      '{"b":{"type":"bytes","length":1,"base64":"/w=="},"a":{"type":"bytes","length":2,"base64":"AAE="}}',
    ],
    ['a part of a buffer', () => [Buffer.from('xhellox').subarray(1, 6)], '["hello"]'],
    ['a DataView', () => [new DataView(Buffer.from('data').buffer.slice(0, 0))], '[""]'],
    ['a circle to the root', circular, '{"name":"a","list":[{"deep":1},"[Circular $.list]"],"self":"[Circular $]"}'],
    [
      'a circle with odd keys',
      () => {
        const x: Record<string, unknown> = {}
        x['a b'] = { up: x, '1': [] as unknown[] }
        ;((x['a b'] as Record<string, unknown>)['1'] as unknown[]).push(x['a b'])
        return x
      },
      '{"a b":{"1":["[Circular $[\\"a b\\"]]"],"up":"[Circular $]"}}',
    ],
    [
      'a throwing getter',
      () => ({
        a: 1,
        get x() {
          throw new Error('no access')
        },
        b: 2,
      }),
      '{"a":1,"x":"[Threw: no access]","b":2}',
    ],
    [
      'a getter that throws a number',
      () => ({
        get x() {
          throw 1
        },
      }),
      '{"x":"[Threw: 1]"}',
    ],
    [
      'a throwing toJSON',
      () => ({
        d: {
          toJSON() {
            throw new Error('bad date')
          },
        },
      }),
      '{"d":"[Threw: bad date]"}',
    ],
    ['a toJSON that returns itself', () => ({ i: new ToItself() }), '{"i":{}}'],
    [
      'a toString that throws',
      () => ({
        toString() {
          throw 1
        },
        a: 1n,
      }),
      '{"a":1}',
    ],
    ['250 levels of arrays', () => deep(250), `${'['.repeat(200)}"[Depth limit]"${']'.repeat(200)}`],
    ['200 levels are none too many', () => deep(200), `${'['.repeat(200)}"end"${']'.repeat(200)}`],
    ['250 levels of objects', () => deep(250, false), `${'{"a":'.repeat(200)}"[Depth limit]"${'}'.repeat(200)}`],
    ['a gap of more than 1,000 holes', () => sparse(5_000, { 0: 'a', 4999: 'z' }), '["a","[4998 empty items]","z"]'],
    ['a gap of exactly 1,000 holes', () => sparse(1_001, { 1000: 'z' }), `[${'null,'.repeat(1_000)}"z"]`],
    ['the largest sparse array', () => sparse(2 ** 32 - 1), '["[4294967295 empty items]"]'],
    [
      'the largest sparse array with an end',
      () => sparse(2 ** 32 - 1, { 4294967294: 1 }),
      '["[4294967294 empty items]",1]',
    ],
  ])('%s', async (_, make, expected) => {
    expect(await rendered(make())).toBe(expected)
  })

  it.each<[string, () => unknown]>([
    ['a revoked Proxy', revoked],
    ['a revoked Proxy inside', () => ({ a: 1, p: revoked(), z: 2 })],
    [
      'a Proxy whose ownKeys throws',
      () => ({
        p: new Proxy(
          {},
          {
            ownKeys() {
              throw new Error('keys')
            },
          },
        ),
      }),
    ],
    [
      'a Proxy whose get throws',
      () => ({
        p: new Proxy(
          { a: 1 },
          {
            get() {
              throw new Error('get')
            },
          },
        ),
      }),
    ],
    [
      'a Proxy whose traps all throw',
      () => [
        new Proxy(
          {},
          new Proxy(
            {},
            {
              get() {
                throw new Error('trap')
              },
            },
          ),
        ),
      ],
    ],
    [
      'a Proxy that claims endless length',
      () => [new Proxy([], { get: (target, key) => (key === 'length' ? 1e15 : Reflect.get(target, key)) })],
    ],
    ['an array 100,000 deep', () => deep(100_000)],
    ['an object 100,000 deep', () => deep(100_000, false)],
    [
      'an endless chain of toJSON',
      () => {
        const make = (): object => ({ toJSON: () => ({ next: make() }) })
        return make()
      },
    ],
    [
      'an endless chain of getters',
      () => {
        const make = (): object => ({
          get next() {
            return make()
          },
        })
        return make()
      },
    ],
    [
      'a Map that contains itself',
      () => {
        const map = new Map<unknown, unknown>()
        map.set(map, map)
        return map
      },
    ],
    [
      'a Set that contains itself',
      () => {
        const set = new Set<unknown>()
        set.add(set)
        return set
      },
    ],
    [
      'an Error that is its own cause',
      () => {
        const error = new Error('x')
        error.cause = error
        return [error]
      },
    ],
    [
      'an Error whose message throws',
      () => [
        Object.defineProperty(new Error('x'), 'message', {
          get() {
            throw new Error('deep')
          },
        }),
      ],
    ],
    ['a huge BigInt', () => [1n << 5_000_000n]],
    [
      'an object with a throwing Symbol.toPrimitive',
      () => ({
        v: {
          [Symbol.toPrimitive]() {
            throw 1
          },
        },
      }),
    ],
    [
      'a detached ArrayBuffer',
      () => {
        const buffer = new ArrayBuffer(8)
        structuredClone(buffer, { transfer: [buffer] })
        return { buffer }
      },
    ],
    [
      'a getter that changes its answer',
      () => {
        let n = 0
        return {
          get x() {
            return ++n % 2
              ? {
                  toJSON() {
                    throw 1
                  },
                }
              : 5n
          },
        }
      },
    ],
    [
      'an array that grows while it is read',
      () => {
        const list: unknown[] = [1n]
        list.push({
          toJSON() {
            if (list.length < 50) list.push(1)
            return 1
          },
        })
        return list
      },
    ],
    [
      'a throwing toJSON getter',
      () =>
        Object.defineProperty({}, 'toJSON', {
          get() {
            throw new Error('x')
          },
        }),
    ],
    [
      'all at once',
      () => ({
        n: 1n,
        m: new Map([[1, 2]]),
        s: new Set([1]),
        d: new Date(Number.NaN),
        u: undefined,
        f() {},
        b: Buffer.from([255]),
        e: new Error('boom'),
        get x() {
          throw 1
        },
        [Symbol('k')]: 1,
        c: circular(),
      }),
    ],
  ])('in bounded time and memory: %s', async (_, make) => {
    const text = await rendered(make())
    expect(typeof text).toBe('string')
    expect(() => JSON.parse(text!)).not.toThrow()
  })

  it('at the limit of 5 million values the rest is left out', async () => {
    const text = (await rendered(new Array(6_000_000).fill(0)))!
    const list = JSON.parse(text) as unknown[]
    expect(list.at(-1)).toBe('[Size limit]')
    expect(list.length).toBeGreaterThan(4_999_900)
    expect(list.length).toBeLessThanOrEqual(5_000_001)
  })

  it('below the threshold odd values stay the same objects', async () => {
    for (const value of [
      circular(),
      new Map([[1, 2]]),
      {
        get x() {
          throw 1
        },
      },
      revoked(),
      Symbol('x'),
      1n,
    ]) {
      const result = await setup().reduce(value)
      expect(Object.is(result.value, value)).toBe(true)
      expect(result.reduced).toBe(false)
    }
  })
})

describe('serializers', () => {
  const render = (value: unknown, serializer: ToolOutputLimitsOptions['serializer']) => rendered(value, { serializer })

  it('json: compact, one line', async () => {
    expect(await render({ a: [1, { b: 2 }] }, 'json')).toBe('{"a":[1,{"b":2}]}')
  })

  it('indented-json: two spaces, one field per line', async () => {
    expect(await render({ a: [1, {}], e: [], s: 'x\u2028' }, 'indented-json')).toBe(
      '{\n  "a": [\n    1,\n    {}\n  ],\n  "e": [],\n  "s": "x\\u2028"\n}',
    )
    expect(await render(new Map([['a', new Set([1n])]]), 'indented-json')).toBe('{\n  "a": [\n    1\n  ]\n}')
  })

  it.each<[string, unknown, string]>([
    ['an array: one compact value per line', [{ a: 1 }, [2, 3], 'x\ny', null], '{"a":1}\n[2,3]\n"x\\ny"\nnull'],
    ['holes and undefined', [undefined, () => 1], 'null\nnull'],
    [
      'BigInt, Map, circle',
      (() => {
        const list: unknown[] = [1n, new Map([['a', 1]])]
        list.push(list)
        return list
      })(),
      '1\n{"a":1}\n"[Circular $]"',
    ],
    ['line separators in strings', ['a\u2028b\u0085c\u2029'], '"a\\u2028b\\u0085c\\u2029"'],
    [
      'an object that wraps an array falls back to indented JSON',
      { items: [1, 2] },
      '{\n  "items": [\n    1,\n    2\n  ]\n}',
    ],
    ['a Set falls back to indented JSON', new Set([1, 2]), '[\n  1,\n  2\n]'],
    ['a number', 7, '7'],
  ])('json-lines: %s', async (_, value, expected) => {
    expect(await render(value, 'json-lines')).toBe(expected)
    expect(jsonLines(value)).toBe(expected)
  })

  it('json-lines: an empty array is an empty text', async () => {
    expect(jsonLines([])).toBe('')
    const result = await setup({ serializer: 'json-lines', bands: [{ over: 0, action: spill() }] }).reduce([])
    expect(result).toMatchObject({ reduced: false, report: { size: 0 } })
  })

  it('json-lines: line N is record N', async () => {
    const records = Array.from({ length: 3_000 }, (_, i) => ({ i, text: `a\nb${'\u2028'}` }))
    const { limits, reduce } = setup({ serializer: 'json-lines' })
    const { report } = await reduce(records)
    const page = await limits.read({ handle: report.handle!, offset: 1_234, limit: 1 })
    expect(JSON.parse(page.text)).toEqual(records[1_234])
    expect(page.totalLines).toBe(3_000)
  })

  it('a function gives the text, as it is or as a promise; it is not asked for strings and bytes', async () => {
    const asked: unknown[] = []
    const yaml = (value: unknown) => (asked.push(value), `# ${Object.keys(value as object).join()}\n`)
    expect(await render({ a: 1, b: 2 }, yaml)).toBe('# a,b\n')
    expect(await render({ a: 1 }, async (value) => yaml(value))).toBe('# a\n')
    expect(await render('text', yaml)).toBe('text')
    expect(asked).toHaveLength(2)
  })

  it('are not asked about strings that are JSON', async () => {
    expect(await render('{"b":1,  "a":1.0}', 'indented-json')).toBe('{"b":1,  "a":1.0}')
  })

  it('exported functions render anything', () => {
    expect(indentedJson(1n)).toBe('1')
    expect(indentedJson(undefined)).toBe('undefined')
    expect(jsonLines([revoked()])).toMatch(/^"\[Threw: /)
  })
})

describe('the moment', () => {
  it('of a structured value is that of the call: later mutation has no effect', async () => {
    const value = { list: Array.from({ length: 3_000 }, (_, i) => i) }
    const before = JSON.stringify(value)
    const { root, reduce } = setup()
    const pending = reduce(value)
    value.list.length = 0
    const { report } = await pending
    expect(storedText(root, report.handle!)).toBe(before)
  })

  it.each<[string, (bytes: Uint8Array<ArrayBuffer>) => void]>([
    ['overwritten', (bytes) => bytes.fill(0)],
    ['transferred', (bytes) => void structuredClone(bytes.buffer, { transfer: [bytes.buffer] })],
  ])('of bytes is that of the call, even when the buffer is %s afterwards', async (_, change) => {
    const bytes = Uint8Array.from({ length: 100_000 }, (_value, i) => 1 + (i % 250))
    const copy = Buffer.from(bytes)
    const { store, reduce } = setup()
    const pending = reduce(bytes)
    change(bytes)
    const { report } = await pending
    expect(Buffer.from(await store.read(report.handle!)).equals(copy)).toBe(true)
  })

  it.each<[string, (bytes: Uint8Array) => unknown]>([
    ['a Buffer', (bytes) => Buffer.from(bytes)],
    ['a Uint8Array', (bytes) => bytes],
    [
      'a part of a larger buffer',
      (bytes) => {
        const larger = new Uint8Array(bytes.length + 20).fill(9)
        larger.set(bytes, 10)
        return larger.subarray(10, 10 + bytes.length)
      },
    ],
    ['an ArrayBuffer', (bytes) => bytes.buffer],
    ['a DataView', (bytes) => new DataView(bytes.buffer)],
    [
      'a SharedArrayBuffer',
      (bytes) => {
        const shared = new SharedArrayBuffer(bytes.length)
        new Uint8Array(shared).set(bytes)
        return shared
      },
    ],
    [
      'a Uint8Array over shared memory',
      (bytes) => {
        const shared = new Uint8Array(new SharedArrayBuffer(bytes.length))
        shared.set(bytes)
        return shared
      },
    ],
    [
      'a Uint8Array of another realm',
      (bytes) => Object.assign(runInNewContext(`new Uint8Array(${bytes.length})`) as Uint8Array, bytes),
    ],
  ])('bytes are %s', async (_, make) => {
    const bytes = Uint8Array.from({ length: 20_000 }, (_value, i) => (i * 31) & 255)
    const { store, reduce } = setup()
    const { report } = await reduce(make(bytes))
    expect(report).toMatchObject({ action: 'spill', unit: 'bytes', size: 20_000, handle: 'run/call.0.bin' })
    expect(Buffer.from(await store.read(report.handle!)).equals(Buffer.from(bytes))).toBe(true)
  })

  it('a Uint8ClampedArray and a Uint16Array are structured values', async () => {
    expect(await rendered(Uint16Array.of(1, 2))).toBe('{"0":1,"1":2}')
    expect(await rendered(Uint8ClampedArray.of(1, 2))).toBe('{"0":1,"1":2}')
  })
})

it('stored text of any structured value reads back as it was rendered', async () => {
  const value = { text: 'a\u2028b\r\nc', list: [1n, new Map([[1, 'x'.repeat(12_000)]])] }
  const { limits, reduce } = setup()
  const { report } = await reduce(value)
  expect(await readBack(limits, report.handle)).toBe(await rendered(value))
})
