// Output of a terminal, as it would look on one.
import { describe, expect, it } from 'vitest'
import { type Action, spill, summarize, truncate } from '../index.js'
import { reasons, rendered, setup } from './support/limits.js'
import { underTest } from './support/package.js'

const shown = (text: string) => rendered(text, { terminal: true })

describe.skipIf(underTest === 'baseline')('terminal: true (the baseline collapses with other words)', () => {
  it.each<[string, string, string]>([
    [
      'a progress bar shows its last state',
      `${Array.from({ length: 5_000 }, (_, i) => `\r${i}%`).join('')}\r\ndone`,
      '4999%\r\ndone',
    ],
    ['backspace goes back', 'ab\b\bcd\n', 'cd\n'],
    ['a text without a line end', 'ab\b\bcd', 'cd'],
    ['backspace stops at the beginning', '\b\bx\n', 'x\n'],
    ['a shorter text leaves the rest of a longer one', 'abcdef\rxy\n', 'xycdef\n'],
    ['erase to the end of the line', 'abcdef\rxy\x1b[K\n', 'xy\n'],
    ['erase the line', 'abcdef\x1b[2K\rxy\n', 'xy\n'],
    ['a column is gone to', 'abc\x1b[1Gx\n', 'xbc\n'],
    ['colours go, as with stripAnsi', '\x1b[31mred\x1b[0m\n', 'red\n'],
    ['CR LF stays', 'a\r\nb\r\n', 'a\r\nb\r\n'],
    ['a classic Mac file stays', 'one\rtwo\rthree', 'one\rtwo\rthree'],
    ['text without any of it stays', 'a\n\tb\n中😀\n', 'a\n\tb\n中😀\n'],
  ])('%s', async (_, text, expected) => {
    expect(await shown(text)).toBe(expected)
  })

  it.each<[string, Action, string[]]>([
    ['truncate', truncate(), []],
    ['spill', spill({ previewChars: 5_000 }), ['spill: not_smaller']],
    ['summarize', summarize({ summarize: () => 'y'.repeat(2_500) }), ['summarize: not_smaller']],
  ])('a text that grows by it is never larger for %s', async (_, action, told) => {
    const text = Array.from({ length: 60 }, (_, n) => `${n} Started a service\x1b[200G[ OK ]\n`).join('')
    const { value, reduced, report } = await setup({ terminal: true, bands: [{ over: 10_000, action }] }).reduce(text)
    expect(report.size).toBeGreaterThan(10_000)
    expect([reduced, value === text]).toEqual([false, true])
    expect(reasons(report)).toEqual(told)
    expect(report.chars).toBe(text.length)
  })

  it.each(['json', 'indented-json', 'json-lines'] as const)('nor is a structured value as %s', async (serializer) => {
    const line = (n: number) => `${n} Started a service\x1b[200G[ OK ]\n`
    const value = { log: Array.from({ length: 30 }, (_, n) => line(n)).join(''), more: line(0) }
    const bands = [{ over: 5_000, action: truncate({ maxChars: 20_000 }) }]
    const { reduced, report } = await setup({ terminal: true, serializer, bands }).reduce(value)
    expect(report.size).toBeGreaterThan(5_000)
    expect([reduced, report.chars]).toEqual([false, JSON.stringify(value, null, serializer === 'json' ? 0 : 2).length])
  })

  it('a spinner without any line end leaves nothing', async () => {
    expect((await shown(`x${'⠋ build\x1b[1G\x1b[2K'.repeat(1_000)}`))!.trim()).toBe('')
  })

  it('a spinner leaves one empty line', async () => {
    expect((await shown(`${'⠋ build\x1b[1G\x1b[2K'.repeat(1_000)}\n`))!.trim()).toBe('')
  })

  it('a run of the same line becomes one with the exact count', async () => {
    const text = (await shown(`start\n${'WARN retry\n'.repeat(10_000)}end\n`))!
    const lines = text.trimEnd().split('\n')
    expect(lines.length).toBeLessThanOrEqual(5)
    expect(lines[0]).toBe('start')
    expect(lines[1]).toBe('WARN retry')
    expect(lines.at(-1)).toBe('end')
    expect(text).toMatch(/\b(10,000|9,999)\b/)
  })

  it('what is rendered is measured, stored and read back', async () => {
    const { limits, reduce } = setup({ terminal: true })
    const progress = Array.from({ length: 5_000 }, (_, i) => `\rstep ${i}`).join('')
    const small = await reduce(`${progress}\ndone\n`)
    expect(small.report).toMatchObject({ action: 'none', size: 'step 4999\ndone\n'.length })
    const lines = Array.from({ length: 2_000 }, (_, n) => `x\rline ${n}\n`).join('')
    const { report } = await reduce(lines, { toolCallId: 'other' })
    const page = await limits.read({ handle: report.handle!, limit: 2 })
    expect(page).toMatchObject({ text: 'line 0\nline 1\n', totalLines: 2_000 })
  })

  it('reaches every string of a structured value', async () => {
    expect(await rendered({ stdout: 'ab\b\bcd\n', code: 0 }, { terminal: true })).toBe('{"stdout":"cd\\n","code":0}')
  })
})
