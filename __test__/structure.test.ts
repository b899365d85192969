// Cuts that stay valid, sketches of nested data, and bytes in other encodings.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { spill, type Truncate, truncate } from '../index.js'
import { act, envelope, numbersIn, setup } from './support/limits.js'
import { underTest } from './support/package.js'
import { numberedLines, structured } from './support/text.js'

const cut = async (value: unknown, options: Omit<Truncate, 'type'>) =>
  (await act(truncate(options), value)).value as string
const isJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
const DROPPED_ITEMS = /^…\[([\d,]+) items? dropped\]$/
const DROPPED_KEYS = /^([\d,]+) keys? dropped$/
const number = (digits: string) => Number(digits.replaceAll(',', ''))

/** Checks that a cut document shows parts of the original, and says exactly how many others it has. */
function compare(shown: unknown, whole: unknown): void {
  if (Array.isArray(shown) && Array.isArray(whole)) {
    const at = shown.findIndex((item) => typeof item === 'string' && DROPPED_ITEMS.test(item))
    const dropped = at < 0 ? 0 : number(DROPPED_ITEMS.exec(shown[at] as string)![1]!)
    if (shown.length === 0) return // no room for a note
    expect(shown.length - (at < 0 ? 0 : 1) + dropped).toBe(whole.length)
    for (const [i, item] of shown.entries()) if (i !== at) compare(item, whole[at < 0 || i < at ? i : i + dropped - 1])
  } else if (isObject(shown) && isObject(whole)) {
    const { '…': note, ...rest } = shown
    const keys = Object.keys(rest)
    if (keys.length === 0 && note === undefined) return
    const dropped = typeof note === 'string' ? number(DROPPED_KEYS.exec(note)![1]!) : 0
    expect(keys.length + dropped).toBe(Object.keys(whole).length)
    for (const key of keys) compare(rest[key], whole[key])
  } else if (typeof shown === 'string' && typeof whole === 'string') {
    const mark = /…(?:\[([\d,]+) chars omitted\])?$/.exec(shown)
    if (shown === whole || shown === '') return
    if (!mark) throw new Error(`neither the string nor a beginning of it: ${shown}`)
    expect(whole.startsWith(shown.slice(0, mark.index))).toBe(true)
    if (mark[1]) expect(mark.index + number(mark[1])).toBe(whole.length)
  } else {
    expect(shown).toEqual(whole)
  }
}
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

describe.skipIf(underTest === 'baseline')('a cut of JSON (the baseline words its notes otherwise)', () => {
  const records = Array.from({ length: 400 }, (_, id) => ({ id, name: `name ${id}`, tags: ['a', 'b'] }))

  it('of 400 records parses for every cap from 2, and shown + dropped = 400', async () => {
    const { limits } = setup()
    const text = JSON.stringify(records)
    for (let maxChars = 2; maxChars < text.length; maxChars += maxChars < 300 ? 1 : 131) {
      const bands = [{ over: 0, action: truncate({ maxChars }) }]
      for (const value of [records, text]) {
        const shown = (await limits.extend({ bands }).reduce(value, { toolName: 'tool' })).value as unknown as string
        expect(shown.length).toBeLessThanOrEqual(maxChars)
        compare(JSON.parse(shown), records)
      }
    }
  })

  it('holds for random documents and caps', async () => {
    const text = fc.string({
      unit: fc.constantFrom('a', '"', '\\', '\n', 'é', '😀', '\u2028', 'e\u0301'),
      maxLength: 60,
    })
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        text,
        fc.integer(),
        fc.boolean(),
        fc.constant(null),
        fc.array(tie('value'), { maxLength: 12 }),
        fc.dictionary(
          text.filter((key) => key !== '__proto__'),
          tie('value'),
          { maxKeys: 6 },
        ),
      ),
    }))
    await fc.assert(
      fc.asyncProperty(
        fc.array(value, { maxLength: 12 }),
        fc.integer({ min: 2, max: 400 }),
        fc.constantFrom(0, 2),
        async (document, maxChars, indent) => {
          const shown = await cut(JSON.stringify(document, null, indent), { maxChars })
          expect(shown.length).toBeLessThanOrEqual(Math.max(maxChars, 2))
          compare(JSON.parse(shown), document)
        },
      ),
      { numRuns: 300 },
    )
  })

  it('of any structured value parses', async () => {
    await fc.assert(
      fc.asyncProperty(structured(), fc.integer({ min: 2, max: 500 }), async (value, maxChars) => {
        const reduction = await act(truncate({ maxChars }), value)
        const first = reduction.reduced ? (reduction.value as string) : ''
        // A number or a word that does not fit has no shorter form.
        if (/^["[{]/.test(first)) expect(isJson(first), first).toBe(true)
      }),
      { numRuns: 150 },
    )
  })

  it('keeps graphemes of shortened strings whole', async () => {
    const family = '👨‍👩‍👧'
    for (let maxChars = 30; maxChars < 120; maxChars += 1) {
      const { text } = JSON.parse(await cut({ text: family.repeat(50) }, { maxChars })) as { text: string }
      expect(text.replace(/….*$/, '').replaceAll(family, ''), String(maxChars)).toBe('')
    }
  })

  it('keeps digits, and all keys of an object where they have room', async () => {
    const text = `{"id":12345678901234567890,"v":1e400,"d":1.10,"long":"${'x'.repeat(500)}"}`
    const shown = await cut(text, { maxChars: 200 })
    expect(shown).toMatch(/^\{"id":12345678901234567890,"v":1e400,"d":1\.10,"long":"x+…/)
  })

  // What JSON.parse takes is JSON, and nothing else is.
  const long = `"${'x'.repeat(300)}"`
  it.each([
    [`[${long}]`],
    [`  [${long}]\n`],
    [`{"a":${long}}`],
    [`[1e5,-0,1E+2,${long}]`],
    [`[[],{},"",${long}]`],
    [`{"a":1,"a":${long}}`],
    [`["\\u00e9\\ud83d\\ude00\\ud83d",${long}]`],
    [`[${long},]`],
    [`[${long}`],
    [`[${long}]]`],
    [`[${long}] done`],
    [`\ufeff[${long}]`],
    [`[${long}] // c`],
    [`{a:${long}}`],
    [`{'a':${long}}`],
    [`[01,${long}]`],
    [`[+1,${long}]`],
    [`[.5,${long}]`],
    [`[1.,${long}]`],
    [`[NaN,${long}]`],
    [`[Infinity,${long}]`],
    [`[undefined,${long}]`],
    [`["\t",${long}]`],
    [`["\\x41",${long}]`],
    [`["\\u12g4",${long}]`],
    [`[True,${long}]`],
    [`{"a" ${long}}`],
    [`{"a":}${long}`],
    [`[,${long}]`],
    [`[${long} ${long}]`],
    [`[\f${long}]`],
    [`{${long}}`],
    [`[\u00a0${long}]`],
    [`["${'y'.repeat(300)}\n"]`],
    [`[1${'0'.repeat(400)},1]`],
    [`${'['.repeat(190)}${long}${']'.repeat(190)}`],
  ])('%.40j: is one exactly where JSON.parse takes the text', async (text) => {
    for (const maxChars of [60, 150]) {
      const shown = await cut(text, { maxChars })
      expect(shown.length).toBeLessThanOrEqual(maxChars)
      if (isJson(text)) expect(isJson(shown), shown).toBe(true)
      else expect(shown, 'the plain cut').toBe(await cut(text, { maxChars, json: 'text' }))
    }
  })

  it("json: 'text' is the plain cut", async () => {
    const shown = await cut(records, { maxChars: 500, json: 'text' })
    expect(isJson(shown)).toBe(false)
    expect(shown.startsWith('[{"id":0,')).toBe(true)
    expect(shown.endsWith('"b"]}]')).toBe(true)
  })

  it('of JSON Lines ends at records', async () => {
    const text = records.map((record) => `${JSON.stringify(record)}\n`).join('')
    for (const strategy of ['head', 'tail', 'head-tail'] as const) {
      const shown = await cut(text, { maxChars: 1_000, strategy })
      const lines = shown.split('\n').filter(Boolean)
      const whole = lines.filter(isJson)
      expect(lines.length - whole.length, shown).toBe(1)
      const kept = whole.reduce((chars, line) => chars + line.length + 1, 0)
      const marker = lines.find((line) => !isJson(line))!
      expect(numbersIn(marker)).toEqual([kept, text.length, text.length - kept])
    }
  })

  it('of CSV ends at rows and keeps the header', async () => {
    const text = `id,name,note\n${numberedLines(500, (n) => `${n},name ${n},"a ""note"", ${n}"`)}`
    for (const strategy of ['head', 'tail', 'head-tail'] as const) {
      const lines = (await cut(text, { maxChars: 800, strategy })).split('\n').filter(Boolean)
      expect(lines[0]).toBe('id,name,note')
      const rows = lines.filter((line) => /^\d+,name \d+,"a ""note"", \d+"$/.test(line))
      expect(lines.length - rows.length).toBe(2)
    }
  })
})

describe.skipIf(underTest === 'baseline')('keepMatching (the baseline has other figures)', () => {
  it('keeps the lines asked for, with their numbers, within the cap', async () => {
    const text = numberedLines(3_001, (n) => (n === 1_501 ? 'error[E0308]: mismatched types' : `ok ${n}`))
    for (const keepMatching of [['error['], /^error\[/, /ERROR/i]) {
      const shown = await cut(text, { maxChars: 1_000, keepMatching })
      expect(shown.length).toBeLessThanOrEqual(1_000)
      expect(shown).toContain('1501: error[E0308]: mismatched types\n')
      expect(shown).toMatch(/^ok 1\n[\s\S]*ok 3001\n$/)
    }
  })

  it('says how many more there are', async () => {
    const shown = await cut(
      numberedLines(3_000, (n) => `error number ${n}`),
      { maxChars: 1_000, keepMatching: ['error'] },
    )
    const kept = shown.split('\n').filter((line) => /^\d+: error number \d+$/.test(line))
    for (const line of kept) expect(line).toMatch(/^(\d+): error number \1$/)
    expect(kept.length + number(/([\d,]+) more/.exec(shown)![1]!)).toBe(3_000)
  })

  it('that matches nothing is the plain cut', async () => {
    const text = numberedLines(3_000)
    expect(await cut(text, { maxChars: 500, keepMatching: ['nowhere'] })).toBe(await cut(text, { maxChars: 500 }))
  })

  it('takes halves of pairs in what is looked for', async () => {
    const text = `${'a\n'.repeat(900)}\uFFFD here\n${'b\n'.repeat(900)}`
    expect(await cut(text, { maxChars: 500, keepMatching: ['\ud83d'] })).toContain('\uFFFD here')
  })
})

describe.skipIf(underTest === 'baseline')('the sketch (the baseline has a simpler one)', () => {
  const shapeOf = async (value: unknown) => envelope((await act(spill({ previewChars: 100 }), value)).value).shape
  const padding = 'p'.repeat(1_500)
  const many = <T>(count: number, item: (n: number) => T) => Array.from({ length: count }, (_, n) => item(n))

  it.each<[string, unknown, string]>([
    [
      'nested items',
      { data: { items: many(5_000, (id) => ({ id, name: 'x' })), next: null } },
      '{data: {items: [5,000 × {id: number, name: string}], next: null}}',
    ],
    [
      'optional keys with their share',
      many(400, (id) => ({ id, ...(id % 4 === 0 && { tag: 'x' }) })),
      '[400 × {id: number, tag? 25%: string}]',
    ],
    [
      'unions, null last',
      many(400, (id) => ({ v: id % 3 === 0 ? null : id % 3 === 1 ? 1 : 'x' })),
      '[400 × {v: number | string | null}]',
    ],
    ['lengths that differ', many(300, (n) => many(n % 4, () => 'abc')), '[300 × [0–3 × string]]'],
    ['three levels', { a: { b: { c: { d: 1, e: 2 } } }, padding }, '{a: {b: {c: {2 keys}}}, padding: string}'],
    [
      'keys that are no words are escaped',
      { 'a b': 1, 'line\nend': 2, padding },
      '{"a b": number, "line\\nend": number, padding: string}',
    ],
    [
      'at most ten keys',
      { ...Object.fromEntries(many(15, (n) => [`k${n}`, n])), padding },
      `{${many(10, (n) => `k${n}: number`).join(', ')}, …6 more}`,
    ],
  ])('%s', async (_, value, shape) => {
    expect(await shapeOf(value)).toBe(shape)
    expect(await shapeOf(JSON.stringify(value)), 'the same for text that is the document').toBe(shape)
  })

  it('is one line of at most 400 chars, whatever the value', async () => {
    await fc.assert(
      fc.asyncProperty(structured(), async (value) => {
        const shape = await shapeOf({ value, padding: 'p'.repeat(3_000) })
        expect(shape!.length).toBeLessThanOrEqual(400)
        expect(shape).not.toMatch(/[\n\r\u0085\u2028\u2029]/)
      }),
      { numRuns: 100 },
    )
  })

  it('is not made of near-JSON', async () => {
    for (const text of [`[1,2] done\n${padding}`, `{"a":1,}${padding}`, `\ufeff{"a":"${padding}"}`])
      expect(await shapeOf(text)).toBeUndefined()
  })
})

describe('bytes in another encoding', () => {
  // "제목: 你好" and the like, as the encodings write them; the rest is ASCII.
  const line = (prefix: Buffer, n: number) => Buffer.concat([prefix, Buffer.from(` line ${n}\n`)])
  const rows = (prefix: Buffer) => Buffer.concat(Array.from({ length: 900 }, (_, n) => line(prefix, n)))
  const utf16 = (text: string, big: boolean) => {
    const bytes = Buffer.from(text, 'utf16le')
    return big ? bytes.swap16() : bytes
  }
  const text = numberedLines(900, (n) => `Grüße line ${n - 1}`)
  it.each<[string, Buffer, string | undefined, string]>([
    ['gbk', rows(Buffer.from('c4e3bac3', 'hex')), 'gbk', '你好 line 5'],
    ['shift_jis', rows(Buffer.from('93fa967b', 'hex')), 'shift_jis', '日本 line 5'],
    ['windows-1252', rows(Buffer.from('4772fcdf65', 'hex')), 'windows-1252', 'Grüße line 5'],
    [
      'UTF-16 LE with a BOM',
      Buffer.concat([Buffer.from('fffe', 'hex'), utf16(text, false)]),
      undefined,
      'Grüße line 5',
    ],
    ['UTF-16 BE with a BOM', Buffer.concat([Buffer.from('feff', 'hex'), utf16(text, true)]), undefined, 'Grüße line 5'],
    ['UTF-16 LE without', utf16(text, false), undefined, 'Grüße line 5'],
    ['UTF-16 BE without', utf16(text, true), undefined, 'Grüße line 5'],
  ])('%s: previewed, paged and searched decoded, stored verbatim', async (_, bytes, charset, shown) => {
    const { limits, store, reduce } = setup()
    const { value, report } = await reduce(bytes, { ...(charset && { charset }) })
    expect(envelope(value).preview).toContain(shown)
    expect(envelope(value).line).toMatch(/900 lines/)
    expect(Buffer.from((await store.read(report.handle!))!).equals(bytes)).toBe(true)
    const page = await limits.read({ handle: report.handle!, offset: 5, limit: 1 })
    expect(page).toMatchObject({ text: `${shown}\n`, totalLines: 900 })
    expect(page.notice).toBeUndefined()
    const found = await limits.read({ handle: report.handle!, pattern: shown.slice(0, 2), limit: 1, offset: 5 })
    expect(found.matches).toMatchObject([{ line: 6, char: 0 }])
  })

  it.skipIf(underTest === 'baseline')(
    'says how much of them its charset does not allow (the baseline does not)',
    async () => {
      const { limits, reduce } = setup()
      const bytes = Buffer.concat([rows(Buffer.from('c4e3', 'hex')), Buffer.from([0xff, 0x0a, 0xff, 0x0a, 0xff])])
      const { value, report } = await reduce(bytes, { charset: 'gbk' })
      expect(envelope(value).line).toMatch(/gbk, 3 invalid byte sequences shown as U\+FFFD/)
      const page = await limits.read({ handle: report.handle!, offset: 900 })
      expect(page.text).toBe('\ufffd\n\ufffd\n\ufffd')
      expect(page.notice).toMatch(/3 invalid byte sequences shown as U\+FFFD/)
    },
  )
})
