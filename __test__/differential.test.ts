// The package against its plain JavaScript implementation. More cases: node bench/differential.mjs --cases 10000
import { describe, expect, it } from 'vitest'
import { differential } from '../bench/differential.mjs'
import * as candidate from '../index.js'

const baselineUrl = new URL('../bench/baseline/lib/index.mjs', import.meta.url).href
const cases = Number(process.env.TOL_DIFFERENTIAL_CASES ?? 10_000)
// The same cases every time, so that a run can be compared with the one before; another seed looks elsewhere.
const seed = Number(process.env.TOL_DIFFERENTIAL_SEED ?? 20_260_101)

describe('the package and its baseline', () => {
  it(`do the same for ${cases} random values, options and reads`, async () => {
    const baseline = (await import(/* @vite-ignore */ baselineUrl)) as typeof candidate
    const covered = await differential({ candidate, baseline, cases, seed })
    // A comparison that compares nothing would pass as well.
    expect(covered.cases).toBeGreaterThanOrEqual(cases)
    expect(covered.reduced).toBeGreaterThan(cases / 5)
    expect(covered.spilled).toBeGreaterThan(cases / 10)
    expect(covered.cut).toBeGreaterThan(cases / 20)
    expect(covered.pages).toBeGreaterThan(cases / 4)
  }, 300_000)
})

describe('the comparison', () => {
  /** The package with one fault, which must be found when it is compared with itself. */
  const broken = (change: (limits: candidate.ToolOutputLimits) => Partial<candidate.ToolOutputLimits>) => ({
    ...candidate,
    ToolOutputLimits: class {
      constructor(options: candidate.ToolOutputLimitsOptions) {
        const limits = new candidate.ToolOutputLimits(options)
        const bound = {
          reduce: limits.reduce.bind(limits),
          read: limits.read.bind(limits),
          readToolResult: limits.readToolResult.bind(limits),
          stats: limits.stats.bind(limits),
        }
        Object.assign(this, bound, change(limits))
      }
    },
  })
  it.each<[string, (limits: candidate.ToolOutputLimits) => Partial<candidate.ToolOutputLimits>]>([
    [
      'a reason',
      (limits) => ({
        reduce: async (value, context) => {
          const result = await limits.reduce(value, context)
          for (const fallback of result.report.fallbacks) fallback.reason = 'store_failed'
          return result
        },
      }),
    ],
    [
      'a size',
      (limits) => ({
        reduce: async (value, context) => {
          const result = await limits.reduce(value, context)
          result.report.size++
          return result
        },
      }),
    ],
    [
      'one char of a cut',
      (limits) => ({
        reduce: async (value, context) => {
          const result = await limits.reduce(value, context)
          if (
            result.report.action === 'truncate' &&
            result.reduced &&
            typeof result.value === 'string' &&
            result.value.length > 200
          )
            result.value = `${result.value.slice(0, -1)}#`
          return result
        },
      }),
    ],
    [
      'a preview',
      (limits) => ({
        reduce: async (value, context) => {
          const result = await limits.reduce(value, context)
          if (result.report.handle && typeof result.value === 'string') {
            result.value = `${result.value} `
            result.report.chars++
          }
          return result
        },
      }),
    ],
    [
      'a page',
      (limits) => ({
        read: async (input, context) => {
          const page = await limits.read(input, context)
          return { ...page, text: page.text.replace('a', 'b') }
        },
      }),
    ],
    [
      'a next call',
      (limits) => ({
        read: async (input, context) => {
          const { next: _, ...page } = await limits.read(input, context)
          return page
        },
      }),
    ],
  ])(
    'finds a fault in %s',
    async (_, change) => {
      await expect(
        differential({ candidate: broken(change), baseline: candidate, cases: 400, seed: 7, shrink: false }),
      ).rejects.toThrow(/again with: --seed/)
    },
    60_000,
  )
})
