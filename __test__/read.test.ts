import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type ReadInput, type ReadPage, spill } from '../index.js'
import { envelope, nextCall, numbersIn, pagesFrom, readBack, type Setup, setup } from './support/limits.js'
import { beyondBaseline } from './support/package.js'
import { keysOf } from './support/roots.js'
import { anyText, grouped, isWellFormed, numberedLines, wellFormed } from './support/text.js'

interface Stored extends Setup {
  handle: string
  read(input?: Partial<ReadInput>): Promise<ReadPage>
  ask(input?: Record<string, unknown>): Promise<string>
}
/** A text that was spilled whatever its size, and its reader. */
async function stored(text: string, options: Parameters<typeof setup>[0] = {}): Promise<Stored> {
  const it = setup(options)
  const handle = await it.store.write('run/call.0', Buffer.from(text))
  const tool = it.limits.readToolResult()
  return {
    ...it,
    handle,
    read: (input) => it.limits.read({ handle, ...input }),
    ask: (input) => tool.execute({ handle, ...input }),
  }
}
const log = numberedLines(428)

describe('a page', () => {
  it('has 200 lines from the start by default, verbatim, with true figures', async () => {
    const { read } = await stored(log)
    expect(await read()).toEqual({
      found: true,
      handle: 'run/call.0',
      text: numberedLines(200),
      firstLine: 1,
      lastLine: 200,
      totalLines: 428,
      chars: numberedLines(200).length,
      next: { handle: 'run/call.0', offset: 200, limit: 200 },
    })
  })

  it.each<[Partial<ReadInput>, number, number, Partial<ReadInput> | undefined]>([
    [{ offset: 0, limit: 1 }, 1, 1, { offset: 1, limit: 1 }],
    [{ offset: 427 }, 428, 428, undefined],
    [{ offset: 100, limit: 1000 }, 101, 428, undefined],
    [{ offset: 400, limit: 28 }, 401, 428, undefined],
    [{ offset: 400, limit: 27 }, 401, 427, { offset: 427, limit: 27 }],
    [{ from_end: true, limit: 3 }, 426, 428, undefined],
    [{ from_end: true, limit: 3, offset: 10 }, 416, 418, { offset: 418, limit: 3 }],
    [{ from_end: true, offset: 427 }, 1, 1, { offset: 1, limit: 200 }],
    [{ from_end: true, limit: 1000 }, 1, 428, undefined],
  ])('%o shows lines %i to %i', async (input, firstLine, lastLine, next) => {
    const { read, handle } = await stored(log)
    const page = await read(input)
    expect(page).toMatchObject({ found: true, firstLine, lastLine, totalLines: 428 })
    expect(page.text).toBe(
      Array.from({ length: lastLine - firstLine + 1 }, (_, i) => `line ${firstLine + i}\n`).join(''),
    )
    expect(page.next).toEqual(next && { handle, ...next })
  })

  it.each<[string, string, number]>([
    ['a\\nb', 'a\nb', 2],
    ['a\\nb\\n', 'a\nb\n', 2],
    ['a\\n\\n', 'a\n\n', 2],
    ['\\n', '\n', 1],
    ['a\\r\\nb\\r\\n', 'a\r\nb\r\n', 2],
    ['mixed line ends', 'a\r\nb\nc\rd\r\ne', 4],
    ['other separators', 'a\fb\vc\u2028d\u0085e\x1cf\u2029g\rh', 1],
  ])('counts lines on the one grid: %s', async (_, text, lines) => {
    const { read } = await stored(text)
    expect(await read()).toMatchObject({ text, totalLines: lines, lastLine: lines, chars: text.length })
  })

  it('may be an empty line', async () => {
    const { read, handle } = await stored('\nsecond\n')
    expect(await read({ offset: 0, limit: 1 })).toMatchObject({
      text: '\n',
      firstLine: 1,
      lastLine: 1,
      totalLines: 2,
      chars: 1,
      next: { handle, offset: 1, limit: 1 },
    })
    expect(await read({ offset: 1, limit: 1 })).toMatchObject({ text: 'second\n', firstLine: 2 })
  })

  it('of an empty result says that it is empty', async () => {
    const { read, ask } = await stored('')
    expect(await read()).toMatchObject({
      found: true,
      text: '',
      totalLines: 0,
      firstLine: 0,
      lastLine: 0,
      chars: 0,
      notice: expect.stringMatching(/empty/i),
    })
    expect(await ask()).toMatch(/empty/i)
  })

  it('ends at a line end when half of maxChars is used: 500 lines of 1,000 chars', async () => {
    const text = numberedLines(500, (n) => String(n).padStart(999, '.'))
    const { read, limits, handle, ask } = await stored(text)
    const page = await read({ limit: 200 })
    expect(page).toMatchObject({ firstLine: 1, lastLine: 50, chars: 50_000, next: { offset: 50, limit: 200 } })
    expect(numbersIn((await ask({ limit: 200 })).split('\n')[0]!)).toEqual(expect.arrayContaining([1, 50, 500, 50_000]))
    const pages = await pagesFrom(limits, { handle, limit: 200 })
    expect(pages).toHaveLength(10)
    expect(pages.map(({ text }) => text).join('')).toBe(text)
  })

  it.each([
    [{ maxChars: 1_000 }, 'x'.repeat(400), 'y'.repeat(700), 1_000, 'cut: less than half is used by then'],
    [{ maxChars: 1_000 }, 'x'.repeat(600), 'y'.repeat(700), 601, 'not cut: more than half is used by then'],
    [{ maxChars: 1_000 }, 'x'.repeat(499), 'y'.repeat(700), 500, 'not cut: exactly half is used by then'],
  ])('cuts a line only when less than half of maxChars is used: %o', async (readTool, first, second, chars) => {
    const text = `${first}\n${second}\nlast`
    const { read, limits, handle } = await stored(text, { readTool })
    expect((await read()).chars).toBe(chars)
    expect((await pagesFrom(limits, { handle })).map((page) => page.text).join('')).toBe(text)
  })

  it.each([
    ['without', ''],
    ['with', '\n'],
  ])('continues inside one giant line, in as few pages as it takes, %s a final line end', async (_, end) => {
    const text = JSON.stringify({ a: 'x'.repeat(200_000) }) + end
    const { limits, handle } = await stored(text)
    const pages = await pagesFrom(limits, { handle })
    expect(pages.map((page) => page.text).join('')).toBe(text)
    expect(pages.length).toBeLessThanOrEqual(Math.ceil(text.length / 50_000) + 1)
    for (const page of pages)
      expect(page).toMatchObject({ firstLine: 1, lastLine: 1, totalLines: 1, chars: page.text.length })
    expect(pages[0]!.next).toEqual({ handle, offset: 0, char_offset: 50_000, limit: 200 })
  })

  it('from the end leads forward in absolute offsets', async () => {
    const text = numberedLines(100, (n) => String(n).padStart(399, '.'))
    const { limits, handle } = await stored(text, { readTool: { maxChars: 1_000 } })
    const pages = await pagesFrom(limits, { handle, from_end: true, limit: 10 })
    expect(pages.map((page) => page.text).join('')).toBe(text.slice(-4_000))
    for (const { next } of pages) expect(next?.from_end ?? false).toBe(false)
  })

  it('holds at most maxLines lines: a larger limit is clamped and the page says so', async () => {
    const { read } = await stored(log, { readTool: { maxLines: 50 } })
    const page = await read({ limit: 400 })
    expect(page).toMatchObject({ lastLine: 50, next: { offset: 50, limit: 50 } })
    expect(numbersIn(page.notice!)).toContain(50)
    expect((await read()).lastLine).toBe(50)
  })

  it('holds at most 1,000 lines by default', async () => {
    const { read } = await stored(numberedLines(3_000))
    const page = await read({ limit: 5_000 })
    expect(page.lastLine).toBe(1_000)
    expect(numbersIn(page.notice!)).toContain(1_000)
  })

  it('is never longer than maxChars, whatever the text', async () => {
    await fc.assert(
      fc.asyncProperty(anyText(), fc.integer({ min: 1, max: 30 }), fc.boolean(), async (text, limit, from_end) => {
        const { limits, handle } = await stored(wellFormed(text), { readTool: { maxChars: 500 } })
        const pages = await pagesFrom(limits, { handle, limit })
        expect(pages.map((page) => page.text).join('')).toBe(wellFormed(text))
        for (const page of [...pages, await limits.read({ handle, limit, from_end })]) {
          expect(page.chars).toBe(page.text.length)
          expect(page.chars).toBeLessThanOrEqual(500)
          expect(isWellFormed(page.text)).toBe(true)
        }
      }),
      { numRuns: 80 },
    )
  })
})

describe('char_offset', () => {
  const text = 'ab😀cd\nsecond\nthird'
  it.each<[Partial<ReadInput>, string, number]>([
    [{ char_offset: 0 }, text, 1],
    [{ char_offset: 1 }, text.slice(1), 1],
    [{ char_offset: 2 }, text.slice(2), 1],
    [{ char_offset: 3 }, text.slice(4), 1],
    [{ char_offset: 4 }, text.slice(4), 1],
    [{ char_offset: 6 }, text.slice(6), 1],
    [{ char_offset: 7 }, text.slice(7), 2],
    [{ char_offset: 999 }, text.slice(7), 2],
    [{ offset: 1, char_offset: 3 }, text.slice(10), 2],
    [{ offset: 2, char_offset: 4 }, 'd', 3],
  ])('%o moves to the next valid place', async (input, expected, firstLine) => {
    const { read } = await stored(text)
    expect(await read(input)).toMatchObject({ text: expected, firstLine, chars: expected.length })
  })

  it('past the end of the last line says so', async () => {
    const { read, ask } = await stored(text)
    const page = await read({ offset: 2, char_offset: 5 })
    expect(page).toMatchObject({ found: true, text: '', chars: 0 })
    expect(numbersIn(page.notice!)).toContain(5)
    expect(await ask({ offset: 2, char_offset: 5_000 })).not.toBe('')
  })
})

describe('pattern', () => {
  const text = numberedLines(3_000, (n) => (n % 100 === 0 ? `needle ${n}` : `hay ${n}`))

  it('shows only the lines that contain it, with their absolute numbers', async () => {
    const { read, handle } = await stored(text)
    const page = await read({ pattern: 'needle', limit: 2 })
    expect(page).toMatchObject({
      found: true,
      text: '100: needle 100\n200: needle 200\n',
      matches: [
        { line: 100, char: 0, text: 'needle 100' },
        { line: 200, char: 0, text: 'needle 200' },
      ],
      firstLine: 100,
      lastLine: 200,
      totalLines: 3_000,
      next: { handle, pattern: 'needle', offset: 2, limit: 2 },
    })
    expect(page.chars).toBe(page.text.length)
    expect(numbersIn(page.notice!)).toEqual([1, 2, 30])
  })

  it.each<[Partial<ReadInput>, number[]]>([
    [{ limit: 3 }, [100, 200, 300]],
    [{ offset: 28 }, [2_900, 3_000]],
    [{ offset: 5, limit: 1 }, [600]],
    [{ from_end: true, limit: 2 }, [2_900, 3_000]],
    [{ from_end: true, limit: 2, offset: 1 }, [2_800, 2_900]],
    [{ from_end: true, offset: 29 }, [100]],
  ])('%o counts matches: %j', async (input, lines) => {
    const { read } = await stored(text)
    const page = await read({ pattern: 'needle', ...input })
    expect(page.matches!.map(({ line }) => line)).toEqual(lines)
    expect(page.text).toBe(lines.map((line) => `${line}: needle ${line}\n`).join(''))
  })

  it('leads from hit to hit by next', async () => {
    const { limits, handle } = await stored(text)
    const pages = await pagesFrom(limits, { handle, pattern: 'needle', limit: 7 })
    expect(pages.flatMap(({ matches }) => matches!.map(({ line }) => line))).toEqual(
      Array.from({ length: 30 }, (_, i) => (i + 1) * 100),
    )
  })

  it('finds the line that its number reads back', async () => {
    const { read } = await stored(text)
    for (const { line, text: hit } of (await read({ pattern: '7', limit: 50 })).matches!) {
      expect((await read({ offset: line - 1, limit: 1 })).text).toBe(`${hit}\n`)
    }
  })

  it.each([
    ['is literal', 'a.c', ['a.c'], 'abc\na.c\na.c.d\n'.replace('a.c.d\n', '')],
    ['is literal for every sign of expressions', '^$.*+?()[]{}|\\', ['x^$.*+?()[]{}|\\y'], 'x^$.*+?()[]{}|\\y\n^$\n'],
    ['counts a line once', 'aa', ['aaaa'], 'aaaa\nb\n'],
    ['minds case', 'Ab', ['Ab'], 'ab\nAb\nAB\n'],
    ['finds text across non-ASCII', '漢字', ['x漢字y'], '漢\n字\nx漢字y\n'],
    ['finds emoji', '😀', ['a😀'], 'a😀\n😁\n'],
    ['finds a hit at the very start and end', 'ab', ['ab', 'xab'], 'ab\nxx\nxab'],
    ['does not show the CR of a CRLF', 'a', ['a1', 'a2'], 'a1\r\nb\r\na2\r\n'],
    ['finds spaces', ' ', ['a b'], 'a b\nab\n'],
  ])('%s', async (_, pattern, hits, text) => {
    const { read } = await stored(text)
    expect((await read({ pattern })).matches!.map(({ text }) => text)).toEqual(hits)
  })

  it('that is empty is no pattern', async () => {
    const { read } = await stored(log)
    expect(await read({ pattern: '' })).toEqual(await read())
  })

  it('that is nowhere says so, and past the last match says how many there are', async () => {
    const { read, ask } = await stored(text)
    expect(await read({ pattern: 'nothing' })).toMatchObject({
      found: true,
      matches: [],
      text: '',
      chars: 0,
      totalLines: 3_000,
    })
    expect((await read({ pattern: 'nothing' })).notice).toBeTruthy()
    const past = await read({ pattern: 'needle', offset: 30 })
    expect(past.matches).toEqual([])
    expect(past.next).toBeUndefined()
    expect(numbersIn(past.notice!)).toEqual(expect.arrayContaining([30, 29]))
    expect(await ask({ pattern: 'needle', offset: 30 })).toContain('30')
  })

  it('shows of a long line a window around the match, whose char offset reads it back', async () => {
    const long = `${'x'.repeat(300_000)}needle${'y'.repeat(300_000)}`
    const { read } = await stored(`first\n${long}\nlast\n`)
    const page = await read({ pattern: 'needle' })
    expect(page.matches).toHaveLength(1)
    const match = page.matches![0]!
    expect(match).toMatchObject({ line: 2, char: 300_000 })
    expect(match.text).toContain('xneedley')
    expect(match.text.length).toBeLessThan(2_001)
    expect(page.text).toContain(grouped(300_000))
    expect((await read({ offset: match.line - 1, char_offset: match.char! })).text.startsWith('needleyyy')).toBe(true)
  })

  it('finds each place in a result that is one line, as far as a window does not show it already', async () => {
    const rows = Array.from({ length: 2_000 }, (_, id) => ({
      id,
      state: id % 50 === 7 ? 'failed' : 'done',
      note: 'n'.repeat(80),
    }))
    const text = JSON.stringify(rows)
    const { limits, handle, read } = await stored(text)
    const pages = await pagesFrom(limits, { handle, pattern: 'failed', limit: 7 })
    const matches = pages.flatMap((page) => page.matches!)
    expect(matches.map(({ char }) => char)).toEqual([...text.matchAll(/failed/g)].map(({ index }) => index))
    for (const { line, char } of matches.slice(0, 5)) {
      expect((await read({ offset: line - 1, char_offset: char! })).text.startsWith('failed"')).toBe(true)
    }
    expect(numbersIn(pages[0]!.notice!)).toEqual([1, 7, 40])
    const last = await read({ pattern: 'fail.d', regex: true, from_end: true, limit: 1 })
    expect(last.matches).toMatchObject([{ line: 1, char: matches.at(-1)!.char }])
  })

  it.each([
    ['2,000 chars', 2_000, true],
    ['2,001 chars', 2_001, false],
  ])('shows a line of %s whole or as a window', async (_, length, whole) => {
    const line = `needle${'x'.repeat(length - 6)}`
    const { read } = await stored(`${line}\n`)
    const [match] = (await read({ pattern: 'needle' })).matches!
    expect(match!.text.length === length).toBe(whole)
    expect(line.startsWith(match!.text)).toBe(true)
  })

  it('counts up to 10,000 matches', async () => {
    const exact = await stored('hit\n'.repeat(10_000))
    expect(numbersIn((await exact.read({ pattern: 'hit', limit: 1 })).notice!)).toContain(10_000)
    const more = await stored('hit\n'.repeat(10_005))
    const { notice } = await more.read({ pattern: 'hit', limit: 1 })
    expect(numbersIn(notice!)).toContain(10_000)
    expect(notice).toMatch(/more|over|at least|\+/i)
    expect((await more.read({ pattern: 'hit', offset: 10_004, limit: 1 })).matches).toMatchObject([{ line: 10_005 }])
    expect((await more.read({ pattern: 'hit', from_end: true, limit: 1 })).matches).toMatchObject([{ line: 10_005 }])
  })

  it('finds hits at every place of a text of several megabytes', async () => {
    const places = [0, 1_048_570, 1_048_575, 1_048_576, 2_097_150, 3_999_994]
    const bytes = Buffer.alloc(4_000_000, 'x')
    for (let i = 999; i < bytes.length; i += 1_000) bytes[i] = 10
    for (const place of places) bytes.write('needle', place)
    const { read } = await stored(bytes.toString())
    const { matches } = await read({ pattern: 'needle' })
    const text = bytes.toString()
    const expected = text.split('\n').flatMap((line, i) => (line.includes('needle') ? [i + 1] : []))
    expect(matches!.map(({ line }) => line)).toEqual(expected)
  })

  it('with a line feed is answered with one line that says what is wrong', async () => {
    const { read } = await stored(log)
    expect(await read({ pattern: 'a\nb' })).toMatchObject({
      found: false,
      problem: 'arguments',
      notice: expect.stringMatching(/^[^\n]*pattern[^\n]*$/),
    })
  })

  it('finds exactly the lines that contain it, for any text', async () => {
    await fc.assert(
      fc.asyncProperty(
        anyText(),
        fc.constantFrom('a', 'x', '中', '😀', 'line', '"', '\r', '\u0301', ' '),
        async (raw, pattern) => {
          const text = wellFormed(raw)
          const { read } = await stored(text)
          const lines = text.split('\n')
          const expected = lines.flatMap((line, i) =>
            line.includes(pattern) && !(i === lines.length - 1 && line === '') ? [i + 1] : [],
          )
          const { matches } = await read({ pattern, limit: 1_000 })
          expect([...new Set(matches!.map(({ line }) => line))]).toEqual(expected)
          for (const { line, char } of matches!) expect(lines[line - 1]!.startsWith(pattern, char)).toBe(true)
        },
      ),
      { numRuns: 80 },
    )
  })
})

describe('arguments', () => {
  const pages = [
    ['offset 427', { offset: 427 }, 'line 428\n'],
    ['offset as a numeric string', { offset: '10', limit: '1' }, 'line 11\n'],
    ['offset null', { offset: null, limit: 1 }, 'line 1\n'],
    ['from_end as a word', { from_end: 'true', limit: 1 }, 'line 428\n'],
    ['camelCase', { fromEnd: true, limit: 1 }, 'line 428\n'],
    ['camelCase charOffset', { charOffset: 5, limit: 1 }, '1\n'],
  ] as const
  it.each(pages)('%s: a page', async (_, input, text) => {
    const { limits, handle } = await stored(log)
    expect(await limits.read({ handle, ...(input as object) })).toMatchObject({ found: true, text })
  })

  it.each([
    ['offset 428', { offset: 428 }],
    ['offset 9999', { offset: 9_999 }],
    ['offset 2^53', { offset: 2 ** 53 }],
    ['offset 1e300', { offset: 1e300 }],
    ['offset "9999"', { offset: '9999' }],
    ['from_end with offset 428', { offset: 428, from_end: true }],
  ])('%s: past the end, with the number of lines and the last valid offset', async (_, input) => {
    const { limits, handle, ask } = await stored(log)
    const page = await limits.read({ handle, ...(input as object) })
    expect(page).toMatchObject({ found: true, text: '', chars: 0, totalLines: 428 })
    expect(page.next).toBeUndefined()
    expect(numbersIn(page.notice!)).toEqual(expect.arrayContaining([428, 427]))
    expect(await ask(input)).toContain('427')
  })

  it.each([
    ['offset', -1],
    ['offset', 1.5],
    ['offset', 'ten'],
    ['offset', ''],
    ['offset', '1e3'],
    ['offset', '0x10'],
    ['offset', Number.NaN],
    ['offset', Number.POSITIVE_INFINITY],
    ['offset', {}],
    ['offset', [1]],
    ['offset', true],
    ['offset', 1n],
    ['limit', 0],
    ['limit', -5],
    ['limit', 2.5],
    ['limit', 'many'],
    ['char_offset', -1],
    ['char_offset', 'x'],
    ['from_end', 'yes'],
    ['from_end', 1],
    ['pattern', 5],
    ['pattern', ['a']],
    ['context', -1],
    ['regex', 'maybe'],
    ['handle', 5],
    ['handle', undefined],
    ['handle', null],
  ])('%s: %o is answered with one line saying what is wrong', async (key, value) => {
    const { limits, handle, ask } = await stored(log)
    const page = await limits.read({ handle, [key]: value } as never)
    expect(page).toMatchObject({ found: false, problem: 'arguments', text: '' })
    expect(page.notice).toContain(key)
    expect(page.notice).not.toContain('\n')
    const answer = await ask({ [key]: value })
    expect(answer).toContain(key)
    expect(answer.trimEnd()).not.toContain('\n')
  })

  it.each([[undefined], [null], ['run/call.0'], [5], [[]]])('that are no object but %o: one line', async (input) => {
    const { limits } = await stored(log)
    expect(await limits.read(input as never)).toMatchObject({ found: false, problem: 'arguments' })
    expect(await limits.readToolResult().execute(input)).not.toBe('')
  })

  it('never throw and never give an empty answer', async () => {
    const { ask } = await stored(log)
    const odd = fc.oneof(
      fc.integer(),
      fc.double(),
      fc.string(),
      fc.boolean(),
      fc.constant(null),
      fc.constant(undefined),
      fc.bigInt(),
      fc.object({ maxDepth: 1 }),
    )
    await fc.assert(
      fc.asyncProperty(
        fc.record(
          { offset: odd, limit: odd, from_end: odd, pattern: odd, char_offset: odd, context: odd },
          { requiredKeys: [] },
        ),
        async (input) => {
          const answer = await ask(input)
          expect(typeof answer).toBe('string')
          expect(answer.trim()).not.toBe('')
        },
      ),
      { numRuns: 200 },
    )
  })
})

describe('a handle', () => {
  it.each([
    ['as it is', (h: string) => h],
    ['in double quotes', (h: string) => `"${h}"`],
    ['in single quotes', (h: string) => `'${h}'`],
    ['in backticks', (h: string) => `\`${h}\``],
    ['with a full stop', (h: string) => `${h}.`],
    ['quoted with a full stop', (h: string) => `"${h}".`],
    ['with spaces and line feeds', (h: string) => ` ${h}\n`],
  ])('is found %s', async (_, wrap) => {
    const { read, handle } = await stored(log)
    expect(await read({ handle: wrap(handle), limit: 1 })).toMatchObject({ found: true, handle, text: 'line 1\n' })
  })

  it('is found in a whole pasted envelope or its first line', async () => {
    const { limits, reduce } = setup()
    const { value, report } = await reduce(numberedLines(3_000))
    for (const pasted of [envelope(value).line, value]) {
      expect(await limits.read({ handle: pasted, limit: 1 })).toMatchObject({
        found: true,
        handle: report.handle,
        text: 'line 1\n',
      })
    }
  })

  it.each([
    ['of nothing', 'run/nothing.0'],
    ['empty', ''],
    ['spaces', '   '],
    ['an absolute path', '/etc/passwd'],
    ['a path upwards', '../../etc/passwd'],
    ['a hidden path upwards', 'run/../../../etc/passwd'],
    ['with NUL', 'run/call.0\0'],
    ['a directory', 'run'],
    ['an empty segment', 'run//call.0'],
    ['a trailing slash', 'run/call.0/'],
    ['a backslash', 'run\\call.0'],
    ['a URL', 'file:///etc/passwd'],
    ['very long', 'x/'.repeat(100_000)],
    ['a lone surrogate', 'run/\ud83d'],
    ['Windows', 'C:\\Windows\\win.ini'],
  ])('that is unknown is answered with guidance, without path or errno: %s', async (_, handle) => {
    const { limits, root, ask } = await stored(log)
    const page = await limits.read({ handle })
    expect(page).toMatchObject({
      found: false,
      problem: 'unknown',
      text: '',
      firstLine: 0,
      lastLine: 0,
      totalLines: 0,
      chars: 0,
    })
    const answer = await ask({ handle })
    expect(answer.trim()).not.toBe('')
    expect(answer).not.toMatch(/ENOENT|EACCES|EISDIR|ELOOP|ENAMETOOLONG|os error|No such file|errno|\bat \/|Error:/i)
    expect(answer).not.toContain(root)
    expect(answer).not.toContain('/etc/passwd')
  })

  it('that is unknown: up to five of the same run are offered', async () => {
    const { limits, reduce } = setup()
    for (let i = 1; i <= 7; i++) await reduce(log.repeat(5), { toolCallId: `call_${i}` })
    await reduce(log.repeat(5), { runId: 'other', toolCallId: 'secret' })
    const { notice } = await limits.read({ handle: 'run/nope.0' }, { runId: 'run' })
    const offered = [...notice!.matchAll(/run\/call_\d\.0/g)].map(([handle]) => handle)
    expect(offered).toEqual([3, 4, 5, 6, 7].map((i) => `run/call_${i}.0`))
    expect(notice).not.toContain('secret')
    expect((await limits.read({ handle: 'run/nope.0' }, { runId: 'unheard' })).notice).not.toMatch(/call_|secret/)
  })

  it('works from another instance and from its own name alone, as another process would', async () => {
    const { root, reduce } = setup()
    const { report } = await reduce(numberedLines(3_000))
    const { LocalFileStore } = await import('../index.js')
    const other = setup({ store: new LocalFileStore({ root }) })
    expect(await readBack(other.limits, report.handle)).toBe(numberedLines(3_000))
  })
})

describe('scope: run', () => {
  const options = { readTool: { scope: 'run' as const } }
  it('answers only for the handles of the run; others look exactly like unknown ones', async () => {
    const { limits, reduce } = setup(options)
    const mine = (await reduce(log.repeat(5), { runId: 'mine' })).report.handle!
    const theirs = (await reduce(log.repeat(5), { runId: 'theirs' })).report.handle!
    expect((await limits.read({ handle: mine }, { runId: 'mine' })).found).toBe(true)
    const foreign = await limits.read({ handle: theirs }, { runId: 'mine' })
    const unknown = await limits.read({ handle: 'theirs/nothing.0' }, { runId: 'mine' })
    expect(foreign).toEqual(unknown)
    expect((await limits.read({ handle: theirs }, { runId: 'theirs' })).found).toBe(true)
  })

  it('knows the run of a handle from the handle alone', async () => {
    const first = setup(options)
    await first.reduce(log.repeat(5), { runId: 'Run A' })
    const handle = (await first.reduce(log.repeat(5), { runId: 'Run A' })).report.handle!
    const other = setup({ ...options, store: first.store })
    expect((await other.limits.read({ handle }, { runId: 'Run A' })).found).toBe(true)
    expect((await other.limits.read({ handle }, { runId: 'Run B' })).found).toBe(false)
    expect((await other.limits.read({ handle }, { runId: 'run' })).found).toBe(false)
  })

  it('takes the run of the options where the call names none', async () => {
    const { limits, reduce } = setup({ ...options, runId: 'run' })
    const handle = (await reduce(log.repeat(5))).report.handle!
    expect((await limits.read({ handle })).found).toBe(true)
    expect((await limits.read({ handle }, { runId: 'x' })).found).toBe(false)
  })
})

describe('the answer of the tool', () => {
  it('has a header, the text, and the exact next call', async () => {
    const { ask, handle } = await stored(log)
    const answer = await ask({ limit: 2 })
    const lines = answer.trimEnd().split('\n')
    expect(lines).toHaveLength(4)
    expect(lines[0]).toContain('"run/call.0"')
    expect(numbersIn(lines[0]!.replace('run/call.0', ''))).toEqual([1, 2, 428, 14])
    expect(lines.slice(1, 3)).toEqual(['line 1', 'line 2'])
    expect(nextCall(answer)).toEqual({ handle, offset: 2, limit: 2 })
  })

  it('says that it is the end', async () => {
    const { ask } = await stored(log)
    const answer = await ask({ offset: 427 })
    expect(nextCall(answer)).toBeUndefined()
    expect(answer.trimEnd().split('\n').at(-1)).toMatch(/end/i)
  })

  it('leads to the end when a model follows it', async () => {
    const { limits, handle } = await stored(numberedLines(1_000), { readTool: { name: 'peek' } })
    const tool = limits.readToolResult()
    let calls = 0
    for (let input: ReadInput | undefined = { handle }; input; input = nextCall(await tool.execute(input), 'peek'))
      calls++
    expect(calls).toBe(5)
  })

  it('is defined by a JSON Schema of types only', async () => {
    const { name, description, inputSchema } = setup().limits.readToolResult()
    expect(name).toBe('read_tool_result')
    expect(description).toBeTruthy()
    expect(JSON.parse(JSON.stringify(inputSchema))).toEqual(inputSchema)
    expect(inputSchema).toMatchObject({
      type: 'object',
      required: ['handle'],
      properties: {
        handle: { type: 'string' },
        offset: { type: 'integer' },
        limit: { type: 'integer' },
        from_end: { type: 'boolean' },
        pattern: { type: 'string' },
        char_offset: { type: 'integer' },
      },
    })
  })

  beyondBaseline('has no ranges in its schema, so that no host rejects what it would answer', async () => {
    const { properties } = setup().limits.readToolResult().inputSchema
    for (const [key, schema] of Object.entries(properties))
      expect(Object.keys(schema), key).not.toEqual(
        expect.arrayContaining([expect.stringMatching(/^(minimum|maximum|exclusive|minLength|maxLength)/)]),
      )
  })

  it('is never reduced and makes no file', async () => {
    const { limits, root, reduce } = setup({ bands: [{ over: 0, action: spill() }] })
    const { report } = await reduce(numberedLines(5_000))
    const answer = await limits.readToolResult().execute({ handle: report.handle, limit: 1_000 })
    expect((await reduce(answer, { toolName: 'read_tool_result', toolCallId: 'x' })).value).toBe(answer)
    expect(keysOf(root)).toEqual(['run/call.0'])
  })
})

describe('a file that changes', () => {
  it('is read as it is now', async () => {
    const { read, store } = await stored('one\ntwo\n')
    await read()
    await store.delete('run/call.0')
    expect(await read()).toMatchObject({ found: false, problem: 'unknown' })
    await store.write('run/call.0', Buffer.from('three\n'))
    expect(await read()).toMatchObject({ found: true, text: 'three\n', totalLines: 1 })
  })
})
