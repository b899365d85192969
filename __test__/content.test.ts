import { describe, expect, it } from 'vitest'
import { type ContentBlock, spill, truncate } from '../index.js'
import { act, envelope, readBack, setup } from './support/limits.js'
import { beyondBaseline } from './support/package.js'
import { storedText } from './support/roots.js'
import { numberedLines } from './support/text.js'

const large = numberedLines(3_000)
const text = (value: string, more: object = {}): ContentBlock => ({ type: 'text', text: value, ...more })
const image: ContentBlock = { type: 'image', data: 'aGk=', mimeType: 'image/png' }

describe('content', () => {
  it('that is text is reduced in place, with a handle of its own', async () => {
    const { root, reduce } = setup()
    const result = await reduce(`value ${large}`, { content: `content ${large}` })
    expect(result.reduced).toBe(true)
    expect(result.report.handle).toBe('run/call.0')
    expect(result.contentReport).toMatchObject({
      action: 'spill',
      handle: 'run/call.0.content',
      size: large.length + 8,
    })
    expect(envelope(result.content).input.handle).toBe('run/call.0.content')
    expect(storedText(root, 'run/call.0.content')).toBe(`content ${large}`)
    expect(result.metadata).toEqual({
      overflow_handle: 'run/call.0',
      overflow_bytes: large.length + 6,
      overflow_content_handle: 'run/call.0.content',
      overflow_content_bytes: large.length + 8,
    })
  })

  it.each([
    ['only the value is large', large, 'small', true, false],
    ['only the content is large', 'small', large, false, true],
    ['neither is large', 'small', 'small', false, false],
  ])('and value go through the bands on their own: %s', async (_, value, content, valueReduced, contentReduced) => {
    const result = await setup().reduce(value, { content })
    expect(result.reduced).toBe(valueReduced || contentReduced)
    expect(result.value === value).toBe(!valueReduced)
    expect(result.content === content).toBe(!contentReduced)
    expect([result.report.action, result.contentReport!.action]).toEqual([
      valueReduced ? 'spill' : 'none',
      contentReduced ? 'spill' : 'none',
    ])
  })

  it('that is not given stays away', async () => {
    const result = await setup().reduce(large)
    expect('content' in result).toBe(false)
    expect('contentReport' in result).toBe(false)
  })

  it('below the bands is the very array that was given', async () => {
    const content = [text('a'), image]
    const result = await setup().reduce('x', { content })
    expect(result.content).toBe(content)
  })
})

describe('content blocks', () => {
  it('that are too long together for a string stay, with a warning', async () => {
    const half = 'a'.repeat(2 ** 28)
    const content = [text(half), text(half)]
    const { limits, warnings } = setup()
    expect((await limits.reduce('x', { toolName: 't', content })).content).toBe(content)
    const result = { content }
    expect(await limits.reduceCallToolResult(result, { toolName: 't' })).toBe(result)
    expect(warnings.map(({ code }) => code)).toEqual(['TOL_CONTENT_NOT_TEXT', 'TOL_CONTENT_NOT_TEXT'])
  })

  it('of text are one part: the reduced text takes the place of the first, the others go, the rest keep their place', async () => {
    const { limits, reduce, events } = setup()
    const link = { type: 'resource_link', uri: 'file:///x' }
    const content = [
      image,
      text(large, { annotations: { audience: ['user'] } }),
      link,
      text('second'),
      image,
      text('third'),
    ]
    const before = structuredClone(content)
    const result = await reduce('small', { content })
    const blocks = result.content as ContentBlock[]
    expect(blocks).toEqual([
      image,
      { type: 'text', text: expect.any(String), annotations: { audience: ['user'] } },
      link,
      image,
    ])
    expect(await readBack(limits, result.contentReport!.handle)).toBe(`${large}\nsecond\nthird`)
    expect(content).toEqual(before)
    expect(result.contentReport!.size).toBe(`${large}\nsecond\nthird`.length)
    expect(events.map(({ part }) => part)).toEqual(['content'])
  })

  it('that are small one by one count together', async () => {
    const content = Array.from({ length: 20 }, (_, i) => text(`${i}`.padStart(600, '.')))
    const result = await setup().reduce('small', { content })
    expect(result.content).toHaveLength(1)
    expect(result.contentReport!.size).toBe(20 * 600 + 19)
  })

  it('without text stay', async () => {
    const content = [image]
    const result = await setup({ bands: [{ over: 1_000, action: spill() }] }).reduce('small', { content })
    expect(result.content).toBe(content)
    expect(result.reduced).toBe(false)
  })

  it('that are not text and over the limit are left, with a warning', async () => {
    const { reduce, warnings } = setup()
    const huge = { type: 'image', data: 'A'.repeat(50_000) }
    const result = await reduce('small', { content: [huge, text('x')] })
    expect((result.content as ContentBlock[])[0]).toBe(huge)
    expect(warnings).toHaveLength(1)
    expect(warnings[0]).toMatchObject({ code: expect.stringMatching(/^TOL_/), toolName: 'tool' })
    expect(warnings[0]!.message).not.toContain('AAAA')
  })

  it.each([
    [39_999, 0],
    [40_000, 1],
  ])('that are not text count as tokens where thresholds do: %i chars', async (chars, told) => {
    const { reduce, warnings } = setup({ overTokens: true })
    await reduce('small', { content: [{ type: 'image', data: 'A'.repeat(chars) }] })
    expect(warnings).toHaveLength(told)
  })

  it.each<[string, unknown]>([
    ['empty', []],
    ['a text block whose text is no string', [{ type: 'text', text: 5 }]],
    ['null and primitives', [null, 5, 'x', undefined]],
    ['no array', { type: 'text', text: 'x' }],
    ['a number', 7],
  ])('that are odd never make it fail: %s', async (_, content) => {
    const result = await setup().reduce('small', { content: content as ContentBlock[] })
    expect(result.content).toBe(content)
    expect(result.reduced).toBe(false)
  })

  beyondBaseline('that throw when they are looked at never make it fail', async () => {
    const { proxy, revoke } = Proxy.revocable({}, {})
    revoke()
    for (const block of [
      Object.defineProperty({}, 'type', {
        enumerable: true,
        get() {
          throw new Error('x')
        },
      }),
      proxy,
    ]) {
      const content = [block as ContentBlock, text(large)]
      expect((await setup().reduce('small', { content })).report.action).toBe('none')
    }
  })

  it('in a value are data: a list of records that all have a type is reduced as a value', async () => {
    const value = Array.from({ length: 3_000 }, (_, i) => ({ type: 'text', text: `${i}` }))
    const result = await setup().reduce(value)
    expect(result.report).toMatchObject({ action: 'spill', size: JSON.stringify(value).length })
    expect(typeof result.value).toBe('string')
  })

  it('are cut together by truncate', async () => {
    const { content } = await act(truncate({ maxChars: 100, strategy: 'head' }), 'small', {
      content: [text('a'.repeat(80)), text('b'.repeat(5_000))],
    })
    const [block] = content as ContentBlock[]
    expect((block!.text as string).length).toBeLessThanOrEqual(100)
    expect((block!.text as string).startsWith('a'.repeat(30))).toBe(true)
  })
})
