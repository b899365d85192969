import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { renderJson } from '../../api/render.js'
import { RENDER_LIMITS, type RenderLimits } from '../../api/render-limits.js'

const text = (value: unknown, limits?: RenderLimits) => renderJson(value, limits).text

function revoked(target: object): object {
  const { proxy, revoke } = Proxy.revocable(target, {})
  revoke()
  return proxy
}

function nested(levels: number): unknown {
  let value: unknown = 'leaf'
  for (let i = 0; i < levels; i++) value = [value]
  return value
}

function sparse(length: number, items: Record<number, unknown> = {}): unknown[] {
  const array: unknown[] = []
  array.length = length
  return Object.assign(array, items)
}

function withStack(error: Error): Error {
  error.stack = 'STACK'
  return error
}

const threw = '"[Threw: boom]"'
const boom = () => {
  throw new Error('boom')
}

describe('what JSON has no form for', () => {
  const cases: [comment: string, value: unknown, expected: string][] = [
    ['bigint', { n: 12345678901234567890n, m: -1n }, '{"n":12345678901234567890,"m":-1}'],
    ['map with string keys', new Map([['a', new Map([['b', 1]])]]), '{"a":{"b":1}}'],
    [
      'map with other keys',
      new Map<unknown, unknown>([
        [1, 'x'],
        ['k', undefined],
      ]),
      '[[1,"x"],["k",null]]',
    ],
    ['map with the key __proto__', new Map([['__proto__', 1n]]), '{"__proto__":1}'],
    ['empty map and set', [new Map(), new Set()], '[{},[]]'],
    ['set', new Set([1, 'x', { a: 1n }]), '[1,"x",{"a":1}]'],
    ['map of another realm', runInNewContext('new Map([["a", 1]])'), '{"a":1}'],
    ['map whose prototype was changed', Object.setPrototypeOf(new Map([['a', 1]]), null), '{"a":1}'],
    [
      'error with cause and own properties',
      [Object.assign(withStack(new TypeError('boom', { cause: { a: 1n } })), { code: 'E' })],
      '[{"name":"TypeError","message":"boom","stack":"STACK","cause":{"a":1},"code":"E"}]',
    ],
    [
      'aggregate error',
      { e: withStack(new AggregateError([withStack(new Error('one'))], 'all')) },
      '{"e":{"name":"AggregateError","message":"all","stack":"STACK","errors":[{"name":"Error","message":"one","stack":"STACK"}]}}',
    ],
    ['buffer with text', [Buffer.from('héllo\x1b[0m')], '["héllo\\u001b[0m"]'],
    ['buffer with a control char', [Buffer.from('a\0')], '[{"type":"bytes","length":2,"base64":"YQA="}]'],
    ['buffer that is no UTF-8', [Buffer.from([255])], '[{"type":"bytes","length":1,"base64":"/w=="}]'],
    ['empty buffer', [Buffer.alloc(0)], '[""]'],
    [
      'bytes of every kind',
      [new ArrayBuffer(1), new DataView(new ArrayBuffer(2), 1), new SharedArrayBuffer(1)],
      `[${Array(3).fill('{"type":"bytes","length":1,"base64":"AA=="}').join()}]`,
    ],
    ['typed array that is not bytes', [new Float32Array([1.5, Number.NaN])], '[{"0":1.5,"1":null}]'],
    ['typed array of bigints', new BigInt64Array([5n]), '{"0":5}'],
    ['boxed primitives', [Object(1n), Object('s'), Object(true), Object(2)], '[1,"s",true,2]'],
    ['numbers', [-0, 1e21, 1e-7, Number.NaN, Infinity, 1n], '[0,1e+21,1e-7,null,null,1]'],
    ['dates', [new Date(0), new Date(Number.NaN), 1n], '["1970-01-01T00:00:00.000Z",null,1]'],
    ['what JSON leaves out', { a: undefined, f() {}, [Symbol('k')]: 1, n: 1n }, '{"n":1}'],
    ['what JSON makes null of', [undefined, () => 1, Symbol('k'), 1n], '[null,null,null,1]'],
    ['toJSON is given the key', [{ toJSON: (key: string) => `${typeof key} ${key}` }, 1n], '["string 0",1]'],
    ['toJSON of a function', [Object.assign(() => {}, { toJSON: () => 5 })], '[5]'],
    ['lone surrogate', ['\ud800', 1n], '["\\ud800",1]'],
  ]
  it.each(cases)('%s', (_comment, value, expected) => {
    expect(renderJson(value)).toEqual({ text: expected, isJson: true })
  })
})

describe('at top level', () => {
  const cases: [comment: string, value: unknown, expected: string][] = [
    ['NaN', Number.NaN, 'NaN'],
    ['infinity', -Infinity, '-Infinity'],
    ['undefined', undefined, 'undefined'],
    ['named function', function name() {}, '[function name]'],
    ['function without a name', (() => () => {})(), '[function]'],
    ['function whose name throws', Object.defineProperty(() => {}, 'name', { get: boom }), '[function]'],
    ['symbol', Symbol('x'), 'Symbol(x)'],
  ]
  it.each(cases)('%s is its text and no JSON', (_comment, value, expected) => {
    expect(renderJson(value)).toEqual({ text: expected, isJson: false })
  })

  it.each([
    ['string', 'a"b', '"a\\"b"'],
    ['number', 1.5, '1.5'],
    ['boolean', false, 'false'],
    ['null', null, 'null'],
    ['bigint', 1n, '1'],
  ])('%s is JSON', (_comment, value, expected) => {
    expect(renderJson(value)).toEqual({ text: expected, isJson: true })
  })
})

describe('values that throw', () => {
  const cases: [comment: string, value: unknown, expected: string][] = [
    [
      'getter',
      {
        get a() {
          return boom()
        },
        b: 1,
      },
      `{"a":${threw},"b":1}`,
    ],
    ['toJSON', { a: { toJSON: boom } }, `{"a":${threw}}`],
    [
      'toJSON that is a getter',
      {
        a: {
          get toJSON() {
            return boom()
          },
        },
      },
      `{"a":${threw}}`,
    ],
    [
      'element of an array',
      new Proxy([1, 2], { get: (t, k) => (k === '1' ? boom() : Reflect.get(t, k)) }),
      `[1,${threw}]`,
    ],
    ['ownKeys trap', { a: new Proxy({}, { ownKeys: boom }) }, `{"a":${threw}}`],
    ['getPrototypeOf trap', [new Proxy({ a: 1 }, { getPrototypeOf: boom })], '[{"a":1}]'],
    [
      'revoked proxy of an array',
      [revoked([])],
      '["[Threw: Cannot perform \'get\' on a proxy that has been revoked]"]',
    ],
    [
      'a thrown symbol',
      {
        get a() {
          throw Symbol('z')
        },
      },
      '{"a":"[Threw: Symbol(z)]"}',
    ],
    [
      'a thrown undefined',
      {
        get a() {
          throw undefined
        },
      },
      '{"a":"[Threw: undefined]"}',
    ],
    [
      'a thrown object that throws',
      {
        get a() {
          throw {
            get message() {
              return boom()
            },
          }
        },
      },
      '{"a":"[Threw: unknown]"}',
    ],
    [
      'a thrown revoked proxy',
      {
        get a() {
          throw revoked({})
        },
      },
      '{"a":"[Threw: unknown]"}',
    ],
    [
      'a message that is too long',
      {
        get a() {
          throw 'x'.repeat(501)
        },
      },
      `{"a":"[Threw: ${'x'.repeat(500)}]"}`,
    ],
  ]
  it.each(cases)('%s', (_comment, value, expected) => {
    expect(renderJson(value)).toEqual({ text: expected, isJson: true })
  })

  it('is not asked for toString, which JSON does not use', () => {
    expect(text({ toString: boom, valueOf: boom })).toBe('{}')
  })
})

describe('values without an end', () => {
  it('names the place that a circular reference leads back to', () => {
    const root: Record<string, unknown> = { list: [{ 'a key': {} }] }
    const inner = (root.list as Record<string, unknown>[])[0] as Record<string, unknown>
    inner['a key'] = { root, inner }
    expect(text(root)).toBe('{"list":[{"a key":{"root":"[Circular $]","inner":"[Circular $.list[0]]"}}]}')
  })

  it('names places inside maps as if they were objects', () => {
    const inner: unknown[] = []
    inner.push(inner)
    expect(text({ map: new Map([['a key', inner]]) })).toBe('{"map":{"a key":["[Circular $.map[\\"a key\\"]]"]}}')
  })

  it('renders an object that is shared but not circular each time', () => {
    const shared = { a: 1n }
    expect(text([shared, shared])).toBe('[{"a":1},{"a":1}]')
  })

  it('stops below level 200', () => {
    expect(text(nested(200))).toBe(JSON.stringify(nested(200)))
    expect(text(nested(201))).toBe(`${'['.repeat(200)}"[Depth limit]"${']'.repeat(200)}`)
    expect(text(nested(100_000))).toBe(text(nested(201)))
  })

  it('calls a toJSON that returns its own object once', () => {
    let calls = 0
    const value = {
      a: 1,
      toJSON() {
        calls++
        return this
      },
    }
    expect(text([value])).toBe('[{"a":1}]')
    expect(calls).toBe(1)
  })

  it('ends a tree that grows as it is looked at', () => {
    const grow = (): object =>
      new Proxy(
        {},
        {
          ownKeys: () => ['a'],
          getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true }),
          get: (_, key) => (key === 'a' ? grow() : undefined),
        },
      )
    expect(text(grow())).toBe(`${'{"a":'.repeat(200)}"[Depth limit]"${'}'.repeat(200)}`)
  })

  it('is not led on by a set that grows while it is rendered', () => {
    const set = new Set<unknown>()
    const growing = {
      toJSON() {
        set.add({ ...growing })
        return 'x'
      },
    }
    set.add(growing)
    expect(text(set)).toBe('["x"]')
  })
})

describe('sparse arrays', () => {
  const cases: [comment: string, value: unknown[], expected: string][] = [
    ['as long as can be', sparse(2 ** 32 - 1), '["[4294967295 empty items]"]'],
    [
      'with an element far out',
      sparse(2 ** 32 - 1, { 0: 1, 4294967290: 2 }),
      '[1,"[4294967289 empty items]",2,null,null,null,null]',
    ],
    ['a gap of 1,000', sparse(1_001, { 1000: 1n }), `[${'null,'.repeat(1_000)}1]`],
    ['a gap of 1,001', sparse(1_002, { 1001: 1n }), '["[1001 empty items]",1]'],
    ['only a gap of 1,001', sparse(1_001), '["[1001 empty items]"]'],
    ['undefined is no gap', [1n, ...Array(1_500).fill(undefined)], `[1${',null'.repeat(1_500)}]`],
  ]
  it.each(cases)('%s', (_comment, value, expected) => {
    expect(text(value)).toBe(expected)
  })
})

describe('size limits', () => {
  const few = { values: 5, chars: 1_000 }
  const short = { values: 1_000, chars: 20 }
  const cases: [comment: string, value: unknown, limits: RenderLimits, expected: string][] = [
    ['as many values as allowed', [1, 2, 3, 4], few, '[1,2,3,4]'],
    ['one more', [1, 2, 3, 4, 5, 6], few, '[1,2,3,4,"[Size limit]"]'],
    [
      'one more in an object',
      { a: 1, b: 2, c: 3, d: 4, e: 5, f: 6 },
      few,
      '{"a":1,"b":2,"c":3,"d":4,"e":"[Size limit]"}',
    ],
    [
      'what is left out counts',
      { a: undefined, b: undefined, c: undefined, d: undefined, e: 5 },
      few,
      '{"e":"[Size limit]"}',
    ],
    ['what follows in open containers', { a: [1, 2, 3, 4], b: 5 }, few, '{"a":[1,2,3,"[Size limit]"]}'],
    [
      'map',
      new Map([1, 2, 3, 4, 5, 6].map((n) => [String(n), n])),
      few,
      '{"1":1,"2":2,"3":3,"4":4,"5":"[Size limit]"}',
    ],
    ['set', new Set([1, 2, 3, 4, 5, 6]), few, '[1,2,3,4,"[Size limit]"]'],
    ['typed array', new Float32Array(9), few, '{"0":0,"1":0,"2":0,"3":0,"4":"[Size limit]"}'],
    ['gap', sparse(5_000), { values: 1, chars: 99 }, '["[5000 empty items]"]'],
    [
      'shared values',
      [
        [1, 2],
        [1, 2],
        [1, 2],
      ],
      few,
      '[[1,2],["[Size limit]"]]',
    ],
    ['text that fits', ['x'.repeat(16)], short, `["${'x'.repeat(16)}"]`],
    ['text that does not fit', ['x'.repeat(21), 1], short, '["[Size limit]"]'],
    ['text after text', ['x'.repeat(15), 'y'.repeat(15), 1], short, `["${'x'.repeat(15)}","[Size limit]"]`],
    ['text that is too long once escaped', ['\0'.repeat(4)], short, '["[Size limit]"]'],
    ['bytes that are text', [Buffer.alloc(21, 'x')], short, '["[Size limit]"]'],
    ['bytes that are not', [Buffer.alloc(21)], short, '["[Size limit]"]'],
    ['bytes of three to a char', ['中'.repeat(16)].map((t) => Buffer.from(t)), short, `["${'中'.repeat(16)}"]`],
    ['long keys', { ['k'.repeat(30)]: 1, b: 2 }, short, `{"${'k'.repeat(30)}":1,"b":"[Size limit]"}`],
    [
      'long path',
      (() => {
        const x: Record<string, unknown> = {}
        x['k'.repeat(9)] = { up: x, y: [x] }
        return x
      })(),
      short,
      '{"kkkkkkkkk":{"up":"[Circular $]","y":["[Size limit]"]}}',
    ],
  ]
  it.each(cases)('%s', (_comment, value, limits, expected) => {
    expect(renderJson(value, limits)).toEqual({ text: expected, isJson: true })
  })

  it('counts what is referred to many times as often as it is rendered', () => {
    let value: unknown = [1]
    for (let i = 0; i < 100; i++) value = [value, value]
    const rendered = text(value, { values: 1_000, chars: 10_000 })
    expect(rendered.match(/1/g)?.length).toBeLessThan(1_000)
    expect(rendered).toContain('"[Size limit]"')
  })

  it('are 5 million values and 256 Mi chars', () => {
    expect(RENDER_LIMITS).toEqual({ values: 5_000_000, chars: 268_435_456 })
  })

  it('does not compute the digits of a bigint that is out of proportion', () => {
    expect(text({ a: 1n << 4_000_001n, b: 1 })).toBe('{"a":"[Size limit]"}')
    expect(text([10n ** 30_000n])).toBe(`[1${'0'.repeat(30_000)}]`)
  })
})

describe('the walker asks once', () => {
  it('takes the first answer of a getter', () => {
    let asked = 0
    // The bigint before it sends the object to the walker before the getter is reached.
    const value = {
      n: 1n,
      get a() {
        return ++asked
      },
    }
    expect(text(value)).toBe('{"n":1,"a":1}')
    expect(asked).toBe(1)
  })
})

const anything = fc.anything({
  withBigInt: true,
  withBoxedValues: true,
  withDate: true,
  withMap: true,
  withSet: true,
  withNullPrototype: true,
  withSparseArray: true,
  withTypedArray: true,
})

describe('always', () => {
  it('equals JSON.stringify for plain data', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(text(value)).toBe(JSON.stringify(value))
      }),
    )
  })

  it('walks plain data to the same text', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(text([value, 1n])).toBe(`[${JSON.stringify(value)},1]`)
      }),
    )
  })

  it('is JSON where it says so, and does not throw', () => {
    fc.assert(
      fc.property(anything, (value) => {
        const rendered = renderJson(value)
        if (rendered.isJson) JSON.parse(rendered.text)
        else expect(typeof value === 'object' && value !== null).toBe(false)
      }),
    )
  })

  it('survives traps that throw at random', () => {
    const traps = ['get', 'has', 'ownKeys', 'getOwnPropertyDescriptor', 'getPrototypeOf'] as const
    fc.assert(
      fc.property(fc.object(), fc.uniqueArray(fc.constantFrom(...traps)), (target, throwing) => {
        const handler = Object.fromEntries(throwing.map((trap) => [trap, boom]))
        JSON.parse(text({ a: [new Proxy(target, handler)] }))
      }),
    )
  })
})
