import { describe, expect, it } from 'vitest'
import { spill, truncate } from '../index.js'
import { envelope, readBack, setup } from './support/limits.js'
import { keysOf, storedText } from './support/roots.js'
import { numberedLines } from './support/text.js'

interface Block {
  type: string
  text?: string
  [key: string]: unknown
}
interface Result {
  content: Block[]
  structuredContent?: unknown
  isError?: boolean
  _meta?: Record<string, unknown>
}
const large = numberedLines(3_000)
const records = { rows: Array.from({ length: 2_000 }, (_, i) => ({ id: i, name: `row ${i}` })) }
const image = { type: 'image', data: 'aGk=', mimeType: 'image/png' }
const context = { toolName: 'tool', runId: 'run', toolCallId: 'call' }
const HANDLE = 'tool-output-limits/handle'
const STRUCTURED = 'tool-output-limits/structured-handle'

describe('a CallToolResult', () => {
  it.each<[string, Result]>([
    ['small', { content: [{ type: 'text', text: 'ok' }] }],
    ['an error, however large', { isError: true, content: [{ type: 'text', text: large }] }],
    ['without content', { content: [] }],
    ['without text', { content: [image] }],
  ])('is the very object that was given: %s', async (_, result) => {
    const { limits, root } = setup()
    expect(await limits.reduceCallToolResult(result, context)).toBe(result)
    expect(keysOf(root)).toEqual([])
  })

  it('has its text blocks reduced together, media kept in place, the handle in _meta', async () => {
    const { limits, root } = setup()
    const result: Result = {
      content: [
        image,
        { type: 'text', text: large, annotations: { priority: 1 } },
        { type: 'text', text: 'more' },
        image,
      ],
      _meta: { mine: 1 },
    }
    const before = structuredClone(result)
    const out = await limits.reduceCallToolResult(result, context)
    expect(out).toEqual({
      content: [image, { type: 'text', text: expect.any(String), annotations: { priority: 1 } }, image],
      _meta: { mine: 1, [HANDLE]: 'run/call.0' },
    })
    expect(storedText(root, 'run/call.0')).toBe(`${large}\nmore`)
    expect(envelope(out.content[1]!.text).input.handle).toBe('run/call.0')
    expect(result).toEqual(before)
  })

  it.each<[string, string, unknown]>([
    ['as it is', JSON.stringify(records), records],
    [
      'in other layout and key order',
      JSON.stringify({ rows: records.rows.map(({ id, name }) => ({ name, id })) }, null, 2),
      records,
    ],
    ['wrapped as result', JSON.stringify(records), { result: records }],
    ['wrapped as content', JSON.stringify(records), { content: records }],
    ['a text wrapped as result', large, { result: large }],
    ['a text wrapped as content', large, { content: large }],
  ])(
    'whose structuredContent repeats the text is counted and stored once, and dropped: %s',
    async (_, text, structuredContent) => {
      const { limits, root } = setup()
      const out = await limits.reduceCallToolResult(
        { content: [{ type: 'text', text }], structuredContent } as Result,
        context,
      )
      expect(out).toEqual({ content: [{ type: 'text', text: expect.any(String) }], _meta: { [HANDLE]: 'run/call.0' } })
      expect(keysOf(root)).toEqual(['run/call.0'])
      expect(storedText(root, 'run/call.0')).toBe(text)
    },
  )

  it('whose structuredContent is a list of what the blocks are is counted and stored once', async () => {
    const { limits, root } = setup()
    const result = Array.from({ length: 1_000 }, (_, id) => ({ id, name: `item ${id}` }))
    const content = result.map((item) => ({ type: 'text', text: JSON.stringify(item, null, 2) }))
    const out = await limits.reduceCallToolResult({ content, structuredContent: { result } } as Result, context)
    expect(out).toEqual({ content: [{ type: 'text', text: expect.any(String) }], _meta: { [HANDLE]: 'run/call.0' } })
    expect(keysOf(root)).toEqual(['run/call.0'])
  })

  it('whose structuredContent differs has it as a part of its own, its envelope the last text block', async () => {
    const { limits, root } = setup()
    const out = await limits.reduceCallToolResult(
      { content: [{ type: 'text', text: 'summary' }, image], structuredContent: records } as Result,
      context,
    )
    expect(out).toEqual({
      content: [{ type: 'text', text: 'summary' }, image, { type: 'text', text: expect.any(String) }],
      _meta: { [STRUCTURED]: 'run/call.0.structured' },
    })
    expect(envelope(out.content[2]!.text).input.handle).toBe('run/call.0.structured')
    expect(await readBack(limits, 'run/call.0.structured')).toBe(JSON.stringify(records))
    expect(keysOf(root)).toEqual(['run/call.0.structured'])
  })

  it('may have both parts reduced', async () => {
    const { limits } = setup()
    const out = await limits.reduceCallToolResult(
      { content: [{ type: 'text', text: large }], structuredContent: records } as Result,
      context,
    )
    expect(out._meta).toEqual({ [HANDLE]: 'run/call.0', [STRUCTURED]: 'run/call.0.structured' })
    expect(out.content).toHaveLength(2)
    expect(out.structuredContent).toBeUndefined()
  })

  it('keeps small structuredContent beside a reduced text', async () => {
    const out = await setup().limits.reduceCallToolResult(
      { content: [{ type: 'text', text: large }], structuredContent: { n: 1 } } as Result,
      context,
    )
    expect(out.structuredContent).toEqual({ n: 1 })
  })

  it.each([
    ['repeats the text', JSON.stringify(records)],
    ['differs', large],
  ])('always keeps its structuredContent with an outputSchema, for it must validate: it %s', async (_, text) => {
    const { limits, root } = setup()
    const out = await limits.reduceCallToolResult(
      { content: [{ type: 'text', text }], structuredContent: records } as Result,
      { ...context, outputSchema: true },
    )
    expect(out.structuredContent).toBe(records)
    expect(out.content).toHaveLength(1)
    expect(keysOf(root)).toEqual(['run/call.0'])
  })

  it('of the read tool or a tool that is filtered out is untouched', async () => {
    const result: Result = { content: [{ type: 'text', text: large }] }
    expect(await setup().limits.reduceCallToolResult(result, { toolName: 'mcp__srv__read_tool_result' })).toBe(result)
    expect(await setup({ toolFilter: ['other'] }).limits.reduceCallToolResult(result, context)).toBe(result)
    expect(await setup({ toolFilter: async () => false }).limits.reduceCallToolResult(result, context)).toBe(result)
    expect(await setup({ bands: [] }).limits.reduceCallToolResult(result, context)).toBe(result)
  })

  it('without a handle gets no _meta of ours', async () => {
    const { limits } = setup({ bands: [{ over: 100, action: truncate({ maxChars: 50 }) }] })
    const out = await limits.reduceCallToolResult({ content: [{ type: 'text', text: large }] } as Result, context)
    expect(Object.keys(out)).toEqual(['content'])
    expect(out.content[0]!.text!.length).toBeLessThanOrEqual(50)
  })

  it('keeps properties it does not know', async () => {
    const out = await setup().limits.reduceCallToolResult(
      { content: [{ type: 'text', text: large }], extra: { a: 1 } } as Result,
      context,
    )
    expect(out).toMatchObject({ extra: { a: 1 } })
  })

  it.each<[string, unknown]>([
    ['null', null],
    ['undefined', undefined],
    ['a string', 'x'],
    ['an old toolResult', { toolResult: large }],
    ['content that is no array', { content: large }],
    ['blocks that are null', { content: [null, undefined, 5] }],
  ])('that is none is given back: %s', async (_, result) => {
    expect(await setup().limits.reduceCallToolResult(result as Result, context)).toBe(result)
  })

  it('counts as it was at the call, also when it is changed right after', async () => {
    const { limits, root } = setup()
    const structuredContent = { log: 'old'.repeat(5_000) }
    const pending = limits.reduceCallToolResult({ content: [], structuredContent } as Result, context)
    structuredContent.log = 'new'
    expect((await pending)._meta).toEqual({ [STRUCTURED]: 'run/call.0.structured' })
    expect(storedText(root, 'run/call.0.structured')).toBe(JSON.stringify({ log: 'old'.repeat(5_000) }))
  })

  it.each([
    ['more keys', { content: large, more: 1 }],
    ['another key', { other: large }],
    ['a text', large],
    ['nothing', undefined],
  ])('whose structured content has one key, and a toJSON that gives %s, is taken as it renders', async (_, json) => {
    const structuredContent = Object.defineProperty({ content: large }, 'toJSON', { value: () => json })
    const result = { content: [{ type: 'text', text: 'x' }], structuredContent } as Result
    const { limits, root } = setup()
    await limits.reduceCallToolResult(result, context)
    const stored = json === undefined ? [] : ['run/call.0.structured']
    expect(keysOf(root)).toEqual(stored)
    for (const key of stored) expect(storedText(root, key)).toBe(JSON.stringify(json))
  })

  it('counts and tells its parts', async () => {
    const { limits, events } = setup({ bands: [{ over: 1_000, action: spill() }] })
    await limits.reduceCallToolResult(
      { content: [{ type: 'text', text: large }], structuredContent: records } as Result,
      context,
    )
    expect(events).toHaveLength(2)
    expect(limits.stats().tool!.spill).toMatchObject({ calls: 2 })
  })
})
