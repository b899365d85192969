import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { LocalFileStore, spill, ToolOutputLimits, truncate, type Warning } from '../index.js'
import { act, envelope, numbersIn, readBack, reasons, setup } from './support/limits.js'
import { beyondBaseline } from './support/package.js'
import { keysOf, newRoot, storedText } from './support/roots.js'
import { grouped, isWellFormed, numberedLines, wellFormed } from './support/text.js'

const log = numberedLines(2_000, (n) => `${n} some log line`)
const plain = (previewChars?: number) =>
  spill({ highlights: false, ...(previewChars !== undefined && { previewChars }) })

describe('what is stored', () => {
  it('is the text as UTF-8 under the handle of the report', async () => {
    const { root, reduce } = setup()
    const { report, value, reduced } = await reduce(log)
    expect(reduced).toBe(true)
    expect(report).toMatchObject({
      action: 'spill',
      handle: 'run/call.0',
      size: log.length,
      unit: 'chars',
      bytes: Buffer.byteLength(log),
      chars: value.length,
      fallbacks: [],
    })
    expect(storedText(root, 'run/call.0')).toBe(log)
    expect(keysOf(root)).toEqual(['run/call.0'])
  })

  it.each([
    ['non-ASCII text', '漢字 😀 é\n'.repeat(2_000)],
    ['a BOM', `\ufeff${'a,b,c\r\n'.repeat(3_000)}`],
    ['CRLF and lone CR', 'a\r\nb\rc\n'.repeat(3_000)],
    ['control chars', '\0\x01\x1b[31m\x7f\u0085'.repeat(3_000)],
    ['text that looks like templates', "$& $' $` $1 $$ {output} {tool_name} {{x}} %s %d\n".repeat(500)],
  ])('keeps every char: %s', async (_, text) => {
    const { limits, root, reduce } = setup()
    const { report } = await reduce(text)
    expect(storedText(root, report.handle!)).toBe(text)
    expect(await readBack(limits, report.handle)).toBe(text)
  })

  it('is well-formed: a lone surrogate becomes U+FFFD, in preview and store, and is counted', async () => {
    const text = `a\ud83d${'b'.repeat(20_000)}`
    const { root, reduce } = setup({ bands: [{ over: 10_000, action: plain() }] })
    const { value, report } = await reduce(text)
    expect(report.replaced).toBe(1)
    expect(storedText(root, report.handle!)).toBe(wellFormed(text))
    expect(isWellFormed(value)).toBe(true)
    expect(envelope(value).preview.startsWith('a\ufffdbb')).toBe(true)
  })

  it('are bytes, verbatim', async () => {
    const bytes = Uint8Array.from({ length: 20_000 }, (_, i) => (i * 7) & 255)
    const { root, reduce } = setup()
    const { report } = await reduce(bytes)
    expect(report).toMatchObject({ handle: 'run/call.0.bin', unit: 'bytes', size: 20_000, bytes: 20_000 })
    expect(readFileSync(path.join(root, report.handle!))).toEqual(Buffer.from(bytes))
  })

  it('is JSON text as it came: digits, duplicate keys and spacing survive', async () => {
    const json = `{"id":12345678901234567890,"v":1e400,"z":-0,"d":1.10, "d" : 2,"pad":"${'x'.repeat(20_000)}"}`
    const { limits, reduce } = setup()
    const { value, report } = await reduce(json)
    expect(envelope(value).preview.startsWith('{"id":12345678901234567890,"v":1e400,"z":-0,"d":1.10, "d" : 2')).toBe(
      true,
    )
    expect(await readBack(limits, report.handle)).toBe(json)
  })

  it('is a structured value as it was rendered', async () => {
    const value = { items: Array.from({ length: 2_000 }, (_, i) => ({ i })) }
    const { root, reduce } = setup({ serializer: 'indented-json' })
    const { report } = await reduce(value)
    expect(storedText(root, report.handle!)).toBe(JSON.stringify(value, null, 2))
  })
})

describe('the envelope', () => {
  it('says in its first line that the output is incomplete, its size, its handle and the exact call', async () => {
    const { value } = await setup({ bands: [{ over: 10_000, action: plain() }] }).reduce(log)
    const { line, figures, tool, input } = envelope(value)
    expect(line).toMatch(/incomplete/i)
    expect(figures).toEqual([log.length, 2_000])
    expect(line).toContain(`${grouped(log.length)} chars`)
    expect(line).toContain('2,000 lines')
    expect(line).toContain('"run/call.0"')
    expect(tool).toBe('read_tool_result')
    expect(input).toMatchObject({ handle: 'run/call.0' })
  })

  it('has a call that works as it stands', async () => {
    const { limits, reduce } = setup()
    const { input, tool } = envelope((await reduce(log)).value)
    const reader = limits.readToolResult()
    expect(reader.name).toBe(tool)
    const answer = await reader.execute(input)
    expect(answer).toContain('\n1 some log line\n2 some log line\n')
  })

  it('states the measured tokens where sizes are tokens', async () => {
    const { value, report } = await setup({
      overTokens: true,
      bands: [{ over: 100, action: plain() }],
      tokenizer: () => 4_321,
    }).reduce(log)
    expect(report).toMatchObject({ size: 4_321, unit: 'tokens' })
    expect(envelope(value).figures).toEqual([4_321, log.length, 2_000])
    expect(value).toContain('4,321 tokens')
  })

  it.each([
    ['image/png', [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]],
    ['image/jpeg', [0xff, 0xd8, 0xff, 0xe0]],
    ['application/pdf', [0x25, 0x50, 0x44, 0x46, 0x2d, 0x00]],
    ['application/zip', [0x50, 0x4b, 0x03, 0x04]],
    ['application/gzip', [0x1f, 0x8b, 0x08]],
  ])('says of bytes how many there are and what they are: %s', async (type, magic) => {
    const bytes = new Uint8Array(30_000)
    bytes.set(magic)
    const { value } = await setup({ bands: [{ over: 10_000, action: plain() }] }).reduce(bytes)
    const { line, preview } = envelope(value)
    expect(line).toContain('30,000 bytes')
    expect(line).toContain(type)
    expect(preview).toBe('')
  })

  it.each([
    ['UTF-8', Buffer.from(numberedLines(3_000)), undefined],
    ['UTF-8 with BOM', Buffer.from(`\ufeff${numberedLines(3_000)}`), undefined],
    ['UTF-16LE with BOM', Buffer.from(`\ufeff${numberedLines(3_000)}`, 'utf16le'), undefined],
    ['UTF-16LE without BOM', Buffer.from(numberedLines(3_000), 'utf16le'), undefined],
    ['the given charset', Buffer.concat([Buffer.from([0xe9, 0xe8]), Buffer.from(numberedLines(3_000))]), 'latin1'],
  ])('previews bytes that are text decoded: %s', async (_, bytes, charset) => {
    const { value } = await setup({ bands: [{ over: 10_000, action: plain(200) }] }).reduce(bytes, { charset })
    const { preview, line } = envelope(value)
    expect(preview).toContain('line 1\nline 2\n')
    expect(preview).toContain('line 2999\nline 3000\n')
    if (charset) expect(preview.startsWith('éè')).toBe(true)
    expect(line).toContain(`${grouped(bytes.length)} bytes`)
  })

  it('is the same for the same input and options', async () => {
    const once = async () =>
      (await setup({ bands: [{ over: 100, action: spill() }] }).reduce({ log, n: [1, 2, 3] })).value
    expect(await once()).toBe(await once())
  })

  it('names the read tool as configured', async () => {
    const { limits, reduce } = setup({ readTool: { name: 'peek' } })
    const { value } = await reduce(log)
    expect(envelope(value).tool).toBe('peek')
    expect(value).not.toContain('read_tool_result')
    const reader = limits.readToolResult()
    expect(reader.name).toBe('peek')
    expect(reader.description).not.toContain('read_tool_result')
    expect(await reader.execute({ handle: 'run/call.0', limit: 1 })).not.toContain('read_tool_result')
  })

  it.each([
    ['quote and backslash in the tool name', 'a"b\\c'],
    ['line separators in the tool name', 'a\u2028b\u0085c\nd'],
  ])('stays one line whatever the names are: %s', async (_, toolName) => {
    const { value } = await setup().reduce(log, { toolName, runId: 'r"\n\u2028', toolCallId: '\\"' })
    const { line, input } = envelope(value)
    expect(line).not.toMatch(/[\u0085\u2028\u2029]/)
    expect(typeof input.handle).toBe('string')
  })
})

describe('the shape', () => {
  const shapeOf = async (value: unknown) =>
    envelope((await setup({ bands: [{ over: 100, action: plain(0) }] }).reduce(value)).value).shape

  it('names nested keys, array lengths and the fields of elements', async () => {
    const shape = await shapeOf({
      data: { items: Array.from({ length: 5_000 }, (_, i) => ({ id: i, title: `t${i}` })), next: null },
    })
    expect(shape).toMatch(/data/)
    expect(shape).toMatch(/items/)
    expect(shape).toContain('5,000')
    expect(shape).toMatch(/id/)
    expect(shape).toMatch(/title/)
    expect(shape).toMatch(/next/)
  })

  it('is there for text that is a JSON document, and only for it', async () => {
    expect(await shapeOf(JSON.stringify({ rows: Array.from({ length: 500 }, (_, i) => [i]) }))).toContain('rows')
    expect(await shapeOf(log)).toBeUndefined()
    expect(await shapeOf(`{"broken": [${'1,'.repeat(2_000)}`)).toBeUndefined()
  })

  it('is one line of at most 400 chars with at most 10 keys a level and says how many more', async () => {
    const wide = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`k${i}`, i]))
    const shape = (await shapeOf(wide))!
    expect(shape.match(/\bk\d+/g)).toHaveLength(10)
    expect(numbersIn(shape.replaceAll(/\bk\d+/g, ''))).toContain(290)
    const long = await shapeOf(
      Object.fromEntries(
        Array.from({ length: 10 }, (_, i) => [`${i}`.repeat(100), { a: 'x'.repeat(900), ['\n"'.repeat(40)]: 1 }]),
      ),
    )
    expect(long!.length).toBeLessThanOrEqual(400)
  })

  it('escapes key names as JSON does', async () => {
    const shape = await shapeOf({ 'a\n"b\u2028': 'x'.repeat(5_000) })
    expect(shape).toContain('"a\\n\\"b')
    expect(shape).not.toMatch(/[\n\u2028]/)
  })

  it('goes three levels deep', async () => {
    const shape = await shapeOf({ one: { two: { three: { four: 'x'.repeat(5_000) } } } })
    expect(shape).toMatch(/one.*two.*three/)
    expect(shape).not.toContain('four')
  })
})

describe('the preview', () => {
  const previewOf = async (text: string, previewChars: number) =>
    envelope((await setup({ bands: [{ over: 0, action: plain(previewChars) }] }).reduce(text)).value).preview
  const letters = 'abcdefghijklmnopqrstuvwxyz'.repeat(800)

  it.each([[1_000], [999], [7], [2], [1]])(
    'of %i chars shows the floor of half from the start and the rest from the end',
    async (previewChars) => {
      const preview = await previewOf(letters, previewChars)
      const found = /\n?\.\.\.\[([\d,]+) chars omitted\]\.\.\.\n?/.exec(preview)!
      const first = Math.floor(previewChars / 2)
      expect(preview.slice(0, found.index)).toBe(letters.slice(0, first))
      expect(preview.slice(found.index + found[0].length)).toBe(letters.slice(letters.length - (previewChars - first)))
      expect(numbersIn(found[1]!)).toEqual([letters.length - previewChars])
    },
  )

  it('of 0 chars is none: the envelope is its header, shorter than the input', async () => {
    const { value } = await setup({ bands: [{ over: 0, action: plain(0) }] }).reduce('x'.repeat(20_000))
    expect(envelope(value).preview).toBe('')
    expect(value.length).toBeLessThan(600)
  })

  it('defaults to 1,000 chars', async () => {
    const { preview } = envelope(
      (await setup({ bands: [{ over: 0, action: spill({ highlights: false }) }] }).reduce(letters)).value,
    )
    expect(preview.startsWith(letters.slice(0, 500))).toBe(true)
    expect(preview.endsWith(letters.slice(-500))).toBe(true)
    expect(preview.length).toBeLessThan(1_060)
  })

  it.each([[5], [6], [7], [8], [100], [101]])(
    'splits no surrogate pair: %i chars of emoji, shifted or not',
    async (previewChars) => {
      for (const shift of ['', 'x']) {
        const text = shift + '😀'.repeat(5_000)
        const preview = await previewOf(text, previewChars)
        expect(isWellFormed(preview)).toBe(true)
        const [omitted] = numbersIn(/\[([\d,]+) chars omitted\]/.exec(preview)![1]!)
        expect(text.length - omitted!).toBeLessThanOrEqual(previewChars)
      }
    },
  )

  it('shows the start and the end of one giant line', async () => {
    for (const end of ['', '\n']) {
      const text = `{"a":"${'x'.repeat(100_000)}"}${end}`
      const preview = await previewOf(text, 1_000)
      expect(preview.startsWith('{"a":"xxx')).toBe(true)
      expect(preview.endsWith(`xxx"}${end}`)).toBe(true)
    }
  })

  it('is byte-exact for text that looks like a template', async () => {
    const text = "$& $' $` $1 {output} {tool_name} {{x}} %s\n".repeat(500)
    expect((await previewOf(text, 200)).startsWith(text.slice(0, 100))).toBe(true)
  })

  it('of decoded bytes shows no control chars but line feed, carriage return and tab', async () => {
    const bytes = Buffer.from(`a\x1b[31mb\tc\r\n${numberedLines(3_000)}`)
    const { value } = await setup({ bands: [{ over: 0, action: plain(300) }] }).reduce(bytes)
    expect(envelope(value).preview.startsWith('a\u241b[31mb\tc\r\nline 1\n')).toBe(true)
  })
})

describe('never larger', () => {
  it('an envelope that would not be shorter leaves the value as it is, and no file', async () => {
    const { root, reduce } = setup({
      bands: [{ over: 10_000, action: spill({ previewChars: 10_000, fallback: truncate() }) }],
    })
    const text = 'x'.repeat(10_001)
    const { value, reduced, report } = await reduce(text)
    expect({ value, reduced, action: report.action }).toEqual({ value: text, reduced: false, action: 'passthrough' })
    expect(reasons(report)).toEqual(['spill: not_smaller'])
    expect(keysOf(root).filter((key) => !key.endsWith('/'))).toEqual([])
  })

  it('holds at every size around the break-even', async () => {
    const { root, reduce } = setup({ bands: [{ over: 0, action: plain(0) }] })
    let spilled = 0
    for (let size = 0; size < 400; size += 3) {
      const text = 'x'.repeat(size)
      const { value, reduced, report } = await reduce(text, { toolCallId: `c${size}` })
      expect(reduced, `${size}`).toBe(report.handle !== undefined)
      if (reduced) spilled++
      if (reduced) expect(value.length, `${size}`).toBeLessThan(size)
      else expect(value, `${size}`).toBe(text)
    }
    expect(spilled).toBeGreaterThan(0)
    expect(keysOf(root).filter((key) => !key.endsWith('/'))).toHaveLength(spilled)
  })

  beyondBaseline('takes nothing away under a handle that the same bytes may have had before', async () => {
    const files = new Map<string, Uint8Array>()
    const store = {
      write: (_key: string, data: Uint8Array) => {
        const handle = createHash('sha256').update(data).digest('hex')
        files.set(handle, data.slice())
        return handle
      },
      read: (handle: string) => files.get(handle),
      delete: (handle: string) => void files.delete(handle),
    }
    const text = 'x'.repeat(1_500)
    const { report } = await setup({ store, bands: [{ over: 0, action: plain(0) }] }).reduce(text)
    // Another process knows nothing of it: so does this one of another object.
    const { reduce, limits } = setup({ store: { ...store }, bands: [{ over: 0, action: plain(1_400) }] })
    expect(reasons((await reduce(text)).report)).toEqual(['spill: not_smaller'])
    expect((await limits.read({ handle: report.handle! })).text).toBe(text)
  })

  it('deletes the new file of a store whose handle could not be foretold', async () => {
    const files = new Map<string, Uint8Array>()
    const long = 'h'.repeat(500)
    const store = {
      write: (key: string, data: Uint8Array) => (files.set(long + key, data), long + key),
      read: (handle: string) => files.get(handle),
      delete: (handle: string) => void files.delete(handle),
    }
    const { reduce } = setup({ store, bands: [{ over: 0, action: plain(0) }] })
    const { reduced, report } = await reduce('x'.repeat(800))
    expect(reduced).toBe(false)
    expect(reasons(report)).toEqual(['spill: not_smaller'])
    expect(files.size).toBe(0)
  })

  it.each([
    ['empty text', ''],
    ['a lone BOM', '\ufeff'],
    ['empty bytes', new Uint8Array()],
    ['an empty object', {}],
    ['an empty array', []],
  ])('an empty value is not spilled: %s', async (_, value) => {
    const { root, reduce } = setup({ bands: [{ over: 0, action: spill() }] })
    const result = await reduce(value)
    expect(result.value).toBe(value)
    expect(result.reduced).toBe(false)
    expect(keysOf(root).filter((key) => !key.endsWith('/'))).toEqual([])
  })
})

describe('the read tool', () => {
  it('disabled: no handle is offered and the fallback runs', async () => {
    const { root, reduce } = setup({
      readTool: { enabled: false },
      bands: [{ over: 100, action: spill({ fallback: truncate({ maxChars: 50 }) }) }],
    })
    const { value, report } = await reduce(log)
    expect(value.length).toBeLessThanOrEqual(50)
    expect(report).toMatchObject({ action: 'truncate', fallbacks: [{ action: 'spill', reason: 'no_read_tool' }] })
    expect(report.handle).toBeUndefined()
    expect(existsSync(root)).toBe(false)
  })

  beyondBaseline('never asked for: the first spill warns once', async () => {
    const warnings: Warning[] = []
    const limits = new ToolOutputLimits({
      store: new LocalFileStore({ root: newRoot() }),
      onWarning: (w) => void warnings.push(w),
    })
    await limits.reduce(log, { toolName: 'a' })
    await limits.reduce(log, { toolName: 'b' })
    expect(warnings).toHaveLength(1)
    expect(warnings[0]!.code).toMatch(/^TOL_/)
  })
})

describe('a forged envelope', () => {
  it('is text like any other, and its handle means nothing', async () => {
    const { limits, root, reduce } = setup()
    const real = (await reduce(log, { toolCallId: 'real' })).value
    const forged = real.replaceAll('run/real.0', 'run/forged.0') + 'y'.repeat(50_000)
    const { value, report, reduced } = await reduce(forged, { toolCallId: 'later' })
    expect(reduced).toBe(true)
    expect(envelope(value).input.handle).toBe('run/later.0')
    expect(storedText(root, report.handle!)).toBe(forged)
    expect(await limits.read({ handle: 'run/forged.0' })).toMatchObject({ found: false, problem: 'unknown' })
  })

  it('that is small stays untouched', async () => {
    const { reduce } = setup()
    const real = (await reduce(log)).value
    const { value, reduced, metadata } = await reduce(real, { toolCallId: 'again' })
    expect({ value, reduced, metadata }).toEqual({ value: real, reduced: false, metadata: undefined })
  })
})

describe('the report', () => {
  it('counts the chars of the output and the bytes of the store', async () => {
    const text = '漢'.repeat(20_000)
    const { value, report } = await act(spill(), text)
    expect(report.chars).toBe(value.length)
    expect(report.bytes).toBe(60_000)
  })
})
