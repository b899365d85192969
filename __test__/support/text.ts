// Random text and values, biased to what breaks cuts, counts and encodings.
import fc from 'fast-check'

/** Single pieces that break naive cutting and counting. */
export const AWKWARD = [
  'é', 'e\u0301', '中', '漢字', '한글', 'か\u3099', '😀', '👨‍👩‍👧', '🇰🇷', '🇰🇷🇩🇪🇫🇷', '👍🏽', 'क्षि', 'a\u0300\u0301\u0302\u0303',
  '\ud83d', '\ude00', '\ude00\ud83d', '\r\n', '\n', '\r', '\n\n', '\f', '\v', '\u0085', '\u2028', '\u2029', '\ufeff', '\0', '\t', '\u202e',
  '\x1b[31m', '\x1b]0;t\x07', '\x9b1m', '"', '\\', '$&', '{output}', '𠀀', '\u200d', '%s', '...[N chars omitted]...',
] as const

const piece = fc.oneof(
  { weight: 4, arbitrary: fc.string({ maxLength: 40 }) },
  { weight: 3, arbitrary: fc.constantFrom(...AWKWARD) },
  { weight: 2, arbitrary: fc.string({ unit: 'grapheme', maxLength: 20 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 20 }) },
  { weight: 1, arbitrary: fc.tuple(fc.constantFrom('x', 'line of text\n', '中', '😀', 'a\r\n'), fc.integer({ min: 1, max: 400 })).map(([unit, n]) => unit.repeat(n)) },
)
/** Random text with awkward pieces; may hold lone surrogates. */
export const anyText = (options: { maxPieces?: number } = {}): fc.Arbitrary<string> =>
  fc.array(piece, { maxLength: options.maxPieces ?? 30 }).map((pieces) => pieces.join(''))
/** Random text of plain ASCII lines. */
export const asciiText = (maxLength = 3000): fc.Arbitrary<string> =>
  fc.array(fc.oneof(fc.string({ unit: 'grapheme-ascii', maxLength: 60 }), fc.constant('\n'), fc.constant('plain words here\n')), { maxLength: maxLength / 20 }).map((pieces) => pieces.join(''))

/** Random structured values, odd ones included. */
export const anyValue = (): fc.Arbitrary<unknown> =>
  fc.oneof(
    { weight: 3, arbitrary: fc.jsonValue({ maxDepth: 4 }) },
    { weight: 2, arbitrary: fc.array(fc.record({ id: fc.integer(), name: fc.string(), tags: fc.array(fc.string(), { maxLength: 3 }) }), { maxLength: 60 }) },
    {
      weight: 2,
      arbitrary: fc.anything({
        maxDepth: 3, withBigInt: true, withBoxedValues: true, withDate: true, withMap: true, withSet: true, withNullPrototype: true,
        withTypedArray: true, withSparseArray: true, withUnicodeString: true,
      }),
    },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 600 }) },
    { weight: 2, arbitrary: fc.record({ stdout: anyText({ maxPieces: 15 }), stderr: anyText({ maxPieces: 5 }), code: fc.integer() }) },
  )

/** Text of `count` numbered lines, `line 1\n`… */
export const numberedLines = (count: number, line: (n: number) => string = (n) => `line ${n}`): string =>
  Array.from({ length: count }, (_, i) => `${line(i + 1)}\n`).join('')
/** A number as notices write it. */
export const grouped = (n: number): string => n.toLocaleString('en-US')
/** Lone surrogates of a text. */
export const loneSurrogates = (text: string): number => [...text].filter((char) => /^[\ud800-\udfff]$/.test(char)).length
export const isWellFormed = (text: string): boolean => loneSurrogates(text) === 0
/** The text with every lone surrogate replaced by U+FFFD. */
export const wellFormed = (text: string): string => Buffer.from(text, 'utf8').toString('utf8')
