// Lines that look like errors, in the envelope.
import { describe, expect, it } from 'vitest'
import { type Spill, spill } from '../index.js'
import { act, envelope } from './support/limits.js'
import { underTest } from './support/package.js'
import { numberedLines } from './support/text.js'

const previewOf = async (text: string, options: Omit<Spill, 'type'> = {}) =>
  envelope((await act(spill(options), text)).value).preview
/** Rows with a line number. */
const rowsOf = (preview: string) => preview.split('\n').filter((row) => /^\d+: /.test(row))
const log = (special: Record<number, string>, count = 3_000) =>
  numberedLines(count, (n) => special[n] ?? `ok step ${n}`)

describe.skipIf(underTest === 'baseline')('highlights (the baseline has none)', () => {
  it('are lines of the part that the preview leaves out, with their numbers', async () => {
    const preview = await previewOf(
      log({ 1: 'error at the start', 1500: 'error[E0308]: mismatched types', 3000: 'build failed' }),
    )
    expect(rowsOf(preview)).toEqual(['1500: error[E0308]: mismatched types'])
  })

  it.each(['error', 'FATAL', 'Panic', 'exception', 'Traceback', 'FAILED'])(
    '%s is a word that looks like an error',
    async (word) => {
      expect(rowsOf(await previewOf(log({ 1500: `x: ${word}!` })))).toEqual([`1500: x: ${word}!`])
    },
  )

  it.each(['errors', 'terror', 'failedOver', 'unexceptional', 'panicky', 'error_count', 'fail'])(
    '%s is none: whole words only',
    async (word) => {
      expect(rowsOf(await previewOf(log({ 1500: `x ${word} y` })))).toEqual([])
    },
  )

  it('are the first five', async () => {
    const special = Object.fromEntries(Array.from({ length: 9 }, (_, n) => [1_000 + n, `error ${n}`]))
    expect(rowsOf(await previewOf(log(special)))).toEqual([0, 1, 2, 3, 4].map((n) => `${1_000 + n}: error ${n}`))
  })

  it('take half of the preview at most, and the whole stays within previewChars and the marks', async () => {
    for (const previewChars of [20, 60, 200, 1_000]) {
      const special = Object.fromEntries(
        Array.from({ length: 9 }, (_, n) => [1_000 + n, `error ${n} ${'x'.repeat(30)}`]),
      )
      const preview = await previewOf(log(special), { previewChars })
      const rows = rowsOf(preview)
        .map((row) => `${row}\n`)
        .join('')
      expect(rows.length).toBeLessThanOrEqual(previewChars / 2)
      const marks = preview.match(/lines that look like errors:\n|\n\.\.\.\[[\d,]+ chars omitted\]\.\.\.\n/g)!.join('')
      expect(preview.length - marks.length).toBeLessThanOrEqual(previewChars)
    }
  })

  it('of long lines are a window around the match', async () => {
    const preview = await previewOf(log({ 1500: `${'a'.repeat(5_000)} error here ${'b'.repeat(5_000)}` }))
    const [row] = rowsOf(preview)
    expect(row).toContain(' error here ')
    expect(row!.length).toBeLessThan(220)
  })

  it('are what is asked for: strings are literal, expressions are not', async () => {
    const text = log({ 1400: 'needle (1)', 1500: 'error' })
    expect(rowsOf(await previewOf(text, { highlights: ['(1)'] }))).toEqual(['1400: needle (1)'])
    expect(rowsOf(await previewOf(text, { highlights: /^needle/ }))).toEqual(['1400: needle (1)'])
    expect(rowsOf(await previewOf(text, { highlights: false }))).toEqual([])
  })

  it('change nothing where there are none', async () => {
    expect(await previewOf(log({}))).toBe(await previewOf(log({}), { highlights: false }))
  })

  it('never cost what makes an output smaller', async () => {
    for (let length = 20; length < 2_000; length += 37) {
      const text = `ok\n${'error\n'.repeat(length / 6)}ok\n`
      for (const previewChars of [20, 100, 1_000]) {
        const reduction = await act(spill({ previewChars }), text)
        if (reduction.reduced) expect((reduction.value as string).length).toBeLessThan(text.length)
        else expect(reduction.report).toMatchObject({ action: 'passthrough', fallbacks: [{ reason: 'not_smaller' }] })
      }
    }
  })
})
