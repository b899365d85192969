import { describe, expect, it } from 'vitest'
import { passthrough, truncate } from '../index.js'
import { setup } from './support/limits.js'

const sizeOf = async (text: string, over = 0) =>
  (await setup({ overTokens: true, bands: [{ over, action: passthrough() }] }).reduce(text)).report

describe('the estimate', () => {
  it.each([[0], [1], [3], [4], [7], [4_001], [1_000_003]])(
    'of %i ASCII chars is a quarter, rounded down',
    async (length) => {
      expect(await sizeOf('x'.repeat(length))).toMatchObject({
        unit: 'tokens',
        size: Math.floor(length / 4),
        chars: length,
      })
    },
  )

  it.each([
    ['Han', '漢', 1],
    ['kana', 'か', 1],
    ['Hangul', '한', 1],
    ['emoji', '😀', 2],
    ['Han outside the basic plane', '𠀀', 1],
  ])('of %s is about %s → %i a char', async (_, char, tokens) => {
    const { size } = await sizeOf(char.repeat(10_000))
    expect(size).toBeGreaterThan(tokens * 10_000 * 0.9)
    expect(size).toBeLessThan(tokens * 10_000 * 1.1)
  })

  it.each([
    ['accented Latin', 'é'],
    ['Cyrillic', 'ж'],
    ['Greek', 'λ'],
  ])('of %s is not above one token a char', async (_, char) => {
    const { size } = await sizeOf(char.repeat(10_000))
    expect(size).toBeGreaterThanOrEqual(2_500)
    expect(size).toBeLessThanOrEqual(10_000)
  })

  it('decides the band', async () => {
    const { reduce } = setup({ overTokens: true, bands: [{ over: 9_000, action: truncate({ maxChars: 100 }) }] })
    expect((await reduce('漢'.repeat(10_000))).reduced).toBe(true)
    expect((await reduce('x'.repeat(35_999))).reduced).toBe(false)
    expect((await reduce('x'.repeat(36_000))).reduced).toBe(true)
  })
})

describe('a tokenizer', () => {
  it('measures what was rendered; decision and report use it', async () => {
    const seen: string[] = []
    const { reduce } = setup({
      overTokens: true,
      stripAnsi: true,
      tokenizer: (text) => (seen.push(text), text.length * 2),
      bands: [{ over: 100, action: truncate({ maxChars: 10 }) }],
    })
    const { report } = await reduce({ a: `\x1b[1m${'x'.repeat(100)}` })
    expect(seen).toEqual([`{"a":"${'x'.repeat(100)}"}`])
    expect(report).toMatchObject({ action: 'truncate', unit: 'tokens', size: 216 })
  })

  it('may answer later', async () => {
    const { report } = await setup({
      overTokens: true,
      tokenizer: async () => 77.5,
      bands: [{ over: 70, action: passthrough() }],
    }).reduce('x'.repeat(300))
    expect(report).toMatchObject({ action: 'passthrough', size: 77.5 })
  })

  it('is not called where the length alone decides; the size is then the estimate', async () => {
    let calls = 0
    const { reduce } = setup({
      overTokens: true,
      tokenizer: () => (calls++, 1_000_000),
      bands: [{ over: 100, action: truncate({ maxChars: 10 }) }],
    })
    expect((await reduce('x'.repeat(83))).report).toEqual({
      action: 'none',
      size: 20,
      unit: 'tokens',
      chars: 83,
      fallbacks: [],
    })
    expect((await reduce('漢'.repeat(27))).report).toMatchObject({ action: 'none' })
    expect(calls).toBe(0)
    expect((await reduce('x'.repeat(84))).report).toMatchObject({ action: 'truncate', size: 1_000_000 })
    expect((await reduce('漢'.repeat(28))).report).toMatchObject({ action: 'truncate', size: 1_000_000 })
    expect(calls).toBe(2)
  })

  it('is not called where sizes are chars, or for bytes', async () => {
    let calls = 0
    const tokenizer = () => (calls++, 1)
    await setup({ tokenizer, bands: [{ over: 0, action: passthrough() }] }).reduce('x'.repeat(100))
    await setup({ overTokens: true, tokenizer, bands: [{ over: 0, action: passthrough() }] }).reduce(
      new Uint8Array(100),
    )
    expect(calls).toBe(0)
  })

  it('serves many calls at once', async () => {
    const { reduce } = setup({
      overTokens: true,
      tokenizer: async (text) => text.length,
      bands: [{ over: 10, action: passthrough() }],
    })
    const sizes = await Promise.all(
      Array.from({ length: 100 }, async (_, i) => (await reduce('x'.repeat(100 + i))).report.size),
    )
    expect(sizes).toEqual(Array.from({ length: 100 }, (_, i) => 100 + i))
  })
})
