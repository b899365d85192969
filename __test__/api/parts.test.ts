import { describe, expect, it, vi } from 'vitest'
import { bytesView, isBytes } from '../../api/bytes.js'
import { contentParts, sizeOfBlock } from '../../api/content.js'
import { callFilter } from '../../api/filter.js'
import { assembleCallToolResult, callToolResultParts, repetition } from '../../api/mcp-result.js'
import { mergeMetadata } from '../../api/metadata.js'
import type { PartReport, ToolFilter } from '../../index.js'

const boom = () => {
  throw new Error('boom')
}
const hostile = new Proxy({}, { get: boom, ownKeys: boom, getOwnPropertyDescriptor: boom, getPrototypeOf: boom })

describe('bytes', () => {
  it('are seen where they are', () => {
    const buffer = new Uint8Array([1, 2, 3, 4]).buffer
    for (const [value, expected] of [
      [buffer, [1, 2, 3, 4]],
      [new Uint8Array(buffer, 1, 2), [2, 3]],
      [new DataView(buffer, 3), [4]],
      [Buffer.from([9]), [9]],
      [new SharedArrayBuffer(2), [0, 0]],
    ] as const) {
      expect(isBytes(value)).toBe(true)
      expect([...bytesView(value)]).toEqual(expected)
    }
  })

  it('are empty once detached', () => {
    const buffer = new ArrayBuffer(8)
    const views = [new Uint8Array(buffer), new DataView(buffer), buffer]
    structuredClone(buffer, { transfer: [buffer] })
    for (const view of views) expect(bytesView(view).length).toBe(0)
  })

  it('do not believe what the object says of itself', () => {
    const lying = Object.defineProperties(new Uint8Array([7]), { byteLength: { get: boom }, buffer: { value: 5 } })
    expect([...bytesView(lying)]).toEqual([7])
  })

  it('are nothing else', () => {
    for (const value of [[1], 'x', null, undefined, new Uint16Array(1), new Proxy(new Uint8Array(1), {}), hostile]) {
      expect(isBytes(value)).toBe(false)
    }
  })
})

describe('callFilter', () => {
  const call = (toolName: string, toolMetadata?: unknown) => ({
    toolName,
    retry: 0,
    toolMetadata: toolMetadata as Record<string, unknown>,
  })
  const matcher = (names: readonly string[]) => (name: string) => names.includes(name)
  const filter = (toolFilter: ToolFilter, timeoutMs = 1) => callFilter(toolFilter, matcher, timeoutMs)

  it('is none for all', () => {
    expect(filter('all')).toBeUndefined()
  })

  it('goes by name', () => {
    const select = filter(['a'])
    expect(select?.(call('a'))).toBe(true)
    expect(select?.(call('b'))).toBe(false)
  })

  const circular: Record<string, unknown> = { x: 1 }
  circular.self = circular
  it.each<[comment: string, pattern: Record<string, unknown>, metadata: unknown, expected: unknown]>([
    ['empty pattern', {}, {}, true],
    ['no metadata', { a: 1 }, undefined, false],
    ['more than the pattern', { a: 1 }, { a: 1, b: 2 }, true],
    ['less', { a: 1, b: 2 }, { a: 1 }, false],
    ['another value', { a: 1 }, { a: '1' }, false],
    ['NaN is itself', { a: Number.NaN }, { a: Number.NaN }, true],
    ['deep', { a: { b: ['x'] } }, { a: { b: ['x', 'y'], c: 1 } }, true],
    ['deep, another', { a: { b: ['y'] } }, { a: { b: ['x', 'y'] } }, false],
    ['inherited does not count', { toString: Object.prototype.toString }, {}, false],
    ['circular both', circular, circular, true],
    [
      'getter that throws',
      { a: 1 },
      {
        get a() {
          return boom()
        },
      },
      'failed',
    ],
    ['hostile', { a: 1 }, hostile, 'failed'],
  ])('includes: %s', (_comment, pattern, metadata, expected) => {
    expect(filter(pattern)?.(call('t', metadata))).toBe(expected)
  })

  it.each<[comment: string, predicate: () => unknown, expected: unknown]>([
    ['true', () => true, true],
    ['false', () => false, false],
    ['a promise', async () => false, false],
    ['no boolean', () => 0, 'failed'],
    ['a promise of no boolean', async () => 'yes', 'failed'],
    ['a throw', boom, 'failed'],
    ['a rejection', () => Promise.reject(new Error('no')), 'failed'],
    ['a promise that never settles', () => new Promise(() => {}), 'failed'],
  ])('predicate: %s', async (_comment, predicate, expected) => {
    expect(await filter(predicate as ToolFilter)?.(call('t'))).toBe(expected)
  })

  it('gives the predicate a copy of the call', () => {
    const original = call('t')
    const predicate = vi.fn((given: { toolName: string }) => {
      given.toolName = 'changed'
      return true
    })
    filter(predicate)?.(original)
    expect(original.toolName).toBe('t')
  })
})

describe('content', () => {
  const image = { type: 'image', data: 'AAAA', mimeType: 'image/png' }

  it('that is text is replaced as a whole', () => {
    const parts = contentParts('long')
    expect(parts.text).toBe('long')
    expect(parts.replaceText('short')).toBe('short')
  })

  it('of blocks: all text is one, in the place of the first', () => {
    const blocks = [
      image,
      { type: 'text', text: 'a', id: 1 },
      image,
      { type: 'text', text: '' },
      { type: 'text', text: 'c' },
    ]
    const parts = contentParts(blocks)
    expect(parts.text).toBe('a\n\nc')
    expect(parts.others).toEqual([image, image])
    expect(parts.replaceText('x')).toEqual([image, { type: 'text', text: 'x', id: 1 }, image])
    expect(blocks[1]).toEqual({ type: 'text', text: 'a', id: 1 })
  })

  it.each<[comment: string, content: unknown]>([
    ['none', []],
    ['media only', [image]],
    ['text that is no string', [{ type: 'text', text: 5 }]],
    ['hostile blocks', [hostile, null, 5, undefined]],
    ['no array', { type: 'text', text: 'x' }],
    ['an array beyond all bounds', Object.assign([], { length: 2 ** 32 - 1 })],
    [
      'revoked proxy',
      (() => {
        const { proxy, revoke } = Proxy.revocable([], {})
        revoke()
        return proxy
      })(),
    ],
  ])('without text: %s', (_comment, content) => {
    expect(contentParts(content).text).toBeUndefined()
  })

  it('keeps text of a block whose other properties throw', () => {
    const block = {
      type: 'text',
      text: 'a',
      get extra() {
        return boom()
      },
    }
    expect(contentParts([block]).replaceText('x')).toEqual([{ type: 'text', text: 'x' }])
  })

  it('takes what changes afterwards as it was', () => {
    const blocks = [{ type: 'text', text: 'a' }]
    const parts = contentParts(blocks)
    blocks.length = 0
    expect(parts.replaceText('x')).toEqual([{ type: 'text', text: 'x' }])
  })

  it('sizes blocks that are not text', () => {
    expect(sizeOfBlock(image)).toBe(4)
    expect(sizeOfBlock({ type: 'image', data: new Uint8Array(4) })).toBe(8)
    expect(sizeOfBlock({ type: 'link' })).toBe(15)
    expect(sizeOfBlock(null)).toBe(4)
    expect(sizeOfBlock(hostile)).toBeGreaterThan(0)
  })
})

describe('metadata', () => {
  const spilled = { handle: 'r/c.0', bytes: 9 }
  const ours = { overflow_handle: 'r/c.0', overflow_bytes: 9 }

  it('is itself where nothing was spilled', () => {
    for (const own of [undefined, null, 'text', { a: 1 }, hostile]) expect(mergeMetadata(own, {}, {})).toBe(own)
  })

  it.each<[comment: string, own: unknown, expected: object]>([
    ['absent', undefined, ours],
    ['null', null, ours],
    ['object', Object.freeze({ a: 1 }), { a: 1, ...ours }],
    ['with our key', { overflow_handle: 'theirs', a: 1 }, { a: 1, ...ours }],
    ['string', 'text', { original_metadata: 'text', ...ours }],
    ['array', [1], { original_metadata: [1], ...ours }],
    ['map', new Map<unknown, unknown>([[1, 'x']]), { 1: 'x', ...ours }],
    ['inherited properties', Object.create({ inherited: 1 }), ours],
  ])('%s', (_comment, own, expected) => {
    expect(mergeMetadata(own, spilled)).toEqual(expected)
  })

  it('keeps __proto__ as an ordinary key', () => {
    const merged = mergeMetadata(JSON.parse('{"__proto__":{"x":1}}'), spilled) as object
    expect(Object.keys(merged)).toEqual(['__proto__', 'overflow_handle', 'overflow_bytes'])
    expect(Object.getPrototypeOf(merged)).toBe(Object.prototype)
  })

  it('names the handle of content too', () => {
    expect(mergeMetadata({ a: 1 }, {}, spilled)).toEqual({
      a: 1,
      overflow_content_handle: 'r/c.0',
      overflow_content_bytes: 9,
    })
  })

  it('keeps what cannot be copied', () => {
    expect((mergeMetadata(hostile, spilled) as { original_metadata: unknown }).original_metadata).toBe(hostile)
  })
})

describe('CallToolResult', () => {
  const report = (handle?: string) => ({ action: 'spill', ...(handle && { handle }) }) as PartReport
  const link = { type: 'resource_link', uri: 'file:///x' }
  const original = {
    content: [{ type: 'text', text: 'a', annotations: {} }, link, { type: 'text', text: 'b' }],
    structuredContent: { rows: [1] },
    _meta: { own: 1 },
    extra: 'kept',
  }
  const text = { text: 'T', report: report('r/c.0') }
  const structured = { text: 'S', report: report('r/c.0.structured') }
  const parts = () => callToolResultParts(original) as NonNullable<ReturnType<typeof callToolResultParts>>

  it.each<[comment: string, result: unknown]>([
    ['null', null],
    ['a string', 'x'],
    ['no content', { structuredContent: {} }],
    ['an error', { ...original, isError: true }],
    ['hostile', hostile],
  ])('stays as it is: %s', (_comment, result) => {
    expect(callToolResultParts(result)).toBeUndefined()
  })

  it('is taken apart', () => {
    expect(parts().content.text).toBe('a\nb')
    expect(parts().structuredContent).toEqual({ rows: [1] })
    expect(parts().rest).toEqual({ _meta: { own: 1 }, extra: 'kept' })
  })

  it.each<[comment: string, change: Parameters<typeof assembleCallToolResult>[1], expected: unknown]>([
    ['nothing reduced', { dropsStructured: true }, undefined],
    [
      'text reduced, structured content stays',
      { text, dropsStructured: false },
      {
        ...original,
        content: [{ type: 'text', text: 'T', annotations: {} }, link],
        _meta: { own: 1, 'tool-output-limits/handle': 'r/c.0' },
      },
    ],
    [
      'text reduced, structured content repeats it',
      { text, dropsStructured: true },
      {
        content: [{ type: 'text', text: 'T', annotations: {} }, link],
        extra: 'kept',
        _meta: { own: 1, 'tool-output-limits/handle': 'r/c.0' },
      },
    ],
    [
      'structured content reduced alone',
      { structured, dropsStructured: false },
      {
        content: [...original.content, { type: 'text', text: 'S' }],
        extra: 'kept',
        _meta: { own: 1, 'tool-output-limits/structured-handle': 'r/c.0.structured' },
      },
    ],
    [
      'both, without a handle',
      { text: { text: 'T', report: report() }, structured: { text: 'S', report: report() }, dropsStructured: false },
      {
        content: [{ type: 'text', text: 'T', annotations: {} }, link, { type: 'text', text: 'S' }],
        extra: 'kept',
        _meta: { own: 1 },
      },
    ],
  ])('is put together: %s', (_comment, change, expected) => {
    const before = structuredClone(original)
    expect(assembleCallToolResult(parts(), change)).toEqual(expected)
    expect(original).toEqual(before)
  })

  describe('repetition', () => {
    /** Stands in for the native comparison. */
    const isSameJson = vi.fn(async (a: string, b: string) => {
      try {
        expect(JSON.parse(a)).toEqual(JSON.parse(b))
        return true
      } catch {
        return false
      }
    })

    it.each<[comment: string, structuredContent: unknown, text: string, expected: boolean]>([
      ['compact JSON', { a: [1] }, '{"a":[1]}', true],
      ['other spacing and order', { a: 1, b: 2 }, '{ "b": 2,\n "a": 1 }', true],
      ['wrapped text', { result: 'plain "text"' }, 'plain "text"', true],
      ['wrapped list', { content: [1, 2] }, '[1,2]', true],
      ['wrapped list, other spacing', { content: [1, 2] }, '[1, 2]', true],
      ['wrapped literal', { result: true }, 'true', true],
      ['another wrapper', { data: 'text' }, 'text', false],
      ['wrapped beside something', { result: 'text', more: 1 }, 'text', false],
      ['other data', { a: 1 }, '{"a":2}', false],
      ['no JSON', { a: 1 }, 'done', false],
      ['broken JSON', { a: 1 }, '{"a":1', false],
      ['hostile', hostile, '{"a":1}', false],
    ])('%s', async (_comment, structuredContent, text, expected) => {
      expect(await repetition(structuredContent, { text, texts: [text] }, isSameJson)()).toBe(expected)
    })

    it.each<[comment: string, structuredContent: unknown, texts: string[], expected: boolean]>([
      ['items as JSON', [{ a: 1 }, { a: 2 }], ['{"a":1}', '{ "a": 2 }'], true],
      ['wrapped items', { result: [{ a: 1 }, { a: 2 }] }, ['{\n  "a": 1\n}', '{"a":2}'], true],
      ['wrapped strings', { result: ['one', '"two"'] }, ['one', '"two"'], true],
      ['one item', { result: [{ a: 1 }] }, ['{\n "a": 1 }'], true],
      ['strings beside others', ['one', { a: 1 }, true], ['one', '{"a": 1}', 'true'], true],
      ['an item more', { result: [1, 2, 3] }, ['1', '2'], false],
      ['another item', { result: ['one', 'two'] }, ['one', 'three'], false],
      ['no list', { result: { a: 1 } }, ['{"a":1}', '{"a":1}'], false],
    ])('in blocks: %s', async (_comment, structuredContent, texts, expected) => {
      expect(await repetition(structuredContent, { text: texts.join('\n'), texts }, isSameJson)()).toBe(expected)
    })

    it('asks nobody where the texts are equal or the text cannot be JSON', async () => {
      isSameJson.mockClear()
      await repetition({ a: 1 }, { text: '{"a":1}', texts: [] }, isSameJson)()
      await repetition({ a: 1 }, { text: 'done', texts: [] }, isSameJson)()
      expect(isSameJson).not.toHaveBeenCalled()
    })

    it('compares what the value was when the function was made', async () => {
      const value = { a: 1 }
      const repeats = repetition(value, { text: '{"a":1}', texts: [] }, isSameJson)
      value.a = 2
      expect(await repeats()).toBe(true)
    })
  })
})
