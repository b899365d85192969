// Every function an application may give × everything such a function may do. One table.
import { inspect } from 'node:util'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import {
  MemoryStore,
  type OverflowStore,
  passthrough,
  type SummarizeOptions,
  spill,
  summarize,
  ToolOutputLimits,
  type ToolOutputLimitsOptions,
  truncate,
  type Warning,
} from '../index.js'
import { reasons, setup } from './support/limits.js'
import { beyondBaseline, runNode, underTest } from './support/package.js'
import { numberedLines } from './support/text.js'
import { warningsOf } from './support/warnings.js'

setFlagsFromString('--expose-gc')
const gc = runInNewContext('gc') as () => void

const large = numberedLines(3_000)
const TIMEOUT = 30
/** Time that a callback which answers never needs. */
const PATIENT = 20_000
const cut = truncate({ maxChars: 50, strategy: 'head' })

/** What a callback may do. `value` is what a good one would give; slow ones give it after a turn of the event loop. */
type Behaviour = (value: unknown) => unknown
const ODD = new Proxy(function odd() {}, {
  get() {
    throw new Error('trap')
  },
  has() {
    throw new Error('trap')
  },
  getPrototypeOf() {
    throw new Error('trap')
  },
})
const revoked = () => {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  return proxy
}
const BAD: [string, Behaviour][] = [
  [
    'throws an Error',
    () => {
      throw new Error('of the callback')
    },
  ],
  [
    'throws a string',
    () => {
      throw 'text'
    },
  ],
  [
    'throws a symbol',
    () => {
      throw Symbol.iterator
    },
  ],
  [
    'throws undefined',
    () => {
      throw undefined
    },
  ],
  [
    'throws null',
    () => {
      throw null
    },
  ],
  [
    'throws a Proxy whose traps throw',
    () => {
      throw ODD
    },
  ],
  [
    'throws a revoked Proxy',
    () => {
      throw revoked()
    },
  ],
  ['rejects', () => Promise.reject(new Error('of the callback'))],
  ['rejects with undefined', () => Promise.reject()],
  ['rejects with a symbol', () => Promise.reject(Symbol('s'))],
  ['never settles', () => new Promise(() => {})],
  [
    'gives a thenable that throws',
    () => ({
      then() {
        throw new Error('then')
      },
    }),
  ],
  [
    'gives a thenable whose then throws when it is asked for',
    () => ({
      get then() {
        throw new Error('get then')
      },
    }),
  ],
  ['gives a thenable that never calls back', () => ({ then() {} })],
  [
    'gives a thenable that rejects twice',
    () => ({
      then(_: unknown, reject: (error: unknown) => void) {
        reject(1)
        reject(2)
        throw 3
      },
    }),
  ],
  ['gives a Proxy whose traps throw', () => ODD],
  ['gives a revoked Proxy', revoked],
  ['gives a value of another type', () => ({ nothing: true })],
  ['gives a symbol', () => Symbol('x')],
  ['gives a function', () => () => 1],
]
const GOOD: [string, Behaviour][] = [
  ['answers at once', (value) => value],
  ['answers later', (value) => Promise.resolve(value)],
  ['is slow', (value) => new Promise((resolve) => setImmediate(() => setImmediate(() => resolve(value))))],
  ['gives a thenable', (value) => ({ then: (resolve: (value: unknown) => void) => resolve(value) })],
  [
    'gives a thenable that calls back twice and throws',
    (value) => ({
      then(resolve: (value: unknown) => void, reject: (e: unknown) => void) {
        resolve(value)
        reject(1)
        throw 2
      },
    }),
  ],
  ['gives a promise of a promise', (value) => Promise.resolve(Promise.resolve(value))],
]

interface Callback {
  name: string
  /** Options in which `call` stands where the callback goes; `timeoutMs` is the time of a summary. */
  options: (call: (value: unknown) => unknown, timeoutMs: number) => ToolOutputLimitsOptions
  /** What happens when the callback is bad: the reasons of the fallbacks and how many warnings there are. */
  bad: { action: string; reasons: (string | RegExp)[]; warnings: number }
  /** What happens when it is good. */
  good: { action: string; reasons?: string[] }
}
const memory = () => {
  const files = new Map<string, Uint8Array>()
  const store: Required<Pick<OverflowStore, 'write' | 'read' | 'readRange' | 'size' | 'delete'>> = {
    write: (key, data) => (files.set(key, data.slice()), key),
    read: (handle) => files.get(handle),
    readRange: (handle, start, end) => files.get(handle)!.subarray(start, end),
    size: (handle) => files.get(handle)!.length,
    delete: (handle) => void files.delete(handle),
  }
  return { store, files }
}
/** The baseline says nothing where a store or a model fails and a fallback acts. */
const warningOfFailure = underTest === 'baseline' ? 0 : 1
const CALLBACKS: Callback[] = [
  {
    name: 'tokenizer',
    options: (call) => ({
      overTokens: true,
      tokenizer: () => call(5_000) as number,
      bands: [{ over: 1_000, action: cut }],
    }),
    bad: { action: 'truncate', reasons: [], warnings: 1 },
    good: { action: 'truncate' },
  },
  {
    name: 'serializer',
    options: (call) => ({ serializer: () => call(large) as string, bands: [{ over: 1_000, action: cut }] }),
    bad: { action: 'truncate', reasons: [], warnings: 1 },
    good: { action: 'truncate' },
  },
  {
    name: 'toolFilter',
    options: (call) => ({ toolFilter: () => call(true) as boolean, bands: [{ over: 1_000, action: cut }] }),
    bad: { action: 'truncate', reasons: [], warnings: 1 },
    good: { action: 'truncate' },
  },
  {
    name: 'generate',
    options: (call, timeoutMs) => ({
      generate: () => call('short') as string,
      bands: [{ over: 1_000, action: summarize({ timeoutMs, fallback: cut }) }],
    }),
    bad: { action: 'truncate', reasons: [/^summarize: summary_(failed|timeout)$/], warnings: warningOfFailure },
    good: { action: 'summarize' },
  },
  {
    name: 'summarize of the action',
    options: (call, timeoutMs) => ({
      bands: [
        {
          over: 1_000,
          action: summarize({ summarize: () => call('short') as string, timeoutMs, fallback: cut }),
        },
      ],
    }),
    bad: { action: 'truncate', reasons: [/^summarize: summary_(failed|timeout)$/], warnings: warningOfFailure },
    good: { action: 'summarize' },
  },
  {
    name: 'journal',
    options: (call, timeoutMs) => ({
      generate: () => 'short',
      journal: () => call({ text: 'short' }) as Promise<{ text: string }>,
      bands: [{ over: 1_000, action: summarize({ timeoutMs, fallback: cut }) }],
    }),
    bad: { action: 'truncate', reasons: [/^summarize: summary_(failed|timeout)$/], warnings: warningOfFailure },
    good: { action: 'summarize' },
  },
  {
    name: 'write of a store',
    options: (call) => ({
      store: { ...memory().store, write: () => call('blob://x') as string },
      bands: [{ over: 1_000, action: spill({ fallback: cut }) }],
    }),
    bad: {
      action: 'truncate',
      reasons: [/^spill: store_(failed|timeout)$/],
      warnings: warningOfFailure,
    },
    good: { action: 'spill' },
  },
  {
    name: 'exempts of a store',
    options: (call) => ({
      store: { ...memory().store, exempts: () => call(false) as boolean },
      bands: [{ over: 1_000, action: cut }],
    }),
    bad: { action: 'truncate', reasons: [], warnings: 0 },
    good: { action: 'truncate' },
  },
  {
    name: 'readInstruction of a store',
    options: (call) => ({
      store: { ...memory().store, readInstruction: () => call('cat it') as string },
      bands: [{ over: 1_000, action: spill({ fallback: cut }) }],
    }),
    bad: { action: 'spill', reasons: [], warnings: 0 },
    good: { action: 'spill' },
  },
  {
    name: 'delete of a store',
    options: (call) => ({
      store: { ...memory().store, write: (key) => key + 'h'.repeat(40_000), delete: () => call(undefined) as void },
      bands: [{ over: 1_000, action: spill({ fallback: cut }) }],
    }),
    bad: { action: 'passthrough', reasons: ['spill: not_smaller'], warnings: 0 },
    good: { action: 'passthrough', reasons: ['spill: not_smaller'] },
  },
  {
    name: 'onReduce',
    options: (call) => ({ onReduce: () => call(undefined) as void, bands: [{ over: 1_000, action: cut }] }),
    bad: { action: 'truncate', reasons: [], warnings: 0 },
    good: { action: 'truncate' },
  },
  {
    name: 'onUsage',
    options: (call) => ({
      onUsage: () => call(undefined) as void,
      generate: () => 'short',
      bands: [{ over: 1_000, action: summarize() }],
    }),
    bad: { action: 'summarize', reasons: [], warnings: 0 },
    good: { action: 'summarize' },
  },
]

/** Runs with the process watched for what must not leak out of it. */
async function watched<T>(run: () => Promise<T>): Promise<T> {
  const leaked: unknown[] = []
  const listener = (reason: unknown) => void leaked.push(reason)
  process.on('unhandledRejection', listener)
  process.on('uncaughtExceptionMonitor', listener)
  try {
    const result = await run()
    await new Promise((go) => setImmediate(go))
    expect(leaked, 'unhandled').toEqual([])
    return result
  } finally {
    process.off('unhandledRejection', listener)
    process.off('uncaughtExceptionMonitor', listener)
  }
}
/** A value that every callback is asked about. */
const value = () => ({ log: large })

describe.each(CALLBACKS)('$name', ({ name, options, bad, good }) => {
  // The baseline asks a thrown Proxy for its prototype.
  const lacking = ['generate', 'summarize of the action', 'journal', 'write of a store'].includes(name)
  for (const [title, behave] of BAD) {
    const test = lacking && /^throws a .*Proxy/.test(title) ? beyondBaseline : it
    test(`that ${title} becomes a fallback, never an error`, async () => {
      const { reduce, warnings } = setup({ callbackTimeoutMs: TIMEOUT, ...options(behave, TIMEOUT) })
      const { report } = await watched(() => reduce(value()))
      expect(report.action).toBe(bad.action)
      expect(reasons(report)).toEqual(
        bad.reasons.map((reason) => (typeof reason === 'string' ? reason : expect.stringMatching(reason))),
      )
      expect(warnings).toHaveLength(bad.warnings)
      for (const warning of warnings) {
        expect(warning.code).toMatch(/^TOL_/)
        expect(warning.toolName).toBe('tool')
        expect(warning.message).not.toContain('of the callback')
        expect(warning.message).not.toContain('line 1')
      }
    })
  }

  it.each(GOOD)('that %s is heard', async (_, behave) => {
    const { reduce, warnings } = setup({ callbackTimeoutMs: PATIENT, ...options(behave, PATIENT) })
    const { report } = await watched(() => reduce(value()))
    expect(report).toMatchObject({ action: good.action })
    expect(reasons(report)).toEqual(good.reasons ?? [])
    expect(warnings).toEqual([])
  })

  it('may reduce again from within', async () => {
    const inner = setup({ bands: [{ over: 100, action: cut }] })
    const { reduce } = setup({
      callbackTimeoutMs: PATIENT,
      ...options(async (answer) => ((await inner.reduce(large)).reduced ? answer : undefined), PATIENT),
    })
    const { report } = await watched(() => reduce(value()))
    expect({ action: report.action, reasons: reasons(report) }).toEqual({ reasons: [], ...good })
  })

  it('may reduce with the same instance from within', async () => {
    let depth = 0
    const limits: { reduce?: ReturnType<typeof setup>['reduce'] } = {}
    const { reduce } = setup({
      callbackTimeoutMs: PATIENT,
      ...options(async (answer) => {
        if (depth++ < 3) await limits.reduce!(value(), { toolCallId: `inner_${depth}` })
        return answer
      }, PATIENT),
    })
    limits.reduce = reduce
    const { report } = await watched(() => reduce(value()))
    expect({ action: report.action, reasons: reasons(report) }).toEqual({ reasons: [], ...good })
  })

  it('serves 100 calls at once', async () => {
    const { reduce } = setup({ callbackTimeoutMs: PATIENT, ...options((answer) => Promise.resolve(answer), PATIENT) })
    const results = await Promise.all(Array.from({ length: 100 }, (_, i) => reduce(value(), { toolCallId: `c${i}` })))
    expect(new Set(results.map(({ report }) => report.action))).toEqual(new Set([good.action]))
  })

  it('answers for an instance that nobody holds any longer', async () => {
    const pending = watched(() =>
      setup({
        callbackTimeoutMs: PATIENT,
        ...options(async (answer) => {
          for (let i = 0; i < 3; i++) {
            gc()
            await new Promise((go) => setImmediate(go))
          }
          return answer
        }, PATIENT),
      }).reduce(value()),
    )
    const { report } = await pending
    expect({ action: report.action, reasons: reasons(report) }).toEqual({ reasons: [], ...good })
  })
})

describe('onWarning', () => {
  it.each([...BAD, ...GOOD])('that %s changes nothing', async (_, behave) => {
    const { reduce } = setup({ onWarning: () => behave(undefined) as void, bands: [{ over: 10, action: summarize() }] })
    const text = 'x'.repeat(100)
    const result = await watched(() => reduce(text))
    expect(result).toMatchObject({ value: text, reduced: false, report: { action: 'passthrough' } })
  })

  it('that gives a promise that rejects makes no unhandled rejection', async () => {
    const { reduce } = setup({
      onWarning: (() => Promise.reject(new Error('x'))) as (w: Warning) => void,
      bands: [{ over: 10, action: summarize() }],
    })
    expect((await watched(() => reduce('x'.repeat(100)))).reduced).toBe(false)
  })
})

describe('the cause of a warning', () => {
  const error = new Error('SECRET')
  const fail = () => {
    throw error
  }
  const store = { write: fail, read: () => null }
  const summary = (options: SummarizeOptions) => [{ over: 0, action: summarize({ fallback: cut, ...options }) }]
  const failing: [string, ToolOutputLimitsOptions, string][] = [
    ['a store', { store, bands: [{ over: 0, action: spill({ fallback: cut }) }] }, 'TOL_STORE'],
    ['a store without a fallback', { store, bands: [{ over: 0, action: spill() }] }, 'TOL_NOT_REDUCED'],
    ['generate', { generate: fail, bands: summary({}) }, 'TOL_SUMMARY'],
    ['generate without a fallback', { generate: fail, bands: summary({ fallback: undefined }) }, 'TOL_NOT_REDUCED'],
    ['a summarize function', { bands: summary({ summarize: () => Promise.reject(error) }) }, 'TOL_SUMMARY'],
    ['a journal', { generate: () => 'short', journal: fail, bands: summary({}) }, 'TOL_SUMMARY'],
  ]

  beyondBaseline('is what was thrown, and a log of the warning does not show it', async () => {
    for (const [name, options, code] of failing) {
      const { reduce, warnings } = setup(options)
      await reduce(large)
      expect(warnings, name).toMatchObject([{ code, message: expect.stringContaining('`cause`') }])
      expect(warnings[0]?.cause, name).toBe(error)
      for (const shown of [inspect(warnings), JSON.stringify(warnings), inspect({ ...warnings[0] })]) {
        expect(shown, name).not.toContain('SECRET')
      }
    }
  })

  it('is not there where nothing was thrown', async () => {
    const limits = [
      setup({ bands: summary({ summarize: () => '' }) }),
      setup({ bands: summary({ summarize: () => new Promise(() => {}), timeoutMs: 20 }) }),
      setup({ bands: summary({}) }),
      setup({ store: { ...store, write: () => '' }, bands: [{ over: 0, action: spill() }] }),
    ]
    for (const { reduce, warnings } of limits) {
      await reduce(large)
      expect(warnings.filter((warning) => 'cause' in warning)).toEqual([])
    }
  })

  beyondBaseline('is not in the warning of the process', async () => {
    const { stderr, stdout } = await runNode(
      `process.on('warning', (warning) => console.log(warning.code, warning.cause))
       const fail = () => { throw new Error('SECRET') }
       const options = { store: { write: fail, read: () => null }, generate: fail }
       const action = tol.summarize({ fallback: tol.spill({ fallback: tol.truncate() }) })
       const limits = new tol.ToolOutputLimits({ ...options, bands: [{ over: 0, action }] })
       await limits.reduce('line\\n'.repeat(10_000), { toolName: 'mine' })`,
    )
    expect(stdout).toBe('TOL_SUMMARY undefined\nTOL_STORE undefined\n')
    expect(stderr).not.toContain('SECRET')
  })
})

describe('a tokenizer', () => {
  it.each([[Number.NaN], [-1], [Number.POSITIVE_INFINITY], ['12'], [null], [undefined], [12n], [[12]], [true]])(
    'that gives %o warns once, and the estimate is used',
    async (answer) => {
      const { reduce, warnings } = setup({
        overTokens: true,
        tokenizer: () => answer as number,
        bands: [{ over: 10, action: cut }],
      })
      for (let i = 0; i < 3; i++)
        expect((await reduce('x'.repeat(400))).report).toMatchObject({ size: 100, unit: 'tokens', action: 'truncate' })
      expect(warnings).toHaveLength(1)
    },
  )

  it.each([[0], [5], [12.5], [1e12]])('that gives %d is believed', async (answer) => {
    const { report } = await setup({
      overTokens: true,
      tokenizer: () => answer,
      bands: [{ over: 0, action: cut }],
    }).reduce('x'.repeat(400))
    expect(report.size).toBe(answer)
  })
})

describe('a toolFilter', () => {
  it.each([[1], ['true'], [null], [undefined], [{}], [[]]])(
    'that gives %o counts as true, with a warning: the limit stays on',
    async (answer) => {
      const { reduce, warnings } = setup({ toolFilter: () => answer as never, bands: [{ over: 10, action: cut }] })
      expect((await reduce(large)).report.action).toBe('truncate')
      expect(warnings).toHaveLength(1)
    },
  )
})

describe('a summarizer', () => {
  it.each<[string, unknown, string]>([
    ['gives 1 MB', 'x'.repeat(1_000_000), 'summary'],
    ['gives an empty text', '', 'summary_empty'],
    ['gives a number', 42, 'summary_failed'],
    ['gives bytes', Buffer.from('x'), 'summary_failed'],
    ['gives a String object', Object('text'), 'summary_failed'],
  ])('that %s', async (_, answer, reason) => {
    const { value: out, report } = await setup({
      bands: [{ over: 100, action: summarize({ summarize: () => answer as string, fallback: cut }) }],
    }).reduce(large)
    if (reason === 'summary') expect(out.length).toBeLessThanOrEqual(8_000)
    else expect(reasons(report)).toEqual([`summarize: ${reason}`])
  })

  it('that throws after the abort makes no unhandled rejection', async () => {
    const controller = new AbortController()
    const action = summarize({
      summarize: (_tool, _text, { signal }) =>
        new Promise((_resolve, reject) =>
          signal.addEventListener('abort', () => setImmediate(() => reject(new Error('late')))),
        ),
      fallback: cut,
    })
    const { reduce } = setup({ bands: [{ over: 100, action }] })
    const pending = watched(async () => {
      const call = reduce(large, { signal: controller.signal })
      setImmediate(() => controller.abort())
      return call
    })
    expect(reasons((await pending).report)).toEqual(['summarize: aborted'])
  })
})

describe('a store', () => {
  const withStore = (store: OverflowStore, options: ToolOutputLimitsOptions = {}) =>
    setup({ store, callbackTimeoutMs: TIMEOUT, bands: [{ over: 1_000, action: spill({ fallback: cut }) }], ...options })

  it.each([['blob://x'], ['handle with spaces and "quotes"'], ['漢字/😀'], ['x'.repeat(1_000)]])(
    'gives its own handle, used as given: %s',
    async (handle) => {
      const { limits, reduce } = withStore({
        write: () => handle,
        read: (asked) => (asked === handle ? Buffer.from(large) : undefined),
      })
      const { report, value: out } = await reduce(large)
      expect(report.handle).toBe(handle)
      expect(out).toContain(JSON.stringify(handle))
      expect((await limits.read({ handle, limit: 1 })).text).toBe('line 1\n')
    },
  )

  it.each([[''], [undefined], [null], [5], [{}], [true]])('that gives the handle %o failed', async (handle) => {
    const { report } = await withStore({ write: () => handle as string, read: () => null }).reduce(large)
    expect(reasons(report)).toEqual(['spill: store_failed'])
  })

  it.each([
    ['ENOSPC', 'store_full'],
    ['EDQUOT', 'store_full'],
    ['EACCES', 'store_denied'],
    ['EPERM', 'store_denied'],
    ['EROFS', 'store_denied'],
    ['EFBIG', 'too_large'],
    ['ECONNRESET', 'store_failed'],
    [undefined, 'store_failed'],
  ])('that fails with %s: %s', async (code, reason) => {
    const { report } = await withStore({
      write: () => {
        throw Object.assign(new Error('x'), { code })
      },
      read: () => null,
    }).reduce(large)
    expect(reasons(report)).toEqual([`spill: ${reason}`])
  })

  it('that hangs: store_timeout', async () => {
    const { report } = await withStore({ write: () => new Promise(() => {}), read: () => null }).reduce(large)
    expect(reasons(report)).toEqual(['spill: store_timeout'])
  })

  it('is told the key, the bytes and the signal, with its own this', async () => {
    const calls: unknown[] = []
    class Mine {
      #files = new Map<string, Uint8Array>()
      write(key: string, data: Uint8Array, options?: { signal?: AbortSignal | undefined }) {
        calls.push([key, Buffer.from(data).toString(), options?.signal instanceof AbortSignal])
        this.#files.set(key, data)
        return key
      }
      read(handle: string) {
        return this.#files.get(handle)
      }
    }
    const { limits, reduce } = withStore(new Mine())
    const { report } = await reduce(large, { signal: new AbortController().signal })
    expect(calls).toEqual([['run/call.0', large, true]])
    expect((await limits.read({ handle: report.handle!, from_end: true, limit: 1 })).text).toBe('line 3000\n')
  })

  beyondBaseline('that fails warns once for each reason, also an instance made of the first', async () => {
    let code = 'EIO'
    const store = {
      write: () => {
        throw Object.assign(new Error('secret'), { code })
      },
      read: () => null,
    }
    const { limits, reduce, warnings } = withStore(store)
    for (code of ['EIO', 'EIO', 'ENOSPC', 'EACCES']) await reduce(large)
    await limits.extend({ id: 'other' }).reduce(large, { toolName: 'tool' })
    expect(warnings.map(({ code, reason }) => [code, reason])).toEqual([
      ['TOL_STORE', 'store_failed'],
      ['TOL_STORE', 'store_full'],
      ['TOL_STORE', 'store_denied'],
    ])
    for (const { message } of warnings) expect(message).not.toContain('secret')
  })

  beyondBaseline('that fails warns also where the fallback leaves the output as it is on purpose', async () => {
    const store = { write: () => '', read: () => null }
    const { reduce, warnings } = setup({ store, bands: [{ over: 0, action: spill({ fallback: passthrough() }) }] })
    await reduce(large)
    expect(warnings.map(({ code, reason }) => [code, reason])).toEqual([['TOL_STORE', 'store_failed']])
    expect(warnings[0]?.message).toContain('and stayed as it is: ')
  })

  beyondBaseline('too small for a result warns as well, and says what to raise', async () => {
    const { reduce, warnings } = withStore(new MemoryStore({ maxBytes: 1_000 }))
    await reduce(large)
    expect(warnings.map(({ code, reason }) => [code, reason])).toEqual([['TOL_STORE', 'too_large']])
    expect(warnings[0]?.message).toContain('maxBytes')
  })

  it('aborted before or while it writes', async () => {
    let writes = 0
    const { reduce } = withStore(
      { write: () => (writes++, new Promise(() => {})), read: () => null },
      { callbackTimeoutMs: 10_000 },
    )
    expect(reasons((await reduce(large, { signal: AbortSignal.abort() })).report)).toEqual(['spill: aborted'])
    expect(writes).toBe(0)
    const controller = new AbortController()
    const pending = reduce(large, { signal: controller.signal })
    setImmediate(() => controller.abort())
    expect(reasons((await pending).report)).toEqual(['spill: aborted'])
  })

  it('of the call comes before that of the options', async () => {
    const { store, files } = memory()
    const { reduce, limits } = setup()
    const { report } = await reduce(large, { store })
    expect([...files.keys()]).toEqual([report.handle])
    expect((await limits.read({ handle: report.handle! })).found).toBe(false)
    expect((await limits.read({ handle: report.handle!, limit: 1 }, { store })).text).toBe('line 1\n')
  })

  it.each<[string, (store: ReturnType<typeof memory>['store']) => OverflowStore]>([
    ['only read', ({ write, read }) => ({ write, read })],
    ['ranges', (store) => store],
    [
      'async ranges',
      (store) => ({
        ...store,
        readRange: async (...args) => store.readRange(...args),
        size: async (handle) => store.size(handle),
      }),
    ],
  ])('with %s is paged and searched', async (_, make) => {
    const { limits, reduce } = withStore(make(memory().store), { callbackTimeoutMs: 5_000 })
    const text = numberedLines(5_000, (n) => `${n} äö漢😀`)
    const { report } = await reduce(text)
    expect(await limits.read({ handle: report.handle!, offset: 4_321, limit: 1 })).toMatchObject({
      text: '4322 äö漢😀\n',
      totalLines: 5_000,
    })
    expect((await limits.read({ handle: report.handle!, pattern: '4999 ' })).matches).toMatchObject([{ line: 4_999 }])
  })

  it.each<[string, () => unknown]>([
    ['null', () => null],
    ['undefined', () => undefined],
    ['a promise of null', async () => null],
    [
      'an error ENOENT',
      () => {
        throw Object.assign(new Error('no such'), { code: 'ENOENT' })
      },
    ],
    ['a rejection ENOENT', () => Promise.reject(Object.assign(new Error('no such'), { code: 'ENOENT' }))],
  ])('says that a handle is unknown by %s', async (_, read) => {
    const { limits } = withStore({ write: (key) => key, read: read as never })
    expect(await limits.read({ handle: 'x' })).toMatchObject({ found: false, problem: 'unknown' })
  })

  for (const [title, behave] of BAD) {
    beyondBaseline(`that ${title} while reading is not an unknown handle: unavailable`, async () => {
      const { limits } = withStore({ write: (key) => key, read: (() => behave(undefined)) as never })
      const page = await watched(() => limits.read({ handle: 'x' }))
      expect(page).toMatchObject({ found: false, problem: 'unavailable', text: '' })
      expect(page.notice).toMatch(/again|later/i)
      expect(page.notice).not.toContain('of the callback')
    })
  }

  it('whose read hangs or fails never makes the read tool throw', async () => {
    for (const [, behave] of BAD) {
      const { limits } = withStore({ write: (key) => key, read: (() => behave(undefined)) as never })
      expect(await watched(() => limits.readToolResult().execute({ handle: 'x' }))).not.toBe('')
    }
  })

  const READS: [string, (store: ReturnType<typeof memory>['store'], call: Behaviour) => OverflowStore][] = [
    ['read', ({ write, read }, call) => ({ write, read: (handle) => call(read(handle)) as Uint8Array })],
    [
      'readRange',
      (store, call) => ({ ...store, readRange: (...args) => call(store.readRange(...args)) as Uint8Array }),
    ],
    ['size', (store, call) => ({ ...store, size: (handle) => call(store.size(handle)) as number })],
  ]
  describe.each(READS)('%s', (name, make) => {
    const prepared = async (behave: Behaviour, callbackTimeoutMs: number) => {
      const { store } = memory()
      const handle = store.write('run/call.0', Buffer.from(large)) as string
      return { handle, limits: withStore(make(store, behave), { callbackTimeoutMs }).limits }
    }

    for (const [title, behave] of BAD) {
      // A size that makes no sense is not believed, and the whole is read instead.
      const isRead = name === 'size' && title.startsWith('gives a') && !/then|Proxy/.test(title)
      const test = isRead ? it : beyondBaseline
      test(`that ${title}: the page says so, and nothing is thrown`, async () => {
        const { limits, handle } = await prepared(behave, TIMEOUT)
        const page = await watched(() => limits.read({ handle, limit: 1 }))
        expect(page).toMatchObject(
          isRead ? { found: true, text: 'line 1\n' } : { found: false, problem: 'unavailable' },
        )
        expect(page.notice ?? '').not.toContain('of the callback')
      })
    }

    it.each(GOOD)('that %s is heard', async (_, behave) => {
      const { limits, handle } = await prepared(behave, PATIENT)
      const page = await watched(() => limits.read({ handle, offset: 2_999 }))
      expect(page).toMatchObject({ found: true, text: 'line 3000\n', totalLines: 3_000 })
    })

    it('may read and reduce with the same instance from within', async () => {
      let depth = 0
      const own: { limits?: ToolOutputLimits } = {}
      const { limits, handle } = await prepared(async (answer) => {
        if (depth++ < 3) {
          await own.limits!.read({ handle: 'run/call.0', limit: 1 })
          await own.limits!.reduce(large, { toolName: 'inner' })
        }
        return answer
      }, PATIENT)
      own.limits = limits
      expect(await limits.read({ handle, limit: 1 })).toMatchObject({ found: true, text: 'line 1\n' })
    })

    it('serves 50 pages at once', async () => {
      const { limits, handle } = await prepared(
        (answer) => new Promise((resolve) => setImmediate(() => resolve(answer))),
        PATIENT,
      )
      const pages = await Promise.all(
        Array.from({ length: 50 }, (_, n) => limits.read({ handle, offset: n, limit: 1 })),
      )
      expect(pages.map(({ text }) => text)).toEqual(Array.from({ length: 50 }, (_, n) => `line ${n + 1}\n`))
    })

    it('answers for an instance that nobody holds any longer', async () => {
      const pending = (async () => {
        const { limits, handle } = await prepared(async (answer) => {
          gc()
          await new Promise((go) => setImmediate(go))
          return answer
        }, PATIENT)
        return limits.read({ handle, limit: 1 })
      })()
      expect(await pending).toMatchObject({ found: true, text: 'line 1\n' })
    })
  })

  it('that cannot say how a handle is read, without a read tool, gives no handle that nobody can read', async () => {
    for (const [, behave] of BAD) {
      const { store, files } = memory()
      const own = { ...store, readInstruction: (() => behave(undefined)) as never }
      const { report } = await watched(() => withStore(own, { readTool: { enabled: false } }).reduce(large))
      expect(reasons(report)).toEqual(['spill: no_read_tool'])
      expect(files.size).toBe(0)
    }
  })

  it('whose write is overtaken by an abort has its copy taken back, however close they are', async () => {
    for (let ticks = 0; ticks < 12; ticks++) {
      const { store, files } = memory()
      const run = new AbortController()
      const write = async (key: string, data: Uint8Array) => {
        const handle = await store.write(key, data)
        void (async () => {
          for (let n = 0; n < ticks; n++) await 0
          run.abort()
        })()
        return handle
      }
      const { report } = await withStore({ ...store, write }).reduce(large, { signal: run.signal })
      await new Promise(setImmediate)
      expect([ticks, files.size]).toEqual([ticks, report.action === 'spill' ? 1 : 0])
    }
  })

  it.each([
    ['a lone surrogate in its handle', 'é\ud800'],
    ['an empty handle', ''],
  ])('with %s names nothing that a model could read back', async (_comment, handle) => {
    const { report } = await withStore({ ...memory().store, write: () => handle }).reduce(large)
    expect(reasons(report)).toEqual(['spill: store_failed'])
  })

  it('that goes by the bytes answers every run that stored them', async () => {
    const files = new Map<string, Uint8Array>()
    const write = (_key: string, data: Uint8Array) => (
      files.set(`sha-${data.length}`, data.slice()), `sha-${data.length}`
    )
    const { limits } = withStore({ write, read: (handle) => files.get(handle) }, { readTool: { scope: 'run' } })
    const runs = ['a', 'b', 'a', 'c']
    for (const runId of runs) await limits.reduce(large, { toolName: 't', runId })
    const [handle = ''] = files.keys()
    const found = await Promise.all(
      [...runs, 'd'].map(async (runId) => (await limits.read({ handle }, { runId })).found),
    )
    expect(found).toEqual([true, true, true, true, false])
  })

  it('with a delete that fails is no reason to fail', async () => {
    for (const [, behave] of BAD) {
      const store: OverflowStore = {
        write: (key) => key + 'h'.repeat(2_000),
        read: () => null,
        delete: (() => behave(undefined)) as never,
      }
      const { report } = await watched(() =>
        withStore(store, { bands: [{ over: 100, action: spill({ previewChars: 0 }) }] }).reduce('x'.repeat(1_500)),
      )
      expect(reasons(report)).toEqual(['spill: not_smaller'])
    }
  })

  beyondBaseline('with an instruction of its own says how a handle is read, and needs no read tool', async () => {
    const { store } = memory()
    const own = { ...store, readInstruction: (handle: string) => `cat workspace/${handle}` }
    const { value: out, report } = await withStore(own, { readTool: { enabled: false } }).reduce(large)
    expect(report.action).toBe('spill')
    expect(out).toContain('cat workspace/run/call.0')
    expect(out).not.toContain('read_tool_result')
  })

  it('that is a hostile Proxy fails like any other', async () => {
    const store = new Proxy({ write: () => 'x', read: () => null } as OverflowStore, {})
    const { reduce } = setup({ bands: [{ over: 100, action: spill({ fallback: cut }) }] })
    expect((await reduce(large, { store })).report.action).toBe('spill')
    expect((await reduce(large, { store: { write: 5, read: 5 } as never })).report.action).toBe('truncate')
    expect((await reduce(large, { store: 'x' as never })).report.action).toBe('truncate')
  })
})

describe('an abort signal', () => {
  it('aborted: every action falls back, a cut needs no time and still runs', async () => {
    const { report } = await setup({
      bands: [{ over: 100, action: spill({ fallback: summarize({ summarize: () => 'x', fallback: cut }) }) }],
    }).reduce(large, { signal: AbortSignal.abort() })
    expect(reasons(report)).toEqual(['spill: aborted', 'summarize: aborted'])
    expect(report.action).toBe('truncate')
  })

  it('shared by 100 calls makes no listener warning of our making', async () => {
    const { signal } = new AbortController()
    const { reduce } = setup({
      bands: [
        {
          over: 100,
          action: summarize({ summarize: () => new Promise((resolve) => setImmediate(() => resolve('short'))) }),
        },
      ],
    })
    const calls = Array.from({ length: 100 }, (_, i) => () => reduce(large, { signal, toolCallId: `c${i}` }))
    expect(await warningsOf(() => Promise.all(calls.map((call) => call())))).toEqual([])
  })

  it.each<[string, unknown]>([
    ['a number', 5],
    ['an object', {}],
    ['null', null],
    [
      'a fake that throws',
      {
        aborted: false,
        addEventListener() {
          throw new Error('x')
        },
      },
    ],
  ])('that is none is no reason to fail: %s', async (_, signal) => {
    const { report } = await setup({ bands: [{ over: 100, action: spill({ fallback: cut }) }] }).reduce(large, {
      signal: signal as never,
    })
    expect(['spill', 'truncate']).toContain(report.action)
  })
})

it('a getter in the context that throws is a misuse or ignored, never a crash', async () => {
  const { limits } = setup()
  const outcome = await limits
    .reduce(large, {
      toolName: 'tool',
      get metadata() {
        throw new Error('getter')
      },
    })
    .then(
      () => 'done',
      () => 'rejected',
    )
  expect(['done', 'rejected']).toContain(outcome)
})

it('an instance that nobody holds any longer finishes its call', async () => {
  let finish = (_: string) => {}
  let asked = () => {}
  const isAsked = new Promise<void>((resolve) => {
    asked = resolve
  })
  const pending = (() => {
    const limits = new ToolOutputLimits({
      bands: [
        {
          over: 10,
          action: summarize({
            summarize: () =>
              new Promise((resolve) => {
                finish = resolve
                asked()
              }),
          }),
        },
      ],
    })
    return limits.reduce(large, { toolName: 't' })
  })()
  await isAsked
  gc()
  finish('short')
  expect((await pending).value).toBe('short')
})
