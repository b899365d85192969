import { describe, expect, it } from 'vitest'
import { type TruncateOptions, truncate } from '../index.js'
import { act, numbersIn, readBack, reasons, setup } from './support/limits.js'
import { grouped, isWellFormed, numberedLines } from './support/text.js'

const STRATEGIES = ['head', 'tail', 'head-tail'] as const
/** Letters without digits or line feeds, so that figures and line ends in a result are the marker's own. */
const letters = (length: number) => 'abcdefghijklmnopqrstuvwxyz'.repeat(Math.ceil(length / 26)).slice(0, length)

async function cut(text: string, options: TruncateOptions): Promise<string> {
  const { value } = await act(truncate({ json: 'text', ...options }), text)
  return value
}
/** What a cut kept: takes the marker out by its figures; fails where they do not add up. */
function parts(
  text: string,
  out: string,
  strategy: 'head' | 'tail' | 'head-tail',
): { head: string; tail: string; marker: string; kept: number } {
  const found = /\n[^\n]*\d[^\n]*\n/.exec(out)
  if (!found) throw new Error(`no marker in ${JSON.stringify(out.slice(0, 200))}`)
  const [head, marker, tail] = [out.slice(0, found.index), found[0], out.slice(found.index + found[0].length)]
  const kept = head.length + tail.length
  expect(text.startsWith(head), 'head is the beginning').toBe(true)
  expect(text.endsWith(tail), 'tail is the end').toBe(true)
  expect(new Set(numbersIn(marker)), 'figures of the marker').toEqual(new Set([kept, text.length - kept, text.length]))
  for (const figure of [kept, text.length - kept, text.length]) expect(marker).toContain(grouped(figure))
  if (strategy === 'head') expect(tail).toBe('')
  if (strategy === 'tail') expect(head).toBe('')
  return { head, tail, marker, kept }
}

describe('a text that fits', () => {
  it.each([
    ['exactly the cap', 'a'.repeat(10), 10],
    ['one below', 'a'.repeat(9), 10],
    ['empty', '', 10],
    ['empty with cap 0', '', 0],
    ['empty with a cap below 0', '', -1],
  ])('stays, by reference: %s', async (_, text, maxChars) => {
    const { value, reduced, report } = await act(truncate({ maxChars }), text)
    expect({ value, reduced, fallbacks: report.fallbacks, chars: report.chars }).toEqual({
      value: text,
      reduced: false,
      fallbacks: [],
      chars: text.length,
    })
  })

  it('stays the same object when its rendering fits', async () => {
    const value = { a: [1, 2, 3] }
    const result = await act(truncate(), value)
    expect(result.value).toBe(value)
    expect(result.reduced).toBe(false)
  })

  it('counts as it was rendered: escapes that made it too long are gone, and the short text is the result', async () => {
    const text = `${'\x1b[1m'.repeat(100)}done`
    const { value, reduced } = await act(truncate({ maxChars: 10 }), text, {}, { stripAnsi: true })
    expect({ value, reduced }).toEqual({ value: 'done', reduced: true })
  })
})

describe('the cap', () => {
  it.each([[0], [-1], [-0.5], [-1e9]])('maxChars %s gives an empty text', async (maxChars) => {
    for (const strategy of STRATEGIES) expect(await cut('hello', { maxChars, strategy })).toBe('')
  })

  it('defaults to 4,000 chars', async () => {
    const out = await cut(letters(20_000), {})
    expect(out.length).toBeGreaterThan(3_990)
    expect(out.length).toBeLessThanOrEqual(4_000)
  })

  it.each(STRATEGIES)('holds for every cap from 0 to 200, keeping as much as fits: %s', async (strategy) => {
    const text = letters(1_500)
    const { reduce } = setup({
      perTool: Object.fromEntries(
        Array.from({ length: 201 }, (_, maxChars) => [
          `cap_${maxChars}`,
          [{ over: 0, action: truncate({ maxChars, strategy }) }],
        ]),
      ),
    })
    let markerless = 0
    for (let maxChars = 0; maxChars <= 200; maxChars++) {
      const { value: out } = await reduce(text, { toolName: `cap_${maxChars}` })
      expect(out.length, `cap ${maxChars}`).toBeLessThanOrEqual(maxChars)
      if (!/\d/.test(out)) {
        markerless = maxChars
        expect(out.length, `cap ${maxChars}: no marker fits, the slice stays`).toBe(maxChars)
        const head = strategy === 'head' ? maxChars : strategy === 'tail' ? 0 : Math.floor((maxChars * 2) / 5)
        expect(out, `cap ${maxChars}`).toBe(text.slice(0, head) + text.slice(text.length - (maxChars - head)))
        continue
      }
      const { kept, marker } = parts(text, out, strategy)
      for (const more of [1, 2, 3]) {
        const digits = (n: number) => grouped(n).length
        const longer =
          marker.length -
          digits(kept) -
          digits(text.length - kept) +
          digits(kept + more) +
          digits(text.length - kept - more)
        expect(kept + more + longer, `cap ${maxChars}: ${more} more would fit`).toBeGreaterThan(maxChars)
      }
    }
    expect(markerless).toBeLessThan(100)
  })

  it('states exact figures for 12,345,678 chars', async () => {
    const text = letters(12_345_678)
    const { kept, marker } = parts(text, await cut(text, { maxChars: 4_000 }), 'head-tail')
    expect(marker).toContain('12,345,678')
    expect(marker).toContain(grouped(12_345_678 - kept))
  })

  it('is chars even where sizes are tokens', async () => {
    const { value, report } = await act(truncate({ maxChars: 100 }), letters(4_000), {}, { overTokens: true })
    expect(value.length).toBeLessThanOrEqual(100)
    expect(report).toMatchObject({ unit: 'tokens', size: 1_000, chars: value.length })
  })
})

describe('strategies', () => {
  const text = letters(5_000)

  it('head keeps the beginning', async () => {
    const { head, kept } = parts(text, await cut(text, { maxChars: 500, strategy: 'head' }), 'head')
    expect(head).toBe(text.slice(0, kept))
  })

  it('tail keeps the end', async () => {
    const { tail, kept } = parts(text, await cut(text, { maxChars: 500, strategy: 'tail' }), 'tail')
    expect(tail).toBe(text.slice(-kept))
  })

  it.each([[60], [101], [500], [4_000], [4_999]])(
    'head-tail splits what is kept 2:3 and is the default: cap %i',
    async (maxChars) => {
      const out = await cut(text, { maxChars })
      expect(out).toBe(await cut(text, { maxChars, strategy: 'head-tail' }))
      const { head, tail, kept } = parts(text, out, 'head-tail')
      expect(head.length).toBe(Math.floor((kept * 2) / 5))
      expect(tail.length).toBe(kept - head.length)
    },
  )

  it('head-tail shows both ends of 3,000 lines, and the error in the middle is found by reading back', async () => {
    const log = numberedLines(3_000, (n) => (n === 1_500 ? 'error[E0308]: mismatched types' : `test case_${n} ... ok`))
    const { limits, reduce } = setup()
    const cutLog = (await act(truncate(), log)).value
    expect(cutLog).toMatch(/^test case_1 /)
    expect(cutLog).toMatch(/test case_3000 \.\.\. ok\n$/)
    const { report } = await reduce(log)
    const page = await limits.read({ handle: report.handle!, pattern: 'error[' })
    expect(page.matches).toEqual([{ line: 1_500, char: 0, text: 'error[E0308]: mismatched types' }])
    expect(await readBack(limits, report.handle)).toBe(log)
  })
})

describe('keepTailLines', () => {
  const log = `${letters(3_000)}\nfirst of the end\nexit code: 1\n`

  it.each(STRATEGIES)('keeps the last lines whole, line ends included: %s', async (strategy) => {
    const out = await cut(log, { maxChars: 400, strategy, keepTailLines: 2 })
    expect(out.endsWith('\nfirst of the end\nexit code: 1\n')).toBe(true)
    expect(out.length).toBeLessThanOrEqual(400)
  })

  it('head fills the rest from the beginning', async () => {
    const out = await cut(log, { maxChars: 400, strategy: 'head', keepTailLines: 1 })
    const { head, tail } = parts(log, out, 'head-tail')
    expect(tail).toBe('exit code: 1\n')
    expect(head).toBe(log.slice(0, head.length))
    expect(out.length).toBeGreaterThan(397)
  })

  it('head-tail splits the rest 2:3 between the beginning and the text before the reserved lines', async () => {
    const { head, tail, kept } = parts(log, await cut(log, { maxChars: 400, keepTailLines: 1 }), 'head-tail')
    const reserved = 'exit code: 1\n'.length
    expect(head.length).toBe(Math.floor(((kept - reserved) * 2) / 5))
    expect(tail.length).toBe(kept - head.length)
  })

  it('tail keeps the end anyway', async () => {
    expect(await cut(log, { maxChars: 400, strategy: 'tail', keepTailLines: 2 })).toBe(
      await cut(log, { maxChars: 400, strategy: 'tail' }),
    )
  })

  it('reserved lines that exceed the cap: plain tail', async () => {
    const long = `start ${letters(300)}\n${letters(500)}`
    expect(await cut(long, { maxChars: 200, strategy: 'head', keepTailLines: 1 })).toBe(
      await cut(long, { maxChars: 200, strategy: 'tail' }),
    )
  })

  it('reserved lines that fit but leave the marker no room: a bare tail slice of maxChars', async () => {
    const long = `${letters(300)}\n${letters(95)}`
    for (const strategy of STRATEGIES.filter((name) => name !== 'tail')) {
      expect(await cut(long, { maxChars: 100, strategy, keepTailLines: 1 }), strategy).toBe(long.slice(-100))
    }
  })

  it('more lines than there are: the whole text is the tail', async () => {
    expect(await cut(log, { maxChars: 300, strategy: 'head', keepTailLines: 1_000 })).toBe(
      await cut(log, { maxChars: 300, strategy: 'tail' }),
    )
    expect(await cut('a\nb\n', { maxChars: 100, keepTailLines: 1_000 })).toBe('a\nb\n')
  })

  it.each([
    ['LF', 'one\ntwo\n', 'two\n'],
    ['no final line end', 'one\ntwo', 'two'],
    ['CRLF', 'one\r\ntwo\r\n', 'two\r\n'],
    ['an empty last line', 'one\n\n', '\n'],
    ['a lone CR does not end a line', 'one\ntwo\rthree', 'two\rthree'],
    [
      'form feed, vertical tab, U+0085, U+2028, FS do not end a line',
      'one\na\fb\vc\u2028d\u0085e\x1cf',
      'a\fb\vc\u2028d\u0085e\x1cf',
    ],
  ])('counts lines on the one grid: %s', async (_, end, last) => {
    const out = await cut(`${'x'.repeat(500)}\n${end}`, { maxChars: 200, strategy: 'head', keepTailLines: 1 })
    const kept = out.slice(out.lastIndexOf('...\n') + 4)
    expect(out.startsWith('xxx')).toBe(true)
    expect(kept).toBe(last)
  })
})

describe('cuts between characters', () => {
  const CLUSTERS = ['中', 'é', 'e\u0301', '😀', '👨‍👩‍👧', '🇰🇷', '\r\n'] as const

  it.each(CLUSTERS.map((cluster) => [JSON.stringify(cluster), cluster]))(
    'never split %s into halves, for caps 0 to 64, all strategies, shifted by 0 to 3 chars',
    async (_, cluster) => {
      const tools = STRATEGIES.flatMap((strategy) =>
        Array.from({ length: 65 }, (_cap, maxChars) => ({ strategy, maxChars })),
      )
      const { reduce } = setup({
        perTool: Object.fromEntries(
          tools.map((options) => [`${options.strategy}_${options.maxChars}`, [{ over: 0, action: truncate(options) }]]),
        ),
      })
      for (const { strategy, maxChars } of tools) {
        for (let shift = 0; shift <= 3; shift++) {
          for (const text of [
            'a'.repeat(Math.max(0, maxChars - 1)) + cluster,
            'abc'.slice(0, shift) + cluster.repeat(40),
          ]) {
            const label = `${strategy}, cap ${maxChars}, shift ${shift}`
            const { value } = await reduce(text, { toolName: `${strategy}_${maxChars}` })
            expect(value.length, label).toBeLessThanOrEqual(Math.max(maxChars, 0))
            expect(isWellFormed(value), label).toBe(true)
          }
        }
      }
    },
  )

  it.each(STRATEGIES)('a pair at the cap is kept whole or left out whole: %s', async (strategy) => {
    const out = await cut(`${'x'.repeat(999)}😀`, { maxChars: 1_000, strategy })
    expect(out.length).toBeLessThanOrEqual(1_000)
    expect(out.replaceAll('😀', '')).not.toMatch(/[\ud800-\udfff]/)
  })

  it.each([
    ['family', '👨‍👩‍👧'],
    ['flag', '🇰🇷'],
    ['combining mark', 'e\u0301'],
    ['CR LF', '\r\n'],
  ])('moves inward to a grapheme boundary: %s', async (_, cluster) => {
    for (let shift = 0; shift < cluster.length; shift++) {
      const text = 'x'.repeat(shift) + cluster.repeat(400)
      const out = await cut(text, { maxChars: 300, strategy: 'head' })
      const head = out.slice(0, out.lastIndexOf('\n', out.length - 2))
      expect((head.length - shift) % cluster.length, `shift ${shift}`).toBe(0)
    }
  })

  it('moves by at most 32 chars: of a giant cluster a cut only respects pairs', async () => {
    const text = `a${'\u0301'.repeat(5_000)}`
    const out = await cut(text, { maxChars: 300, strategy: 'head' })
    const kept = /^a?\u0301*/.exec(out)![0].length
    expect(kept).toBeGreaterThan(200)
    expect(out.length).toBeLessThanOrEqual(300)
  })

  it('its figures are those of the final cut', async () => {
    const text = '👨‍👩‍👧'.repeat(500)
    const out = await cut(text, { maxChars: 300, strategy: 'head' })
    const { kept } = parts(text, out, 'head')
    expect(kept % '👨‍👩‍👧'.length).toBe(0)
  })

  it('a lone surrogate becomes U+FFFD and is counted', async () => {
    const { value, report } = await act(truncate({ maxChars: 1_000, strategy: 'head' }), `a\ud83d${'b'.repeat(20_000)}`)
    expect(value.startsWith('a\ufffdbbb')).toBe(true)
    expect(report.replaced).toBe(1)
  })
})

describe('values that are not text', () => {
  it('structured values are cut as they were rendered', async () => {
    const value = { list: Array.from({ length: 500 }, (_, i) => `entry ${i}`) }
    const { value: out, report } = await act(truncate({ maxChars: 500, json: 'text' }), value)
    const text = JSON.stringify(value)
    expect(report).toMatchObject({
      action: 'truncate',
      size: text.length,
      unit: 'chars',
      chars: (out as string).length,
    })
    expect((out as string).startsWith(text.slice(0, 100))).toBe(true)
    expect((out as string).endsWith(text.slice(-100))).toBe(true)
  })

  it('bytes fall to the fallback', async () => {
    const bytes = new Uint8Array(10_000)
    const { value, reduced, report } = await act(truncate({ maxChars: 100 }), bytes)
    expect({
      same: value === bytes,
      reduced,
      action: report.action,
      unit: report.unit,
      size: report.size,
      chars: report.chars,
    }).toEqual({
      same: true,
      reduced: false,
      action: 'passthrough',
      unit: 'bytes',
      size: 10_000,
      chars: 0,
    })
    expect(reasons(report)).toEqual(['truncate: binary'])
  })
})
