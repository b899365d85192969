import { describe, expect, it } from 'vitest'
import { chainOf, passthrough, spill, summarize, truncate } from '../../api/actions.js'
import { checkOptions, checkStoreOptions } from '../../api/check.js'
import { extendOptions } from '../../api/extend.js'
import type { Action, ToolOutputLimitsOptions } from '../../index.js'

/** Stands in for the native compiler of globs. */
const checkGlob = (glob: string) => (glob.includes('[') && !glob.includes(']') ? 'unclosed character class' : undefined)
const check = (options: unknown) => checkOptions(options as ToolOutputLimitsOptions, checkGlob)
const band = (action: unknown) => ({ bands: [{ over: 1, action }] })

describe('actions', () => {
  it('have their defaults and are frozen', () => {
    expect(truncate()).toEqual({ type: 'truncate', maxChars: 4_000, strategy: 'head-tail', keepTailLines: 0 })
    expect(spill()).toEqual({ type: 'spill', previewChars: 1_000 })
    expect(summarize()).toEqual({ type: 'summarize', maxChars: 8_000, timeoutMs: 60_000 })
    expect(passthrough()).toEqual({ type: 'passthrough' })
    for (const action of [truncate(), spill(), summarize(), passthrough()]) expect(Object.isFrozen(action)).toBe(true)
  })

  it('take undefined for absent, and every option', () => {
    expect(truncate({ maxChars: undefined, json: undefined })).toEqual(truncate())
    const options = { maxChars: 0, strategy: 'tail', keepTailLines: 3, json: 'text', keepMatching: ['x'] } as const
    expect(truncate({ ...options, fallback: passthrough() })).toEqual({
      type: 'truncate',
      ...options,
      fallback: { type: 'passthrough' },
    })
    expect(spill({ highlights: false, previewChars: 0 })).toEqual({ type: 'spill', previewChars: 0, highlights: false })
    expect(spill({ highlights: /x/ }).highlights).toEqual(/x/)
  })

  it('can be made from another', () => {
    expect(truncate({ ...truncate({ strategy: 'head' }), maxChars: 5 })).toEqual(
      truncate({ strategy: 'head', maxChars: 5 }),
    )
  })

  it('do not change with the list they were given', () => {
    const words = ['a']
    const action = truncate({ keepMatching: words })
    words.push('b')
    expect(action.keepMatching).toEqual(['a'])
  })

  it('written by hand come out as those of the helpers', () => {
    const byHand = { type: 'spill', fallback: { type: 'summarize', fallback: { type: 'truncate', maxChars: 9 } } }
    expect(check(band(byHand)).bands[0]?.action).toEqual(
      spill({ fallback: summarize({ fallback: truncate({ maxChars: 9 }) }) }),
    )
  })

  it('chain to any depth, by hand and by helper', () => {
    let byHelper: Action = truncate()
    let byHand: object = { type: 'truncate' }
    for (let i = 0; i < 20_000; i++) {
      byHelper = spill({ fallback: byHelper })
      byHand = { type: 'spill', fallback: byHand }
    }
    expect(chainOf(byHelper).length).toBe(20_001)
    const checked = check(band(byHand)).bands[0] as { action: Action }
    expect(
      chainOf(checked.action)
        .map(({ type }) => type)
        .slice(-2),
    ).toEqual(['spill', 'truncate'])
  })
})

describe('options', () => {
  it('have their defaults', () => {
    expect(check(undefined)).toEqual({
      bands: [{ over: 10_000, action: spill({ fallback: truncate() }) }],
      perTool: [],
      toolFilter: 'all',
      overTokens: false,
      serializer: 'json',
      stripAnsi: false,
      terminal: false,
      readTool: { name: 'read_tool_result', enabled: true, maxLines: 1_000, maxChars: 50_000, scope: 'store' },
      callbackTimeoutMs: 30_000,
      id: 'tool_output_limits',
    })
    expect(check({ bands: undefined, readTool: undefined, model: undefined })).toEqual(check({}))
  })

  it('give bands from the largest', () => {
    const bands = [3, 0, 7].map((over) => ({ over, action: passthrough() }))
    expect(check({ bands }).bands.map(({ over }) => over)).toEqual([7, 3, 0])
    expect(check({ bands: [] }).bands).toEqual([])
    expect(bands.map(({ over }) => over)).toEqual([3, 0, 7])
  })

  it('give perTool by own properties only', () => {
    const perTool = JSON.parse('{"__proto__":[],"constructor":[],"mcp__*":[]}')
    expect(check({ perTool }).perTool.map(([name]) => name)).toEqual(['__proto__', 'constructor', 'mcp__*'])
    expect(check({ perTool: Object.create({ inherited: 'nonsense' }) }).perTool).toEqual([])
  })

  it('accept every form of toolFilter', () => {
    const predicate = () => true
    for (const toolFilter of ['all', ['a', 'b*'], { tags: ['x'] }, predicate] as const) {
      expect(check({ toolFilter }).toolFilter).toEqual(toolFilter)
    }
  })

  it('keep the store itself, and methods of its class', () => {
    class Store {
      write() {}
      read() {}
    }
    const store = new Store()
    expect(check({ store }).store).toBe(store)
  })
})

type Wrong = [options: unknown, error: typeof RangeError | typeof TypeError, message: string]

const wrong: Wrong[] = [
  [null, TypeError, 'options: expected an object, got null'],
  [[], TypeError, 'options: expected an object, got an array'],
  [5, TypeError, 'options: expected an object, got 5'],
  [{ band: [] }, TypeError, 'options: unknown option "band"; did you mean bands?'],
  [{ per_tool: {} }, TypeError, 'options: unknown option "per_tool"; did you mean perTool?'],
  [{ strip_ansi: true }, TypeError, 'options: unknown option "strip_ansi"; did you mean stripAnsi?'],
  [JSON.parse('{"__proto__":1}'), TypeError, 'options: unknown option "__proto__"; known are bands, overTokens'],
  [{ bands: {} }, TypeError, 'bands: expected an array of bands, got an object'],
  [{ bands: null }, TypeError, 'bands: expected an array of bands, got null'],
  [{ bands: [5] }, TypeError, 'bands[0]: expected an object, got 5'],
  [{ bands: [{ over: -1, action: truncate() }] }, RangeError, 'bands[0].over: expected a finite number ≥ 0, got -1'],
  [
    { bands: [{ over: Number.NaN, action: truncate() }] },
    RangeError,
    'bands[0].over: expected a finite number ≥ 0, got NaN',
  ],
  [
    { bands: [{ over: Infinity, action: truncate() }] },
    RangeError,
    'bands[0].over: expected a finite number ≥ 0, got Infinity',
  ],
  [{ bands: [{ over: '5', action: truncate() }] }, TypeError, 'bands[0].over: expected a finite number ≥ 0, got "5"'],
  [{ bands: [{ action: truncate() }] }, TypeError, 'bands[0].over: expected a finite number ≥ 0, got undefined'],
  [{ bands: [{ over: 5 }] }, TypeError, 'bands[0].action: expected an action such as truncate(), got undefined'],
  [
    { bands: [{ over: 5, action: truncate(), extra: 1 }] },
    TypeError,
    'bands[0]: unknown option "extra"; known are over, action',
  ],
  [
    { bands: [5, 1, 5].map((over) => ({ over, action: truncate() })) },
    RangeError,
    'bands[2].over: expected another threshold than the other bands have, got 5',
  ],
  [band('truncate'), TypeError, 'bands[0].action: expected an action such as truncate(), got "truncate"'],
  [band(truncate), TypeError, 'bands[0].action: expected an action such as truncate(), got a function'],
  [
    band({ type: 'cut' }),
    RangeError,
    'bands[0].action.type: expected one of truncate, spill, summarize, passthrough, got "cut"',
  ],
  [band({ type: 'toString' }), RangeError, 'bands[0].action.type: expected one of'],
  [band({}), RangeError, 'got undefined'],
  [
    band({ type: 'truncate', maxChar: 5 }),
    TypeError,
    'bands[0].action: unknown option "maxChar"; did you mean maxChars?',
  ],
  [
    band({ type: 'truncate', then: truncate() }),
    TypeError,
    'bands[0].action: unknown option "then"; did you mean fallback?',
  ],
  [band({ type: 'passthrough', fallback: truncate() }), TypeError, 'bands[0].action: unknown option "fallback"'],
  [
    band({ type: 'truncate', maxChars: Infinity }),
    RangeError,
    'bands[0].action.maxChars: expected a finite number, got Infinity',
  ],
  [
    band({ type: 'truncate', maxChars: null }),
    TypeError,
    'bands[0].action.maxChars: expected a finite number, got null',
  ],
  [
    band({ type: 'truncate', strategy: 'middle' }),
    RangeError,
    'bands[0].action.strategy: expected one of "head", "tail", "head-tail", got "middle"',
  ],
  [
    band({ type: 'truncate', keepTailLines: -1 }),
    RangeError,
    'bands[0].action.keepTailLines: expected a whole number ≥ 0, got -1',
  ],
  [
    band({ type: 'truncate', keepTailLines: 1.5 }),
    RangeError,
    'bands[0].action.keepTailLines: expected a whole number ≥ 0, got 1.5',
  ],
  [
    band({ type: 'truncate', json: true }),
    RangeError,
    'bands[0].action.json: expected one of "valid", "text", got true',
  ],
  [
    band({ type: 'truncate', keepMatching: 'x' }),
    TypeError,
    'bands[0].action.keepMatching: expected a RegExp or an array of non-empty strings, got "x"',
  ],
  [band({ type: 'truncate', keepMatching: [''] }), TypeError, 'bands[0].action.keepMatching: expected'],
  [
    band({ type: 'spill', previewChars: -1 }),
    RangeError,
    'bands[0].action.previewChars: expected a whole number ≥ 0, got -1',
  ],
  [
    band({ type: 'spill', previewChars: 0.5 }),
    RangeError,
    'bands[0].action.previewChars: expected a whole number ≥ 0, got 0.5',
  ],
  [band({ type: 'spill', highlights: true }), TypeError, 'bands[0].action.highlights: expected'],
  [
    band({ type: 'summarize', summarize: 'gpt' }),
    TypeError,
    'bands[0].action.summarize: expected a function, got "gpt"',
  ],
  [
    band({ type: 'summarize', maxChars: 0 }),
    RangeError,
    'bands[0].action.maxChars: expected a finite number ≥ 1, got 0',
  ],
  [
    band({ type: 'summarize', timeoutMs: 0 }),
    RangeError,
    'bands[0].action.timeoutMs: expected a finite number > 0, got 0',
  ],
  [band({ type: 'summarize', timeoutMs: Infinity }), RangeError, 'bands[0].action.timeoutMs: expected'],
  [
    band({ type: 'spill', fallback: 5 }),
    TypeError,
    'bands[0].action.fallback: expected an action such as truncate(), got 5',
  ],
  [
    band({ type: 'spill', fallback: null }),
    TypeError,
    'bands[0].action.fallback: expected an action such as truncate(), got null',
  ],
  [
    band({ type: 'spill', fallback: { type: 'truncate', fallback: { type: 'spill', previewChars: -1 } } }),
    RangeError,
    'bands[0].action.fallback.fallback.previewChars: expected a whole number ≥ 0, got -1',
  ],
  [{ perTool: [] }, TypeError, 'perTool: expected an object, got an array'],
  [{ perTool: new Map([['a', []]]) }, TypeError, 'perTool: expected an object'],
  [{ perTool: { log: 5 } }, TypeError, 'perTool["log"]: expected an array of bands, got 5'],
  [{ perTool: { log: [{ over: -1, action: truncate() }] } }, RangeError, 'perTool["log"][0].over: expected'],
  [
    { perTool: { 'a[': [] } },
    RangeError,
    'perTool["a["]: expected a tool name or a glob that parses (unclosed character class), got "a["',
  ],
  [
    { toolFilter: 'some' },
    TypeError,
    'toolFilter: expected \'all\', an array of names, an object or a predicate, got "some"',
  ],
  [{ toolFilter: [5] }, TypeError, 'toolFilter[0]: expected a tool name or a glob, got 5'],
  [{ toolFilter: null }, TypeError, 'toolFilter: expected'],
  [
    { toolFilter: /log/ },
    TypeError,
    "toolFilter: expected 'all', an array of names, an object or a predicate, got a RegExp",
  ],
  [
    { toolFilter: ['a['] },
    RangeError,
    'toolFilter: expected a tool name or a glob that parses (unclosed character class), got "a["',
  ],
  [{ overTokens: 'yes' }, TypeError, 'overTokens: expected a boolean, got "yes"'],
  [{ stripAnsi: 1 }, TypeError, 'stripAnsi: expected a boolean, got 1'],
  [{ terminal: null }, TypeError, 'terminal: expected a boolean, got null'],
  [{ tokenizer: 5 }, TypeError, 'tokenizer: expected a function, got 5'],
  [{ generate: {} }, TypeError, 'generate: expected a function, got an object'],
  [{ journal: 'x' }, TypeError, 'journal: expected a function'],
  [{ onWarning: [] }, TypeError, 'onWarning: expected a function'],
  [{ onReduce: 1n }, TypeError, 'onReduce: expected a function, got 1n'],
  [{ onUsage: Symbol('x') }, TypeError, 'onUsage: expected a function, got a symbol'],
  [
    { serializer: 'yaml' },
    RangeError,
    'serializer: expected "json", "indented-json", "json-lines" or a function, got "yaml"',
  ],
  [{ serializer: 5 }, TypeError, 'serializer: expected'],
  [{ store: {} }, TypeError, 'store: expected a store with write and read functions, got an object'],
  [{ store: { write() {} } }, TypeError, 'store: expected a store'],
  [{ store: null }, TypeError, 'store: expected a store'],
  [
    { store: class {} },
    TypeError,
    'store: expected a store with write and read functions, made with new, got a function',
  ],
  [{ summaryPrompt: 5 }, TypeError, 'summaryPrompt: expected a non-empty string, got 5'],
  [
    { summaryPrompt: 'Sum up {output}' },
    RangeError,
    'summaryPrompt: expected a template with {tool_name}, got "Sum up {output}"',
  ],
  [{ summaryPrompt: 'Sum up {tool_name}' }, RangeError, 'summaryPrompt: expected a template with {output}'],
  [{ id: '' }, TypeError, 'id: expected a non-empty string, got ""'],
  [{ runId: 5 }, TypeError, 'runId: expected a non-empty string, got 5'],
  [{ callbackTimeoutMs: 0 }, RangeError, 'callbackTimeoutMs: expected a finite number > 0, got 0'],
  [{ callbackTimeoutMs: Infinity }, RangeError, 'callbackTimeoutMs: expected'],
  [{ readTool: true }, TypeError, 'readTool: expected an object, got true'],
  [{ readTool: { nam: 'x' } }, TypeError, 'readTool: unknown option "nam"; did you mean name?'],
  [{ readTool: { name: 'a b' } }, RangeError, 'readTool.name: expected a tool name'],
  [{ readTool: { name: '' } }, RangeError, 'readTool.name: expected a tool name'],
  [{ readTool: { enabled: 0 } }, TypeError, 'readTool.enabled: expected a boolean, got 0'],
  [{ readTool: { maxLines: 0 } }, RangeError, 'readTool.maxLines: expected a whole number ≥ 1, got 0'],
  [{ readTool: { maxChars: 499 } }, RangeError, 'readTool.maxChars: expected a whole number ≥ 500, got 499'],
  [{ readTool: { scope: 'all' } }, RangeError, 'readTool.scope: expected one of "store", "run", got "all"'],
]

/** What `call` throws, for a comparison of class and message together. */
function thrownBy(call: () => unknown): { type: unknown; message: string } {
  try {
    call()
  } catch (error) {
    return { type: (error as Error).constructor, message: (error as Error).message }
  }
  throw new Error('nothing was thrown')
}

describe('wrong options', () => {
  it.each(wrong.map((row) => [row[2], ...row] as const))('%s', (_name, options, type, message) => {
    const thrown = thrownBy(() => check(options))
    expect(thrown).toEqual({ type, message: expect.stringContaining(message) })
  })

  it('are told by the helpers too', () => {
    expect(thrownBy(() => truncate({ maxChars: Number.NaN }))).toEqual({
      type: RangeError,
      message: 'truncate.maxChars: expected a finite number, got NaN',
    })
    expect(thrownBy(() => spill({ fallback: 'x' as unknown as Action })).message).toContain(
      'spill.fallback: expected an action',
    )
    expect(thrownBy(() => spill({ type: 'truncate' } as object)).message).toContain("spill.type: expected 'spill'")
    expect(thrownBy(() => truncate(null as unknown as object)).message).toContain(
      'truncate: expected an object, got null',
    )
  })

  it('a fallback that leads back to itself', () => {
    const circular: { type: string; fallback?: object } = { type: 'spill' }
    circular.fallback = { type: 'truncate', fallback: circular }
    expect(thrownBy(() => check(band(circular)))).toEqual({
      type: RangeError,
      message: 'bands[0].action.fallback.fallback: expected fallbacks that come to an end, got an object',
    })
  })

  it('never show more than the beginning of a value', () => {
    expect(thrownBy(() => check({ serializer: 'x'.repeat(10_000) })).message.length).toBeLessThan(300)
  })

  const wrongStores: Wrong[] = [
    [{ root: '' }, TypeError, 'LocalFileStore.root: expected a non-empty string, got ""'],
    [{ root: 'a\0b' }, TypeError, 'LocalFileStore.root: expected a path without NUL'],
    [{ baseDir: '/x' }, TypeError, 'LocalFileStore: unknown option "baseDir"; did you mean root?'],
    [{ cleanupAfter: 5 }, TypeError, 'LocalFileStore: unknown option "cleanupAfter"; did you mean cleanupAfterMs?'],
    [{ cleanupAfterMs: 0 }, RangeError, 'LocalFileStore.cleanupAfterMs: expected a finite number > 0, got 0'],
    [{ maxBytes: -1 }, RangeError, 'LocalFileStore.maxBytes: expected'],
    [{ maxFileBytes: Infinity }, RangeError, 'LocalFileStore.maxFileBytes: expected'],
    [{ scope: 5 }, TypeError, 'LocalFileStore.scope: expected a string, got 5'],
    [{ scope: 'A' }, RangeError, 'LocalFileStore.scope: expected 1 to 40 chars'],
    [{ scope: 'con' }, RangeError, 'LocalFileStore.scope: expected 1 to 40 chars'],
    [{ scope: 'x'.repeat(41) }, RangeError, 'LocalFileStore.scope: expected 1 to 40 chars'],
  ]
  it.each(wrongStores.map((row) => [row[2], ...row] as const))('%s', (_name, options, type, message) => {
    expect(thrownBy(() => checkStoreOptions(options as object))).toEqual({
      type,
      message: expect.stringContaining(message),
    })
  })

  it('of a store may be absent', () => {
    expect(checkStoreOptions(undefined)).toEqual({})
    expect(checkStoreOptions({ root: '/x', maxBytes: undefined })).toEqual({ root: '/x' })
  })
})

describe('extendOptions', () => {
  const over = (...thresholds: number[]) => thresholds.map((n) => ({ over: n, action: passthrough() }))

  it('merges explicit bands by their threshold', () => {
    const later = { over: 2, action: truncate() }
    expect(extendOptions({ bands: over(1, 2) }, { bands: [later] }).bands).toEqual([...over(1), later])
    expect(extendOptions({}, { bands: [later] }).bands).toEqual([later])
    expect(extendOptions({ bands: over(1) }, { bands: undefined }).bands).toEqual(over(1))
  })

  it('merges perTool by name, and replaces the rest', () => {
    const base = { id: 'x', runId: 'r', perTool: { a: over(1), b: over(1) } }
    expect(extendOptions(base, { runId: 's', perTool: { b: over(2) } })).toEqual({
      id: 'x',
      runId: 's',
      perTool: { a: over(1), b: over(2) },
    })
  })

  it('leaves what is wrong to be found by the check', () => {
    const merged = extendOptions({ bands: over(1) }, { bands: [null, 5] as never, perTool: 5 as never })
    expect(() => check(merged)).toThrow(TypeError)
  })
})
