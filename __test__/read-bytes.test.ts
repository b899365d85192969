import { describe, expect, it } from 'vitest'
import { LocalFileStore, type Warning } from '../index.js'
import { pagesFrom, readBack, setup } from './support/limits.js'
import { beyondBaseline } from './support/package.js'
import { numberedLines } from './support/text.js'

const binary = (length: number) => Uint8Array.from({ length }, (_, i) => (i * 7 + 128) & 255)
/** Limits whose handles must be read as another process would: nothing is remembered. */
const elsewhere = (root: string) => setup({ store: new LocalFileStore({ root }) }).limits

describe('bytes that are not text', () => {
  it('show size, type and a hex dump of the range asked for', async () => {
    const { limits, root, reduce } = setup()
    const png = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), binary(12_000)])
    const { report } = await reduce(png)
    for (const reader of [limits, elsewhere(root)]) {
      const page = await reader.read({ handle: report.handle!, limit: 2 })
      expect(page).toMatchObject({
        found: true,
        firstLine: 1,
        lastLine: 2,
        totalLines: Math.ceil(png.length / 16),
        next: { offset: 2, limit: 2 },
      })
      expect(page.notice).toContain('image/png')
      expect(page.notice).toContain('12,008')
      const [first, second] = page.text.split('\n')
      expect(first).toMatch(/^0+ +89 50 4e 47 0d 0a 1a 0a /)
      expect(second).toMatch(/^0+10 /)
    }
  })

  it('dump every byte once when next is followed', async () => {
    const bytes = binary(11_111)
    const { limits, reduce } = setup()
    const { report } = await reduce(bytes)
    const pages = await pagesFrom(limits, { handle: report.handle!, limit: 300 })
    const dumped = pages.flatMap((page) =>
      page.text
        .trimEnd()
        .split('\n')
        .flatMap((row) =>
          row
            .slice(10, 58)
            .trim()
            .split(/ +/)
            .map((hex) => Number.parseInt(hex, 16)),
        ),
    )
    expect(Buffer.from(dumped).equals(Buffer.from(bytes))).toBe(true)
  })

  it('are dumped from the end, and past the end is said', async () => {
    const { limits, reduce } = setup()
    const { report } = await reduce(binary(16_000))
    expect(await limits.read({ handle: report.handle!, from_end: true, limit: 1 })).toMatchObject({
      firstLine: 1_000,
      lastLine: 1_000,
    })
    const past = await limits.read({ handle: report.handle!, offset: 1_000 })
    expect(past.text).toBe('')
    expect(past.notice).toContain('999')
  })

  it('answer a pattern with a line saying that they cannot be searched', async () => {
    const { limits, reduce } = setup()
    const { report } = await reduce(binary(16_000))
    const page = await limits.read({ handle: report.handle!, pattern: 'PNG' })
    expect(page.notice).toMatch(/search/i)
    expect(page.matches).toBeUndefined()
  })

  it('show no control chars', async () => {
    const { limits, reduce } = setup()
    const { report } = await reduce(Buffer.concat([Buffer.from([0, 1, 2]), Buffer.alloc(20_000, 27)]))
    const answer = await limits.readToolResult().execute({ handle: report.handle })
    expect(answer).not.toMatch(/[^\n\r\t\x20-\x7e\u2013\u2026]/)
  })
})

describe('bytes that are text', () => {
  const text = numberedLines(3_000, (n) => `Zeile ${n} äöü 漢字 😀`)
  it.each([
    ['UTF-8', Buffer.from(text), undefined, text],
    ['UTF-8 with BOM', Buffer.from(`\ufeff${text}`), undefined, `\ufeff${text}`],
    ['UTF-16LE with BOM', Buffer.from(`\ufeff${text}`, 'utf16le'), undefined, text],
    ['UTF-16BE with BOM', Buffer.from(`\ufeff${text}`, 'utf16le').swap16(), undefined, text],
    ['UTF-16LE, named', Buffer.from(text, 'utf16le'), 'utf-16le', text],
    ['UTF-16BE without BOM', Buffer.from(numberedLines(2_000), 'utf16le').swap16(), undefined, numberedLines(2_000)],
  ])('are read decoded and searched: %s', async (_, bytes, charset, decoded) => {
    const { limits, root, reduce } = setup()
    const { report } = await reduce(bytes, { charset })
    for (const reader of [limits, elsewhere(root)]) {
      expect((await readBack(reader, report.handle)).replace(/^\ufeff/, '')).toBe(decoded.replace(/^\ufeff/, ''))
      const { matches } = await reader.read({ handle: report.handle!, pattern: ' 1234' })
      expect(matches).toMatchObject([{ line: 1_234 }])
    }
  })

  it.each([
    ['windows-1252', 'latin1', [0xe9, 0xe8], 'éè'],
    ['gbk', 'GBK', [0xba, 0xba, 0xd7, 0xd6], '汉字'],
    ['shift_jis', 'shift-jis', [0x8a, 0xbf, 0x8e, 0x9a], '漢字'],
    ['euc-kr', 'ks_c_5601-1987', [0xc7, 0xd1, 0xb1, 0xdb], '한글'],
    ['koi8-r', 'koi8', [0xd2, 0xd5], 'ру'],
  ])('in charset %s, given as %s, keep it in their handle', async (name, label, sample, decoded) => {
    const { limits, root, reduce } = setup()
    const bytes = Buffer.concat([Buffer.from(sample), Buffer.from(`\n${numberedLines(3_000)}`)])
    const { report } = await reduce(bytes, { charset: label })
    expect(report.handle).toBe(`run/call.0.bin-${name}`)
    for (const reader of [limits, elsewhere(root)])
      expect((await reader.read({ handle: report.handle!, limit: 1 })).text).toBe(`${decoded}\n`)
  })

  beyondBaseline('in windows-1252 have the signs that Latin-1 has not', async () => {
    const { limits, reduce } = setup()
    const { report } = await reduce(
      Buffer.concat([Buffer.from([0x80, 0x93, 0x94]), Buffer.from(`\n${numberedLines(3_000)}`)]),
      { charset: 'latin1' },
    )
    expect((await limits.read({ handle: report.handle!, limit: 1 })).text).toBe('€“”\n')
  })

  it('with an unknown charset are stored without it', async () => {
    const { reduce } = setup()
    expect((await reduce(Buffer.from(text), { charset: 'klingon' })).report.handle).toBe('run/call.0.bin')
  })

  beyondBaseline('with an unknown charset give a warning', async () => {
    const { reduce, warnings } = setup()
    await reduce(Buffer.from(text), { charset: 'klingon' })
    expect(warnings.map((warning: Warning) => warning.message).join()).toContain('klingon')
  })

  it('show no control chars but LF, CR and tab: C0 as their pictures, C1 as U+FFFD, char for char', async () => {
    const raw = `a\x1b[31mb\tc\r\n\x07\u0085\u009b\n${numberedLines(3_000)}`
    const { limits, reduce } = setup()
    const { report } = await reduce(Buffer.from(raw))
    const page = await limits.read({ handle: report.handle!, limit: 2 })
    expect(page.text).toBe('a\u241b[31mb\tc\r\n\u2407\ufffd\ufffd\n')
    expect(page.chars).toBe(raw.split('line 1')[0]!.length)
  })

  it('show no control chars where they come later than what was looked at', async () => {
    const { limits, reduce } = setup()
    const { report } = await reduce(Buffer.from(`${`${'x'.repeat(99)}\n`.repeat(1_000)}a\0b\x7fc\x1ad\n`))
    expect((await limits.read({ handle: report.handle!, from_end: true, limit: 1 })).text).toBe(
      'a\u2400b\u2421c\u241ad\n',
    )
  })

  it('spilled as a string keep their control chars', async () => {
    const raw = `a\x1b[31mb\x07\n${numberedLines(3_000)}`
    const { limits, root, reduce } = setup()
    const { report } = await reduce(raw)
    for (const reader of [limits, elsewhere(root)])
      expect((await reader.read({ handle: report.handle!, limit: 1 })).text).toBe('a\x1b[31mb\x07\n')
  })

  it('that turn out broken later on are still answered', async () => {
    const { limits, reduce } = setup()
    const bytes = Buffer.concat([
      Buffer.from('x\n'.repeat(200_000)),
      Buffer.from([0xff, 0xfe, 0x80]),
      Buffer.from('\nend\n'),
    ])
    const { report } = await reduce(bytes)
    const page = await limits.read({ handle: report.handle!, from_end: true, limit: 1 })
    expect(page.found).toBe(true)
    expect(page.text).toBe('end\n')
  })
})
