// Searching a stored result: expressions, letter case, context, and hits that read back.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type ReadInput, type ReadPage, spill, type ToolOutputLimits } from '../index.js'
import { pagesFrom, setup } from './support/limits.js'
import { underTest } from './support/package.js'
import { numberedLines } from './support/text.js'

type Question = Omit<ReadInput, 'handle'>
/** Stores a text and gives what reads it. */
async function stored(
  text: string,
): Promise<{ limits: ToolOutputLimits; ask: (q: Question) => Promise<ReadPage>; handle: string }> {
  const { limits, reduce } = setup({ bands: [{ over: 0, action: spill({ previewChars: 0 }) }] })
  const { report } = await reduce(
    text.length < 2_000 ? `${text}${text.endsWith('\n') ? '' : '\n'}${'-'.repeat(2_000)}` : text,
  )
  const handle = report.handle!
  return { limits, handle, ask: (question) => limits.read({ handle, ...question }) }
}
const linesOf = ({ matches }: ReadPage) => matches!.map(({ line }) => line)

describe.skipIf(underTest === 'baseline')('a regular expression (the baseline has another engine)', () => {
  it.each<[string, string, Question, number[]]>([
    ['alternatives', 'cat\ndog\ncow\n', { pattern: 'cat|cow' }, [1, 3]],
    ['anchors are those of the line', 'abc\nxabc\nabcx\n', { pattern: '^abc$' }, [1]],
    ['the end is before CR LF', 'one\r\ntwo\r\none more\r\n', { pattern: 'one$' }, [1]],
    ['an empty line', 'a\n\nb\n', { pattern: '^$' }, [2]],
    ['an empty line that ends in CR LF', 'a\r\n\r\nb\r\n', { pattern: '^$' }, [2]],
    ['a class does not run over the line end', 'a\nb\n', { pattern: 'a[^x]b' }, []],
    ['a dot is one char of any script', '中文\n中\n', { pattern: '^..$' }, [1]],
    ['word boundaries', 'error\nerrors\nan error!\n', { pattern: '\\berror\\b' }, [1, 3]],
    ['letter case', 'Error\nERROR\nerr\n', { pattern: 'error', ignore_case: true }, [1, 2]],
    [
      'letter case of other scripts',
      'ÄRGER\närger\nΣΊΣΥΦΟΣ\n',
      { pattern: 'ärger|σίσυφος', ignore_case: true },
      [1, 2, 3],
    ],
    ['a counted repetition', 'aaa\naa\n', { pattern: '^a{3}$' }, [1]],
    ['named groups', 'k=1\nk=x\n', { pattern: 'k=(?<n>\\d)' }, [1]],
  ])('%s', async (_, text, question, lines) => {
    const { ask } = await stored(text)
    expect(linesOf(await ask({ regex: true, ...question }))).toEqual(lines)
  })

  it('of a literal search ignores case and nothing else', async () => {
    const { ask } = await stored('a.B\naxb\nA.b\n')
    expect(linesOf(await ask({ pattern: 'a.b', ignore_case: true }))).toEqual([1, 3])
  })

  it.each([
    ['(?=x)', /look-around/],
    ['(?<!x)y', /look-around/],
    ['(a)\\1', /back-reference/],
    ['a{1000}{1000}', /size/],
    ['(', /not a valid/],
    ['[z-a]', /not a valid/],
    ['(x)'.repeat(400_000), /long/],
  ])('%.20s is answered with one line that names what is wrong', async (pattern, named) => {
    const { ask, limits, handle } = await stored('x\n')
    const page = await ask({ pattern, regex: true })
    expect(page).toMatchObject({ found: false, problem: 'arguments', text: '' })
    expect(page.notice).toMatch(named)
    expect(page.notice).toMatch(/literal/)
    expect(page.notice!.length).toBeLessThan(300)
    const answer = await limits.readToolResult().execute({ handle, pattern, regex: true })
    expect(answer).toBe(page.notice)
  })

  // An engine that backtracks would not end before the sun does.
  it('takes linear time on 10 MB that make others backtrack', async () => {
    const { ask } = await stored(`${'a'.repeat(1e7)}!`)
    expect(linesOf(await ask({ pattern: '(a+)+$', regex: true }))).toEqual([])
    expect(linesOf(await ask({ pattern: '(a|a)*b', regex: true }))).toEqual([])
    expect(linesOf(await ask({ pattern: '(a*)*!', regex: true }))).toEqual([1])
    expect(linesOf(await ask({ pattern: '(.*)(.*)(.*)(.*)x', regex: true }))).toEqual([])
  })

  it('finds the lines that JavaScript finds, for random text', async () => {
    const line = fc.string({ unit: fc.constantFrom('a', 'b', 'A', '1', ' ', '.', '\r', 'é', '😀', '-'), maxLength: 12 })
    const patterns = ['a', 'a.b', '^a', 'b$', '[ab]+1', '(a|b)b', '\\.', 'a{2}', '^$', 'é', '.', 'a?b', '[^a]']
    await fc.assert(
      fc.asyncProperty(
        fc.array(line, { maxLength: 30 }),
        fc.constantFrom(...patterns),
        fc.boolean(),
        async (lines, pattern, ignoreCase) => {
          const { ask } = await stored(`${lines.map((one) => `${one}\n`).join('')}${'='.repeat(2_000)}\n`)
          const expression = new RegExp(pattern, ignoreCase ? 'iu' : 'u')
          const content = [...lines, '='.repeat(2_000)].map((one) => one.replace(/\r$/, ''))
          // A carriage return inside a line is a char like any other.
          const expected = content.flatMap((one, i) => (expression.test(one.replaceAll('\r', '\u0001')) ? [i + 1] : []))
          expect(linesOf(await ask({ pattern, regex: true, ignore_case: ignoreCase, limit: 1_000 }))).toEqual(expected)
        },
      ),
      { numRuns: 60 },
    )
  })
})

describe.skipIf(underTest === 'baseline')('context (the baseline merges no windows)', () => {
  const text = numberedLines(300, (n) => (n % 100 === 50 ? `hit ${n}` : `line ${n}`))

  it('shows lines before and after a match, told apart from it', async () => {
    const { ask } = await stored(text)
    const page = await ask({ pattern: 'hit', context: 2, limit: 1 })
    expect(page.text).toBe('48- line 48\n49- line 49\n50: hit 50\n51- line 51\n52- line 52\n')
    expect(page).toMatchObject({
      firstLine: 48,
      lastLine: 52,
      chars: page.text.length,
      next: { offset: 1, context: 2 },
    })
  })

  it('of neighbours is merged: no line comes twice', async () => {
    const { ask } = await stored(numberedLines(300, (n) => (n === 10 || n === 12 ? 'hit' : `line ${n}`)))
    const { text: shown } = await ask({ pattern: 'hit', context: 3 })
    expect(shown.split('\n').map((row) => Number.parseInt(row, 10))).toEqual([
      7,
      8,
      9,
      10,
      11,
      12,
      13,
      14,
      15,
      Number.NaN,
    ])
  })

  it('ends where the text ends', async () => {
    const { ask } = await stored(`hit\n${numberedLines(300)}hit\n`)
    const { text: shown } = await ask({ pattern: 'hit', context: 1 })
    expect(shown).toBe('1: hit\n2- line 1\n301- line 300\n302: hit\n')
  })

  it('is at most 20 lines, and a larger number is reduced and told', async () => {
    const { ask } = await stored(text)
    const page = await ask({ pattern: 'hit 150', context: 99 })
    expect(page).toMatchObject({ firstLine: 130, lastLine: 170 })
    expect(page.notice).toMatch(/20/)
  })

  it('never pushes a match off its page, nor a page over its limit', async () => {
    const { limits, reduce } = setup({ readTool: { maxChars: 500 } })
    const { report } = await reduce(numberedLines(400, (n) => `${n % 7 ? 'x' : 'hit'}`.repeat(40)))
    const pages = await pagesFrom(limits, { handle: report.handle!, pattern: 'hit', context: 20 })
    expect(pages.flatMap(linesOf)).toEqual(Array.from({ length: 57 }, (_, i) => 7 * (i + 1)))
    for (const page of pages) expect(page.text.length).toBeLessThanOrEqual(500)
  })
})

describe('a hit', () => {
  /** Reads a match back at its own offset. */
  const readBack = async (ask: (q: Question) => Promise<ReadPage>, { line, char }: { line: number; char?: number }) =>
    (await ask({ offset: line - 1, char_offset: char!, limit: 1 })).text

  it.each([
    ['in the middle', 2_500_000],
    ['at the beginning', 0],
    ['across 1 MiB', (1 << 20) - 3],
    ['at the very end', 5_000_000 - 6],
  ])('%s of a line of 5 MB is a window whose offset reads it back', async (_, at) => {
    const { ask } = await stored(`${'x'.repeat(at)}needle${'y'.repeat(5_000_000 - 6 - at)}`)
    const page = await ask({ pattern: 'needle' })
    expect(page.matches).toHaveLength(1)
    expect(page.matches![0]).toMatchObject({ line: 1, char: at })
    expect(page.text.length).toBeLessThan(1_200)
    expect(page.text).toContain('needle')
    expect(await readBack(ask, page.matches![0]!)).toMatch(/^needle/)
  })

  it.each<[string, Question]>([
    ['literal', { pattern: '検索😀' }],
    ['without regard to case', { pattern: '検索😀', ignore_case: true }],
    ['of an expression', { pattern: '検.😀', regex: true }],
    ['of an expression that needs whole lines', { pattern: '検索+😀', regex: true }],
  ])('reads back what matched, chars being UTF-16 units: %s', async (_, question) => {
    const { ask } = await stored(
      Array.from({ length: 40 }, (_, n) => `${'中😀é'.repeat(n * 60)}検索😀${'z'.repeat(n)}\n`).join(''),
    )
    const { matches } = await ask(question)
    expect(matches).toHaveLength(40)
    for (const match of matches!) expect(await readBack(ask, match)).toMatch(/^検索😀/)
  })

  it.each<[string, Question]>([
    ['literal', {}],
    ['expression', { regex: true }],
    ['no case', { ignore_case: true }],
  ])('may be longer than a page: %s', async (_, question) => {
    const { limits, reduce } = setup({ readTool: { maxChars: 600 } })
    const long = 'ab'.repeat(2_000)
    const { report } = await reduce(`${'-'.repeat(9_000)}\n${'.'.repeat(500)}${long}\n`)
    const page = await limits.read({ handle: report.handle!, pattern: long, ...question })
    expect(page.matches).toMatchObject([{ line: 2, char: 500 }])
    expect(page.text.length).toBeLessThanOrEqual(600)
  })

  it('may be longer than what is searched at once', async () => {
    const long = Array.from({ length: 300_000 }, (_, n) => `${n}.`).join('')
    const { ask } = await stored(`${'x'.repeat(1_000_000)}${long}\n`)
    expect((await ask({ pattern: long })).matches).toMatchObject([{ line: 1, char: 1_000_000 }])
    expect((await ask({ pattern: `${long}!` })).matches).toEqual([])
  })

  it('of 10,000 is one of n, and all are reached by next', async () => {
    const { ask, limits, handle } = await stored(numberedLines(10_000, (n) => `hit ${n}`))
    expect((await ask({ pattern: 'hit', limit: 1 })).notice).toMatch(/\b1\b.* 10,000/)
    const pages = await pagesFrom(limits, { handle, pattern: 'h.t', regex: true, limit: 1_000 })
    expect(pages.flatMap(linesOf)).toEqual(Array.from({ length: 10_000 }, (_, n) => n + 1))
  })

  it('counted from the end comes in forward order, and next leads on in absolute offsets', async () => {
    const { ask } = await stored(numberedLines(1_000, (n) => (n % 10 ? `line ${n}` : `hit ${n}`)))
    const page = await ask({ pattern: 'hit', from_end: true, offset: 2, limit: 3 })
    expect(linesOf(page)).toEqual([960, 970, 980])
    expect(page.next).toMatchObject({ pattern: 'hit', offset: 98 })
    expect(page.next!.from_end).toBeUndefined()
    const { handle: _, ...next } = page.next!
    expect(linesOf(await ask(next))).toEqual([990, 1_000])
  })

  it('has a header with true figures', async () => {
    const { limits, handle } = await stored(numberedLines(3_000, (n) => (n === 1_500 ? 'error[E1]' : `ok ${n}`)))
    const answer = await limits.readToolResult().execute({ handle, pattern: 'error[' })
    expect(answer.split('\n')[0]).toMatch(/1,500.*3,000.*16 chars.*1 of 1/)
  })
})
