import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import {
  type Action,
  LocalFileStore,
  passthrough,
  spill,
  summarize,
  type ToolFilter,
  ToolOutputLimits,
  truncate,
} from '../index.js'
import { act, reasons, setup } from './support/limits.js'
import { beyondBaseline } from './support/package.js'
import { keysOf, newRoot } from './support/roots.js'
import { numberedLines } from './support/text.js'

const to = (maxChars: number) => truncate({ maxChars, strategy: 'head' })
/** What each band leaves of a text tells which one acted. */
const bands = [
  { over: 300, action: to(30) },
  { over: 100, action: to(10) },
  { over: 200, action: to(20) },
]

describe('the band', () => {
  it.each([
    [0, 0],
    [99, 99],
    [100, 10],
    [101, 10],
    [199, 10],
    [200, 20],
    [299, 20],
    [300, 30],
    [100_000, 30],
  ])(
    'for %i chars is the largest that is not above, in whatever order they are given: %i chars are left',
    async (size, left) => {
      const { reduce } = setup({ bands })
      const { value } = await reduce('x'.repeat(size))
      expect(value.length).toBe(left)
    },
  )

  it('below the smallest leaves the value as it is, by reference, whatever the serializer rendered', async () => {
    const value = { a: 1 }
    const { reduce, events } = setup({ bands, serializer: () => 'short' })
    const result = await reduce(value)
    expect(result).toEqual({
      reduced: false,
      value,
      report: { action: 'none', size: 5, unit: 'chars', chars: 5, fallbacks: [] },
    })
    expect(result.value).toBe(value)
    expect(events).toEqual([])
  })

  it('defaults to a spill from 10,000 chars, and to a cut of 4,000 where that cannot be', async () => {
    const { reduce, root } = setup()
    expect((await reduce('x'.repeat(9_999))).reduced).toBe(false)
    expect((await reduce('x'.repeat(10_000))).report.action).toBe('spill')
    expect(keysOf(root)).toEqual(['run/call.0'])
    const { value, report } = await setup({ readTool: { enabled: false } }).reduce('x'.repeat(10_000))
    expect(report.action).toBe('truncate')
    expect(value.length).toBe(4_000)
  })

  it('list that is empty leaves every tool alone', async () => {
    const text = 'x'.repeat(1_000_000)
    const { value, reduced, report } = await setup({ bands: [] }).reduce(text)
    expect({
      same: value === text,
      reduced,
      action: report.action,
      size: report.size,
      fallbacks: report.fallbacks,
    }).toEqual({
      same: true,
      reduced: false,
      action: 'none',
      size: 1_000_000,
      fallbacks: [],
    })
  })

  it('over 0 takes an empty value', async () => {
    const { value, report } = await setup({ bands: [{ over: 0, action: to(10) }] }).reduce('')
    expect(value).toBe('')
    expect(report.fallbacks).toEqual([])
  })

  it('compares bytes by their count', async () => {
    const { reduce } = setup({ bands: [{ over: 100, action: passthrough() }] })
    expect((await reduce(new Uint8Array(99))).report).toMatchObject({
      action: 'none',
      unit: 'bytes',
      size: 99,
      chars: 0,
    })
    expect((await reduce(new Uint8Array(100))).report).toMatchObject({
      action: 'passthrough',
      unit: 'bytes',
      size: 100,
      chars: 0,
    })
  })
})

describe('actions', () => {
  it('are plain frozen objects that can be compared', () => {
    expect(truncate()).toEqual({ type: 'truncate', maxChars: 4_000, strategy: 'head-tail', keepTailLines: 0 })
    expect(spill()).toEqual({ type: 'spill', previewChars: 1_000 })
    expect(summarize()).toEqual({ type: 'summarize', maxChars: 8_000, timeoutMs: 60_000 })
    expect(passthrough()).toEqual({ type: 'passthrough' })
    for (const action of [truncate(), spill(), summarize(), passthrough()]) expect(Object.isFrozen(action)).toBe(true)
    expect(JSON.parse(JSON.stringify(spill({ fallback: truncate({ maxChars: 5 }) })))).toMatchObject({
      type: 'spill',
      fallback: { type: 'truncate', maxChars: 5 },
    })
  })

  it('can be written by hand', async () => {
    const { value } = await act({ type: 'truncate', maxChars: 5, strategy: 'head' }, 'hello world')
    expect(value).toBe('hello')
  })

  it('passthrough is the explicit no-op', async () => {
    const text = 'x'.repeat(50_000)
    const { value, reduced, report } = await act(passthrough(), text)
    expect({ same: value === text, reduced, report }).toEqual({
      same: true,
      reduced: false,
      report: { action: 'passthrough', size: 50_000, unit: 'chars', chars: 50_000, fallbacks: [] },
    })
  })
})

describe('fallbacks', () => {
  it('chain to any depth; the report lists what was tried before, in order', async () => {
    const action = spill({ fallback: summarize({ fallback: summarize({ summarize: () => '', fallback: to(10) }) }) })
    const { value, report } = await act(action, 'x'.repeat(5_000), {}, { readTool: { enabled: false } })
    expect(value).toBe('x'.repeat(10))
    expect(report.action).toBe('truncate')
    expect(reasons(report)).toEqual(['spill: no_read_tool', 'summarize: no_model', 'summarize: summary_empty'])
  })

  it('may be a hundred deep', async () => {
    let action: Action = to(7)
    for (let i = 0; i < 100; i++) action = summarize({ fallback: action })
    const { value, report } = await act(action, 'x'.repeat(500))
    expect(value.length).toBe(7)
    expect(report.fallbacks).toHaveLength(100)
  })

  it('that are none leave the output as it is, with a warning', async () => {
    const { reduce, warnings } = setup({ bands: [{ over: 10, action: summarize() }] })
    const value = { text: 'secret '.repeat(100) }
    const result = await reduce(value, { toolName: 'my_tool' })
    expect(result.value).toBe(value)
    expect(result).toMatchObject({
      reduced: false,
      report: { action: 'passthrough', fallbacks: [{ action: 'summarize', reason: 'no_model' }] },
    })
    expect(warnings).toHaveLength(1)
    expect(warnings[0]).toMatchObject({ code: expect.stringMatching(/^TOL_/), toolName: 'my_tool', reason: 'no_model' })
    expect(JSON.stringify(warnings)).not.toContain('secret')
  })
})

describe('perTool', () => {
  const perTool = {
    build: [{ over: 0, action: to(1) }],
    'b*': [{ over: 0, action: to(2) }],
    'bu*': [{ over: 0, action: to(3) }],
    'mcp__{a,b}__*': [{ over: 0, action: to(4) }],
    '*.[ch]': [{ over: 0, action: to(5) }],
    quiet: [],
    '\\*': [{ over: 0, action: to(6) }],
  }
  it.each([
    ['build', 1, 'the exact name beats every glob'],
    ['bundle', 3, 'the longer glob beats the shorter'],
    ['beta', 2, 'a glob'],
    ['b*', 2, 'a name that is written like a glob is also an exact name'],
    ['mcp__a__x', 4, 'alternatives'],
    ['mcp__b__x__y', 4, 'a star matches any text'],
    ['main.c', 5, 'a class'],
    ['*', 6, 'an escaped star'],
    ['other', 50, 'no entry: the bands of all'],
    ['Build', 50, 'case matters'],
  ])('%s → %i chars: %s', async (toolName, left) => {
    const { value } = await setup({ bands: [{ over: 0, action: to(50) }], perTool }).reduce('x'.repeat(500), {
      toolName,
    })
    expect(value.length).toBe(left)
  })

  it('with an empty list leaves that tool alone', async () => {
    const { reduced } = await setup({ perTool }).reduce('x'.repeat(500_000), { toolName: 'quiet' })
    expect(reduced).toBe(false)
  })

  it.each(['constructor', '__proto__', 'toString', 'hasOwnProperty', 'valueOf'])(
    'is read by own properties only: a tool named %s has the bands of all',
    async (toolName) => {
      const options = { bands: [{ over: 0, action: to(50) }] }
      expect((await setup({ ...options, perTool: {} }).reduce('x'.repeat(500), { toolName })).value.length).toBe(50)
      const own = JSON.parse(
        `{${JSON.stringify(toolName)}: [{ "over": 0, "action": { "type": "truncate", "maxChars": 3 } }]}`,
      )
      expect((await setup({ ...options, perTool: own }).reduce('x'.repeat(500), { toolName })).value.length).toBe(3)
    },
  )
})

describe('toolFilter', () => {
  const metadata = { mcp: { server: 'files', tags: ['a', 'b'] }, cost: 3 }
  it.each<[ToolFilter, string, boolean]>([
    ['all', 'anything', true],
    [['build', 'test_*'], 'build', true],
    [['build', 'test_*'], 'test_unit', true],
    [['build', 'test_*'], 'deploy', false],
    [[], 'build', false],
    [{}, 'build', true],
    [{ cost: 3 }, 'build', true],
    [{ cost: 4 }, 'build', false],
    [{ mcp: { server: 'files' } }, 'build', true],
    [{ mcp: { server: 'web' } }, 'build', false],
    [{ mcp: { server: 'files' }, missing: true }, 'build', false],
    [{ toString: Object.prototype.toString }, 'build', false],
    [({ toolName }) => toolName === 'build', 'build', true],
    [({ toolName }) => toolName === 'build', 'test', false],
    [async ({ toolName }) => toolName === 'build', 'build', true],
    [async ({ toolName }) => toolName === 'build', 'test', false],
  ])('%o of tool %s: %s', async (toolFilter, toolName, limited) => {
    const { reduce } = setup({ toolFilter, bands: [{ over: 10, action: to(5) }] })
    const text = 'x'.repeat(100)
    const { value, reduced, report } = await reduce(text, {
      toolName,
      toolMetadata: metadata,
      content: 'y'.repeat(100),
    })
    expect(reduced).toBe(limited)
    expect(report).toEqual({
      action: limited ? 'truncate' : 'none',
      size: 100,
      unit: 'chars',
      chars: limited ? 5 : 100,
      fallbacks: [],
    })
    expect(value.length).toBe(limited ? 5 : 100)
  })

  it('an object does not match a call without metadata', async () => {
    const { reduced } = await setup({ toolFilter: { a: 1 }, bands: [{ over: 10, action: to(5) }] }).reduce(
      'x'.repeat(100),
    )
    expect(reduced).toBe(false)
  })

  it('a predicate is told the call', async () => {
    const calls: unknown[] = []
    const { reduce } = setup({ toolFilter: (call) => (calls.push(call), false) })
    await reduce('x', { toolName: 't', runId: 'r', toolCallId: 'c', retry: 2, toolMetadata: { m: 1 } })
    expect(calls).toMatchObject([{ toolName: 't', runId: 'r', toolCallId: 'c', retry: 2, toolMetadata: { m: 1 } }])
  })

  beyondBaseline('a predicate is told the arguments of the tool call', async () => {
    const { reduce } = setup({ toolFilter: ({ input }) => (input as { full: boolean }).full })
    expect((await reduce('x'.repeat(20_000), { input: { full: false } })).reduced).toBe(false)
    expect((await reduce('x'.repeat(20_000), { input: { full: true } })).reduced).toBe(true)
  })
})

describe('exempt', () => {
  const large = numberedLines(5_000)
  it.each([
    ['read_tool_result', true],
    ['mcp__srv__read_tool_result', true],
    ['srv.read_tool_result', true],
    ['srv/read_tool_result', true],
    ['srv:read_tool_result', true],
    ['a.b/c__read_tool_result', true],
    ['my_read_tool_result', false],
    ['xread_tool_result', false],
    ['srv-read_tool_result', false],
    ['read_tool_result_2', false],
    ['srv__READ_TOOL_RESULT', false],
  ])('is the read tool by its name, alone or in a namespace: %s %s', async (toolName, exempt) => {
    const { root, reduce } = setup()
    const { value, reduced, report } = await reduce(large, { toolName, content: large })
    expect(reduced).toBe(!exempt)
    if (exempt) {
      expect(value).toBe(large)
      expect(report).toEqual({ action: 'none', size: large.length, unit: 'chars', chars: large.length, fallbacks: [] })
      expect(keysOf(root)).toEqual([])
    }
  })

  it('is the read tool by its configured name, and no longer by the default one', async () => {
    const { reduce } = setup({ readTool: { name: 'peek' } })
    expect((await reduce(large, { toolName: 'mcp__x__peek' })).reduced).toBe(false)
    expect((await reduce(large, { toolName: 'read_tool_result' })).reduced).toBe(true)
  })

  it('holds for what the read tool answered, five times over', async () => {
    const { limits, root, reduce } = setup({ bands: [{ over: 100, action: spill() }] })
    const { report } = await reduce(large)
    let answer = await limits.readToolResult().execute({ handle: report.handle })
    const before = answer
    for (const toolName of [
      'read_tool_result',
      'mcp__srv__read_tool_result',
      'read_tool_result',
      'srv.read_tool_result',
      'read_tool_result',
    ]) {
      answer = (await reduce(answer, { toolName, toolCallId: toolName })).value
    }
    expect(answer).toBe(before)
    expect(keysOf(root)).toEqual(['run/call.0'])
  })

  it.each([
    ['an Error', new Error('x'.repeat(50_000))],
    ['a subclass', new (class MyError extends TypeError {})('x'.repeat(50_000))],
    ['an Error of another realm', runInNewContext('new Error("x".repeat(50000))')],
  ])('is %s', async (_, error) => {
    const result = await setup().reduce(error)
    expect(result.value).toBe(error)
    expect(result).toMatchObject({
      reduced: false,
      report: { action: 'none', size: 0, unit: 'chars', chars: 0, fallbacks: [] },
    })
  })

  it('reports the length of bytes', async () => {
    const bytes = new Uint8Array(50_000)
    const { value, report } = await setup().reduce(bytes, { toolName: 'read_tool_result' })
    expect(value).toBe(bytes)
    expect(report).toEqual({ action: 'none', size: 50_000, unit: 'bytes', chars: 0, fallbacks: [] })
  })

  beyondBaseline('is a call that the store exempts', async () => {
    const store = Object.assign(new LocalFileStore({ root: newRoot() }), {
      exempts: (call: { input?: unknown }) => call.input === 'own',
    })
    const { reduce } = setup({ store })
    expect((await reduce(large, { input: 'own' })).reduced).toBe(false)
    expect((await reduce(large, { input: 'other' })).reduced).toBe(true)
  })

  beyondBaseline('does not hold where the store throws', async () => {
    const files = new Map<string, Uint8Array>()
    let asked = 0
    const store = {
      write: (key: string, data: Uint8Array) => (files.set(key, data), key),
      read: (key: string) => files.get(key),
      exempts: () => {
        asked++
        throw new Error('no')
      },
    }
    expect((await setup({ store }).reduce(large)).reduced).toBe(true)
    expect(asked).toBe(1)
  })
})

describe('misuse', () => {
  it.each([
    ['no context', undefined],
    ['null', null],
    ['no toolName', {}],
    ['an empty toolName', { toolName: '' }],
    ['a toolName that is no string', { toolName: 7 }],
    ['a negative retry', { toolName: 't', retry: -1 }],
    ['a fractional retry', { toolName: 't', retry: 1.5 }],
    ['a NaN retry', { toolName: 't', retry: Number.NaN }],
    ['a retry that is a string', { toolName: 't', retry: '1' }],
  ])('rejects: %s', async (_, context) => {
    const { limits } = setup()
    await expect(limits.reduce('x', context as never)).rejects.toThrow()
    await expect(limits.reduceCallToolResult({ content: [] }, context as never)).rejects.toThrow()
  })
})

describe('extend', () => {
  const text = (size: number) => 'x'.repeat(size)
  const base = () =>
    setup({
      id: 'mine',
      bands: [
        { over: 100, action: to(10) },
        { over: 200, action: to(20) },
      ],
      perTool: { a: [{ over: 0, action: to(1) }] },
    }).limits

  it('merges bands; a later one replaces one with the same over; the old instance stays', async () => {
    const limits = base()
    const more = limits.extend({
      bands: [
        { over: 200, action: to(25) },
        { over: 300, action: to(30) },
      ],
    })
    const left = async (of: ToolOutputLimits, size: number) =>
      (await of.reduce(text(size), { toolName: 't' })).value.length
    expect([await left(more, 100), await left(more, 250), await left(more, 300)]).toEqual([10, 25, 30])
    expect([await left(limits, 100), await left(limits, 250), await left(limits, 300)]).toEqual([10, 20, 20])
  })

  it('keeps the id and has its own usage and stats', async () => {
    const limits = base()
    await limits.reduce(text(500), { toolName: 't' })
    const more = limits.extend({})
    expect(more.id).toBe('mine')
    expect(more.usage).toEqual({ requests: 0, inputTokens: 0, outputTokens: 0, totalTokens: 0 })
    expect(more.stats()).toEqual({})
  })

  it('takes over the options that are not given', async () => {
    const more = base().extend({ perTool: { b: [{ over: 0, action: to(2) }] } })
    expect((await more.reduce(text(500), { toolName: 'a' })).value.length).toBe(1)
    expect((await more.reduce(text(500), { toolName: 'b' })).value.length).toBe(2)
  })

  it('reads what the other instance stored', async () => {
    const { limits, reduce } = setup()
    const { report } = await reduce(numberedLines(3_000))
    const page = await limits.extend({ readTool: { name: 'peek' } }).read({ handle: report.handle!, limit: 1 })
    expect(page.text).toBe('line 1\n')
  })

  it('has the same run, so that it reads what the other stored where handles are those of a run', async () => {
    const { limits } = setup({ readTool: { scope: 'run' } })
    const { report } = await limits.reduce(numberedLines(3_000), { toolName: 't' })
    const page = (other: ToolOutputLimits) => other.read({ handle: report.handle!, limit: 1 })
    expect(await page(limits.extend({}))).toMatchObject({ text: 'line 1\n' })
    expect(await page(limits.extend({ runId: 'another' }))).toMatchObject({ found: false })
  })

  it('merges the options of the read tool: one more lines long does not open the handles of all runs', async () => {
    const { limits } = setup({ readTool: { scope: 'run', name: 'peek' } })
    const more = limits.extend({ readTool: { maxLines: 5, name: undefined } })
    expect(more.readToolResult().name).toBe('peek')
    const { report } = await limits.extend({ runId: 'other' }).reduce(numberedLines(3_000), { toolName: 't' })
    expect(await more.read({ handle: report.handle! })).toMatchObject({ found: false })
    expect((await more.read({ handle: report.handle! }, { runId: 'other' })).lastLine).toBe(5)
  })

  it('goes by the options as they were given, whatever became of the objects since', async () => {
    const bands = [{ over: 10, action: to(3) }]
    const perTool = { a: [{ over: 10, action: to(5) }] }
    const limits = new ToolOutputLimits({ bands, perTool })
    bands.length = 0
    Object.assign(perTool, { a: 'none' })
    const more = limits.extend({})
    expect((await more.reduce(text(500), { toolName: 'b' })).value.length).toBe(3)
    expect((await more.reduce(text(500), { toolName: 'a' })).value.length).toBe(5)
  })

  it('judges what it is given', () => {
    expect(() => base().extend({ bands: [{ over: -1, action: to(1) }] })).toThrow(RangeError)
    expect(() => base().extend({ nope: 1 } as never)).toThrow(/nope/)
    const more = base().extend({ readTool: { name: 'peek' }, perTool: {} })
    for (const wrong of [{ readTool: new Map() }, { perTool: /x/ }])
      expect(() => more.extend(wrong as never)).toThrow(/: expected an object, got a /)
  })
})

it('the default id is tool_output_limits', () => {
  expect(new ToolOutputLimits().id).toBe('tool_output_limits')
})
