// Random text and values, biased to what breaks cuts, counts and encodings. For the property tests and the differential test.
import fc from 'fast-check'

/** Single pieces that break naive cutting and counting. */
export const AWKWARD = [
  'é',
  'e\u0301',
  '中',
  '漢字',
  '한글',
  'か\u3099',
  '😀',
  '👨‍👩‍👧',
  '🇰🇷',
  '🇰🇷🇩🇪🇫🇷',
  '👍🏽',
  'क्षि',
  'a\u0300\u0301\u0302\u0303',
  '\ud83d',
  '\ude00',
  '\ude00\ud83d',
  '\r\n',
  '\n',
  '\r',
  '\n\n',
  '\f',
  '\v',
  '\u0085',
  '\u2028',
  '\u2029',
  '\ufeff',
  '\0',
  '\t',
  '\u202e',
  '\x1b[31m',
  '\x1b]0;t\x07',
  '\x1b]8;;x',
  '\x9b1m',
  '\x1b',
  '\x1bP',
  '"',
  '\\',
  '$&',
  '{output}',
  '𠀀',
  '\u200d',
  '%s',
  '...[5 chars omitted]...',
  '[x]\n',
]

const repeated = fc
  .tuple(
    fc.constantFrom('x', 'line of text\n', '中', '😀', 'a\r\n', '\n', '{"a":1}\n', '0123456789'),
    fc.integer({ min: 1, max: 300 }),
  )
  .map(([unit, times]) => unit.repeat(times))
const piece = fc.oneof(
  { weight: 3, arbitrary: fc.string({ maxLength: 40 }) },
  { weight: 3, arbitrary: fc.constantFrom(...AWKWARD) },
  { weight: 2, arbitrary: fc.string({ unit: 'grapheme', maxLength: 20 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 20 }) },
  { weight: 2, arbitrary: repeated },
)
/** Random text with awkward pieces; may hold lone surrogates. */
export const anyText = ({ maxPieces = 30 } = {}) =>
  fc.array(piece, { maxLength: maxPieces }).map((pieces) => pieces.join(''))
/** Random lines of plain ASCII. */
export const asciiText = ({ maxPieces = 100 } = {}) =>
  fc
    .array(
      fc.oneof(
        fc.string({ unit: 'grapheme-ascii', maxLength: 60 }),
        fc.constant('\n'),
        fc.constant('plain words here\n'),
      ),
      { maxLength: maxPieces },
    )
    .map((pieces) => pieces.join(''))

function circular(value) {
  const circle = { value, list: [{ value }] }
  circle.self = circle
  circle.list.push(circle.list, circle)
  return circle
}
/** Values that plain JSON.stringify renders otherwise, or not at all. */
const odd = fc.oneof(
  fc.anything({
    maxDepth: 3,
    withBigInt: true,
    withBoxedValues: true,
    withDate: true,
    withMap: true,
    withSet: true,
    withNullPrototype: true,
    withTypedArray: true,
    withSparseArray: true,
    stringUnit: 'binary',
  }),
  fc.jsonValue({ maxDepth: 2 }).map(circular),
  fc.tuple(fc.string(), fc.jsonValue({ maxDepth: 1 })).map(([message, cause]) => [new RangeError(message, { cause })]),
  fc.string().map((message) => ({
    a: 1,
    get x() {
      throw new Error(message)
    },
    toJSON: undefined,
  })),
  fc.jsonValue({ maxDepth: 1 }).map((value) => ({ d: { toJSON: (key) => ({ key, value }) }, u: undefined, f() {} })),
  fc.integer({ min: 190, max: 260 }).map((levels) => {
    let value = 'end'
    for (let i = 0; i < levels; i++) value = i % 3 ? [value] : { a: value }
    return value
  }),
  fc.integer({ min: 990, max: 1_100 }).map((gap) => {
    const list = ['a']
    list[gap] = 'z'
    return list
  }),
  fc.constant(undefined).map(() => {
    const { proxy, revoke } = Proxy.revocable({}, {})
    revoke()
    return { proxy }
  }),
  fc
    .uint8Array({ maxLength: 100 })
    .map((bytes) => ({ bytes, buffer: Buffer.from(bytes), text: Buffer.from('héllo\n') })),
)
const records = fc.array(
  fc.record({ id: fc.integer(), name: anyText({ maxPieces: 3 }), tags: fc.array(fc.string(), { maxLength: 3 }) }),
  { maxLength: 60 },
)
const command = fc.record({ stdout: anyText({ maxPieces: 15 }), stderr: anyText({ maxPieces: 5 }), code: fc.integer() })
/** Random values that are no strings and no bytes. */
export const structured = () =>
  fc.oneof(
    { weight: 2, arbitrary: fc.jsonValue({ maxDepth: 4 }) },
    { weight: 2, arbitrary: records },
    { weight: 2, arbitrary: command },
    { weight: 3, arbitrary: odd },
  )
/** Random bytes: binary, or text in some encoding. */
export const anyBytes = () =>
  fc.oneof(
    fc.uint8Array({ maxLength: 2_000 }),
    anyText().map((text) => Buffer.from(text)),
    anyText().map((text) => Buffer.from(`\ufeff${text}`, 'utf16le')),
    asciiText().map((text) => Buffer.from(text, 'utf16le')),
    fc
      .tuple(
        fc.constantFrom([0x89, 0x50, 0x4e, 0x47], [0xff, 0xd8, 0xff], [0x25, 0x50, 0x44, 0x46], [0x1f, 0x8b]),
        fc.uint8Array({ maxLength: 2_000 }),
      )
      .map(([magic, rest]) => Uint8Array.from([...magic, ...rest])),
  )
/** Any value a tool may return. */
export const anyValue = () =>
  fc.oneof(
    { weight: 5, arbitrary: anyText() },
    { weight: 1, arbitrary: asciiText() },
    { weight: 1, arbitrary: records.map((list) => JSON.stringify(list)) },
    { weight: 4, arbitrary: structured() },
    { weight: 2, arbitrary: anyBytes() },
  )
