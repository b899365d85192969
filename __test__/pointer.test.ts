// JSON pointers into stored documents: RFC 6901, items in pages, and answers that help where nothing is there.
import { createWriteStream, mkdirSync } from 'node:fs'
import path from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type ReadInput, type ReadPage, spill } from '../index.js'
import { pagesFrom, setup } from './support/limits.js'
import { runNode, underTest } from './support/package.js'
import { newRoot } from './support/roots.js'

type Question = Omit<ReadInput, 'handle'>
const PADDING = 'p'.repeat(1_500)
async function stored(value: unknown, readTool = {}): Promise<(question: Question) => Promise<ReadPage>> {
  const { limits, reduce } = setup({ readTool, bands: [{ over: 0, action: spill({ previewChars: 0 }) }] })
  const { report } = await reduce(value)
  return (question) => limits.read({ handle: report.handle!, ...question })
}

describe('a pointer', () => {
  const document = {
    foo: ['bar', 'baz'],
    '': 0,
    'a/b': 1,
    'c%d': 2,
    'e^f': 3,
    'g|h': 4,
    'i\\j': 5,
    'k"l': 6,
    ' ': 7,
    'm~n': 8,
    '~1': 9,
    items: [{ id: 1 }, { id: 2 }],
    deep: { er: { still: [[1, [2]]] } },
    한: '글',
    padding: PADDING,
  }
  it.each([
    ['/foo/0', '"bar"'],
    ['/', '0'],
    ['/a~1b', '1'],
    ['/c%d', '2'],
    ['/e^f', '3'],
    ['/g|h', '4'],
    ['/i\\j', '5'],
    ['/k"l', '6'],
    ['/ ', '7'],
    ['/m~0n', '8'],
    ['/~01', '9'],
    ['/items/1/id', '2'],
    ['/deep/er', '{"still":[[1,[2]]]}'],
    ['/한', '"글"'],
    ['/foo', '"bar"\n"baz"\n'],
    ['/deep/er/still', '[1,[2]]\n'],
  ])('%s of RFC 6901', async (pointer, text) => {
    for (const value of [document, JSON.stringify(document), JSON.stringify(document, null, 3)]) {
      const page = await (await stored(value))({ pointer })
      const shown = text.endsWith('\n') ? page.text : JSON.stringify(JSON.parse(page.text))
      expect(shown).toBe(text)
    }
  })

  it.each([
    ['/items/-', /2 items/],
    ['/items/99999', /2 items/],
    ['/items/01', /2 items/],
    ['/items/id', /2 items/],
    ['/nothing', /"foo"/],
    ['/deep/nothing', /"er"/],
    ['/foo/0/x', /single value/],
  ])('%s leads nowhere and says what is there', async (pointer, helpful) => {
    const page = await (await stored(document))({ pointer })
    expect(page).toMatchObject({ found: true, text: '' })
    expect(page.notice).toMatch(helpful)
  })

  it('that does not begin with a slash is a wrong argument', async () => {
    const page = await (await stored(document))({ pointer: 'foo' })
    expect(page).toMatchObject({ found: false, text: '', notice: expect.stringContaining('"foo"') })
  })

  it('gives numbers as they were written', async () => {
    const ask = await stored(`{"id":12345678901234567890,"v":1e400,"z":-0,"d":1.10,"x":"${PADDING}"}`)
    for (const [key, digits] of Object.entries({ id: '12345678901234567890', v: '1e400', z: '-0', d: '1.10' })) {
      expect((await ask({ pointer: `/${key}` })).text).toBe(digits)
    }
  })

  it('into JSON Lines begins with the index of the record', async () => {
    const ask = await stored(Array.from({ length: 300 }, (_, id) => JSON.stringify({ id, tags: ['a', id] })).join('\n'))
    expect((await ask({ pointer: '/299/tags/1' })).text).toBe('299')
    expect((await ask({ pointer: '/7' })).text).toBe('{"id":7,"tags":["a",7]}')
    expect((await ask({ pointer: '/300' })).notice).toMatch(/no record 300/)
    expect((await ask({ pointer: '/id' })).notice).toMatch(/JSON Lines/)
  })

  it('into text says that it is no document', async () => {
    const ask = await stored(`not json\n${PADDING}`)
    expect((await ask({ pointer: '/a' })).notice).toMatch(/not one JSON document/)
  })

  it('beside a pattern counts alone, and the page says so', async () => {
    const ask = await stored({ items: [1, 2, 3], padding: PADDING })
    const page = await ask({ pointer: '/items', pattern: '2', limit: 1 })
    expect(page).toMatchObject({ text: '1\n', next: { pointer: '/items', offset: 1 } })
    expect(page.next!.pattern).toBeUndefined()
    expect(page.notice).toMatch(/pattern/)
  })
})

describe.skipIf(underTest === 'baseline')('items of an array (the baseline only counts forwards)', () => {
  const items = Array.from({ length: 1_000 }, (_, id) => ({ id, name: `item ${id}` }))
  const row = (id: number) => `${JSON.stringify(items[id])}\n`

  it('come one a line, whatever the layout, with true figures', async () => {
    for (const value of [items, JSON.stringify(items, null, 2)]) {
      const page = await (await stored(value))({ pointer: '', offset: 500, limit: 2 })
      expect(page).toMatchObject({
        firstLine: 501,
        lastLine: 502,
        totalLines: 1_000,
        next: { pointer: '', offset: 502, limit: 2 },
      })
      expect(page.text).toBe(row(500) + row(501))
      expect(page.chars).toBe(page.text.length)
    }
  })

  it('are counted from the end', async () => {
    const ask = await stored(items)
    expect((await ask({ pointer: '', from_end: true, limit: 1 })).text).toBe(row(999))
    const page = await ask({ pointer: '', from_end: true, offset: 3, limit: 2 })
    expect(page).toMatchObject({ text: row(995) + row(996), next: { offset: 997 } })
    expect(page.next!.from_end).toBeUndefined()
    expect((await ask({ pointer: '', from_end: true, offset: 1_000 })).notice).toMatch(/1,000 items/)
  })

  it('past the end: says how many there are', async () => {
    const page = await (await stored(items))({ pointer: '', offset: 1_000 })
    expect(page.text).toBe('')
    expect(page.notice).toMatch(/1,000 items.* 999/)
  })

  it('that do not fit on a page go on inside', async () => {
    const long = [1, { text: '中😀'.repeat(4_000) }, 'x'.repeat(700), [], null]
    for (const value of [{ a: long }, JSON.stringify({ a: long }, null, 2)]) {
      const { limits, reduce } = setup({ readTool: { maxChars: 500 } })
      const { report } = await reduce(value)
      const pages = await pagesFrom(limits, { handle: report.handle!, pointer: '/a' })
      for (const page of pages) expect(page.text.length).toBeLessThanOrEqual(500)
      expect(pages.map(({ text }) => text).join('')).toBe(long.map((item) => `${JSON.stringify(item)}\n`).join(''))
    }
  })

  it('of a value that is no array there are none: its text goes on by chars', async () => {
    const value = { a: { text: '中😀'.repeat(4_000) } }
    const { limits, reduce } = setup({ readTool: { maxChars: 500 } })
    const { report } = await reduce(value)
    const pages = await pagesFrom(limits, { handle: report.handle!, pointer: '/a' })
    expect(pages.map(({ text }) => text).join('')).toBe(JSON.stringify(value.a))
    const past = await limits.read({ handle: report.handle!, pointer: '/a', char_offset: 99_999 })
    expect(past).toMatchObject({ found: true, text: '' })
    expect(past.notice).toMatch(/Past the end.*12,011/)
  })
})

describe('what a pointer names', () => {
  /** RFC 6901 on a parsed document. */
  function evaluate(value: unknown, pointer: string): unknown {
    const tokens = pointer
      .split('/')
      .slice(1)
      .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'))
    return tokens.reduce<unknown>((at, token) => (at as Record<string, unknown>)[token], value)
  }
  function pointersOf(value: unknown, at = ''): string[] {
    if (typeof value !== 'object' || value === null) return [at]
    const steps = Object.keys(value).map((key) => [key.replaceAll('~', '~0').replaceAll('/', '~1'), key] as const)
    return [
      at,
      ...steps.flatMap(([token, key]) => pointersOf((value as Record<string, unknown>)[key], `${at}/${token}`)),
    ]
  }

  it('is what a parsed document has there, for random documents in any layout', async () => {
    const text = fc.string({
      unit: fc.constantFrom('a', '~', '/', '"', '\\', '{', '[', ',', ':', ' ', 'é', '😀', '\n', '0'),
      maxLength: 5,
    })
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        text,
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.boolean(),
        fc.constant(null),
        fc.array(tie('value'), { maxLength: 4 }),
        fc.dictionary(
          text.filter((key) => key !== '__proto__'),
          tie('value'),
          { maxKeys: 4 },
        ),
      ),
    }))
    await fc.assert(
      fc.asyncProperty(value, fc.constantFrom(0, 1, '\t'), async (document, indent) => {
        const whole = { document, padding: PADDING }
        const ask = await stored(JSON.stringify(whole, null, indent))
        for (const pointer of pointersOf(document, '/document').slice(0, 25)) {
          const expected = evaluate(whole, pointer)
          const page = await ask({ pointer, limit: 1_000 })
          const shown = Array.isArray(expected)
            ? page.text
                .split('\n')
                .slice(0, -1)
                .map((row) => JSON.parse(row) as unknown)
            : (JSON.parse(page.text) as unknown)
          expect(shown, pointer).toEqual(JSON.parse(JSON.stringify(expected)))
        }
      }),
      { numRuns: 60 },
    )
  })
})

describe.skipIf(underTest === 'baseline')('a document of 256 MB (the baseline loads it)', () => {
  it('is not loaded: the last item is found with little memory', async () => {
    const root = newRoot()
    mkdirSync(path.join(root, 'run'), { mode: 0o700, recursive: true })
    const file = path.join(root, 'run', 'call.0')
    const chunk = Buffer.from(`${JSON.stringify({ id: 1, text: 'x'.repeat(1_000) })},`.repeat(1_000))
    const chunks = 256
    function* parts() {
      yield '{"items":['
      for (let i = 0; i < chunks; i += 1) yield chunk
      yield '{"id":"last"}],"next":null}'
    }
    await pipeline(Readable.from(parts()), createWriteStream(file, { mode: 0o600 }))
    const run = await runNode(
      `
      const limits = new tol.ToolOutputLimits({ store: new tol.LocalFileStore({ root: ${JSON.stringify(root)} }) })
      const before = process.memoryUsage().rss
      const page = await limits.read({ handle: 'run/call.0', pointer: '/items', from_end: true, limit: 1 })
      const next = await limits.read({ handle: 'run/call.0', pointer: '/next' })
      console.log(JSON.stringify({ page, next, grown: process.memoryUsage().rss - before }))
      `,
      { timeoutMs: 280_000 },
    )
    const { page, next, grown } = JSON.parse(run.stdout) as { page: ReadPage; next: ReadPage; grown: number }
    expect(page).toMatchObject({ text: '{"id":"last"}\n', totalLines: chunks * 1_000 + 1 })
    expect(next.text).toBe('null')
    expect(grown).toBeLessThan(100e6)
  }, 300_000)
})
