import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { spill, truncate } from '../index.js'
import { rendered, setup } from './support/limits.js'
import { storedText } from './support/roots.js'

const strip = (value: unknown) => rendered(value, { stripAnsi: true })

describe('stripAnsi removes', () => {
  it.each([
    ['colours', '\x1b[31mred\x1b[0m', 'red'],
    ['private parameters', '\x1b[?25lA', 'A'],
    ['colon parameters', '\x1b[38:2:1:2:3mA\x1b[m', 'A'],
    ['intermediate bytes', '\x1b[1 qA\x1b[0"pB', 'AB'],
    ['parameters <=>?', '\x1b[>4;2mA\x1b[=3hB\x1b[<uC', 'ABC'],
    ['OSC ended by ST', '\x1b]8;;http://x\x1b\\L\x1b]8;;\x1b\\', 'L'],
    ['OSC ended by BEL', '\x1b]0;a\x07C', 'C'],
    ['OSC ended by the C1 form of ST', '\x1b]0;a\x9cC', 'C'],
    ['three-byte escapes', '\x1b(BA', 'A'],
    ['two-byte escapes', '\x1b7A\x1b8B\x1bcC\x1b=D', 'ABCD'],
    ['CSI as C1', '\x9b31mA', 'A'],
    ['OSC as C1', '\x9d0;title\x07A', 'A'],
    ['other C1 forms', 'a\x84b\x8dc\x90q\x9cd', 'abcd'],
    ['DCS', '\x1bPq#0~\x1b\\A', 'A'],
    ['APC', '\x1b_apc\x1b\\A', 'A'],
    ['PM and SOS', '\x1b^pm\x1b\\A\x1bXsos\x1b\\B', 'AB'],
    ['a lone ESC, alone', 'a\x1bb\x1b\nc'.replace('\x1bb', '\x1b\tb'), 'a\tb\nc'],
    ['a lone ESC before what is not ASCII', 'a\x1b漢', 'a漢'],
    ['a lone ESC at the end', 'abc\x1b', 'abc'],
    ['an ESC before an ESC', '\x1b\x1b[1mA', 'A'],
    ['a cut CSI, and nothing after it', '\x1b[31\nkeep', '\nkeep'],
    ['a CSI at the end of the text', 'a\x1b[', 'a'],
  ])('%s', async (_, text, expected) => {
    expect(await strip(text)).toBe(expected)
  })

  it.each([
    ['an unterminated string sequence up to the line end', '\x1b]0;t\nkeep\n\x1b[0mX\x07Y', '\nkeep\nX\x07Y'],
    ['an unterminated string sequence up to a CRLF', '\x1b]0;t\r\nkeep', '\r\nkeep'],
    ['an unterminated DCS', 'a\x1bPxyz\nkeep', 'a\nkeep'],
    ['an unterminated string sequence at the end', 'a\x1b]0;title', 'a'],
    ['no BEL in a DCS', '\x1bPa\x07b\x1b\\c', 'c'],
  ])('%s', async (_, text, expected) => {
    expect(await strip(text)).toBe(expected)
  })

  it.each([
    ['U+0085', 'a\u0085b'],
    ['tabs, CR and other C0', 'a\tb\rc\x07d\b\f\v\x7f'],
    ['text that only looks like a sequence', '[31m ]0;x \\x1b[0m'],
    ['non-ASCII text', 'äöü 漢字 😀\u00a0'],
    ['a BOM', '\ufeffx'],
  ])('but keeps %s', async (_, text) => {
    expect(await strip(text)).toBe(text)
  })
})

describe('stripAnsi applies', () => {
  it('to the string leaves of structured values, never across JSON syntax', async () => {
    const value = {
      stdout: '\x1b[31mred\x1b[0m',
      list: ['\x1b]0;t', 'keep', { deep: 'a\x9b1mb' }],
      '\x1b[1mkey': 1,
      n: 5,
    }
    expect(await strip(value)).toBe(
      JSON.stringify({ stdout: 'red', list: ['', 'keep', { deep: 'ab' }], '\x1b[1mkey': 1, n: 5 }),
    )
  })

  it('to structured values whose text fits once it is clean', async () => {
    const value = { stdout: '\x1b[31mhi\x1b[0m '.repeat(1_000) }
    const bands = [{ over: 1_000, action: truncate({ maxChars: 4_000 }) }]
    const { value: text, reduced, report } = await setup({ stripAnsi: true, bands }).reduce(value)
    expect([text, reduced]).toEqual([JSON.stringify({ stdout: 'hi '.repeat(1_000) }), true])
    expect(report.chars).toBe(String(text).length)
  })

  it.each([
    ['"quoted"', 'say "hi" \\ back\\'],
    ['escapes that stay', 'tab\tnl\nquote"\u2028'],
    ['an escaped backslash before u001b', '\\u001b[31m'],
  ])('and leaves other leaves as they are: %s', async (_, leaf) => {
    expect(await strip({ a: leaf, b: `\x1b[1m${leaf}` })).toBe(JSON.stringify({ a: leaf, b: leaf }))
  })

  it('to the text of a custom serializer as a whole', async () => {
    expect(await rendered({ a: 1 }, { stripAnsi: true, serializer: () => '{"a":"\x1b[31m1"}\x1b[0m' })).toBe(
      '{"a":"1"}',
    )
  })

  it('not to bytes', async () => {
    const { store, reduce } = setup({ stripAnsi: true })
    const bytes = Buffer.from('\x1b[31m'.repeat(4_000))
    const { report } = await reduce(bytes)
    expect(Buffer.from(await store.read(report.handle!)).equals(bytes)).toBe(true)
  })

  it('before measuring and storing: what is measured is what is stored', async () => {
    const text = '\x1b[32mok\x1b[0m\n'.repeat(5_000)
    const { root, reduce } = setup({ stripAnsi: true })
    const { report } = await reduce(text)
    expect(report.size).toBe(15_000)
    expect(storedText(root, report.handle!)).toBe('ok\n'.repeat(5_000))
    const small = await reduce('\x1b[32mok\x1b[0m\n'.repeat(3_000))
    expect(small.report).toMatchObject({ action: 'none', size: 9_000 })
    expect(small.value).toBe('\x1b[32mok\x1b[0m\n'.repeat(3_000))
  })

  it('to text whose escapes are all there is', async () => {
    const { value, report } = await setup({ stripAnsi: true, bands: [{ over: 0, action: truncate() }] }).reduce(
      '\x1b[0m',
    )
    expect({ value, size: report.size }).toEqual({ value: '', size: 0 })
  })

  it('only when asked for', async () => {
    expect(await rendered('\x1b[31mred')).toBe('\x1b[31mred')
  })
})

it('stripAnsi finds nothing more in what it left', async () => {
  const pieces = fc.array(
    fc.constantFrom(
      '\x1b',
      '[',
      ']',
      '0',
      ';',
      'm',
      'P',
      '\x07',
      '\\',
      '\n',
      '\r',
      'a',
      '\x9b',
      '\x9c',
      '\x85',
      '漢',
      '😀',
      ' ',
      '(',
      'B',
      '\x90',
    ),
    { maxLength: 40 },
  )
  await fc.assert(
    fc.asyncProperty(pieces, async (chars) => {
      const once = (await strip(chars.join('')))!
      const introducers = [...once].filter(
        (char) => char === '\x1b' || (char >= '\x80' && char <= '\x9f' && char !== '\x85'),
      )
      expect(introducers).toEqual([])
      let at = 0
      for (const unit of chars.join('').split('')) if (unit === once[at]) at++
      expect(at, 'nothing is made up or moved').toBe(once.length)
    }),
    { numRuns: 300 },
  )
})

it('stripAnsi removes no line end outside of sequences', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom('\x1b]0;t', '\x1bP', '\x1b[3', '\x1b', 'text', '\x9d', '\x1b[31m', '\x1b_a'), {
        maxLength: 20,
      }),
      async (lines) => {
        const out = (await strip(lines.join('\n')))!
        expect(out.split('\n')).toHaveLength(Math.max(1, lines.length))
      },
    ),
    { numRuns: 200 },
  )
})

it('stripAnsi takes text of nothing but openings in linear time', async () => {
  for (const unit of ['\x1b]', '\x1b[', '\x1b', '\x9b', '\x1bP\x1b', '\x1b]a\n']) {
    expect(((await strip(unit.repeat(400_000))) ?? '').length, JSON.stringify(unit)).toBeLessThanOrEqual(
      400_000 * unit.length,
    )
  }
})

it('lone surrogates are counted beside private-use characters', async () => {
  const text = `\ud83d\u{10F000}\x1b[31m\ude00${'x'.repeat(3_000)}`
  const { reduce, root } = setup({ bands: [{ over: 0, action: spill({ previewChars: 10 }) }], stripAnsi: true })
  const { report } = await reduce(text)
  expect(report.replaced).toBe(2)
  expect(storedText(root, report.handle ?? '')).toBe(`\ufffd\u{10F000}\ufffd${'x'.repeat(3_000)}`)
})
