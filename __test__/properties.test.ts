// What is always true, over random values and options.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type Action,
  type PartReport,
  passthrough,
  spill,
  summarize,
  type ToolOutputLimitsOptions,
  type TruncateOptions,
  truncate,
} from '../index.js'
import { readBack, rendered, type Setup, setup } from './support/limits.js'
import { keysOf, storedText } from './support/roots.js'
import { anyText, anyValue, isWellFormed, loneSurrogates, structured, wellFormed } from './support/text.js'

/** Runs of each property; more on request. */
const numRuns = Number(process.env.TOL_PROPERTY_RUNS ?? 100)

const strategies = fc.constantFrom('head', 'tail', 'head-tail')
const caps = fc.oneof(
  { weight: 2, arbitrary: fc.integer({ min: 0, max: 130 }) },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 5_000 }) },
)
const cuts = fc
  .record({
    maxChars: caps,
    strategy: strategies,
    keepTailLines: fc.integer({ min: 0, max: 4 }),
    json: fc.constantFrom('text', 'valid'),
  })
  .map((options) => truncate(options as TruncateOptions))
const summaries = fc
  .oneof(fc.string({ unit: 'binary', maxLength: 300 }), fc.constant(''))
  .map((text) => summarize({ summarize: () => text, maxChars: 200 }))
const actions: fc.Arbitrary<Action> = fc
  .array(
    fc.oneof(
      cuts,
      fc.integer({ min: 0, max: 3_000 }).map((previewChars) => spill({ previewChars })),
      summaries,
      fc.constant(passthrough()),
    ),
    { minLength: 1, maxLength: 3 },
  )
  .map(
    (chain) =>
      chain.reduceRight(
        (fallback: Action | undefined, action) =>
          action.type === 'passthrough' ? action : { ...action, ...(fallback && { fallback }) },
        undefined,
      )!,
  )
const options: fc.Arbitrary<ToolOutputLimitsOptions> = fc.record(
  {
    bands: fc.uniqueArray(fc.record({ over: fc.integer({ min: 0, max: 2_000 }), action: actions }), {
      minLength: 1,
      maxLength: 3,
      selector: ({ over }) => over,
    }),
    serializer: fc.constantFrom('json', 'indented-json', 'json-lines'),
    stripAnsi: fc.boolean(),
    terminal: fc.boolean(),
    overTokens: fc.boolean(),
  },
  { requiredKeys: ['bands'] },
)

/** The action of a chain by its type; fallbacks name the ones before it. */
function acted(bands: NonNullable<ToolOutputLimitsOptions['bands']>, { size, fallbacks }: PartReport): Action {
  const band = [...bands].sort((a, b) => b.over - a.over).find(({ over }) => over <= size)!
  let action: Action = band.action
  for (const _ of fallbacks) action = 'fallback' in action && action.fallback ? action.fallback : action
  return action
}
async function reduced(value: unknown, given: ToolOutputLimitsOptions, content?: string) {
  const it: Setup = setup(given)
  return { ...it, result: await it.reduce(value, { content }) }
}
const files = (root: string) => keysOf(root).filter((key) => !key.endsWith('/'))

describe('always', () => {
  it('a reduced output has at most as many chars as the input, and at most maxChars for a cut', async () => {
    await fc.assert(
      fc.asyncProperty(anyValue(), options, async (value, given) => {
        const { result } = await reduced(value, given)
        if (!result.reduced) return
        const out = result.value as string
        const input = result.report.unit === 'bytes' ? result.report.size : (await rendered(value, given))!.length
        expect(out.length).toBeLessThanOrEqual(input)
        expect(result.report.chars).toBe(out.length)
        const action = acted(given.bands!, result.report)
        if (result.report.action === 'truncate' && action.type === 'truncate')
          expect(out.length).toBeLessThanOrEqual(Math.max(0, action.maxChars!))
      }),
      { numRuns },
    )
  })

  it('a reduced output and everything stored is well-formed, and the surrogates replaced are counted', async () => {
    await fc.assert(
      fc.asyncProperty(anyText(), options, anyText(), async (value, given, content) => {
        const { result, root } = await reduced(value, given, content)
        if (result.reduced && result.value !== value) expect(isWellFormed(result.value as string)).toBe(true)
        if (result.content !== content) expect(isWellFormed(result.content as string)).toBe(true)
        for (const file of files(root)) expect(isWellFormed(storedText(root, file))).toBe(true)
        if (result.report.handle) {
          const text = (await rendered(value, given))!
          expect(result.report.replaced ?? 0).toBe(
            given.stripAnsi || given.terminal ? (result.report.replaced ?? 0) : loneSurrogates(value),
          )
          expect(storedText(root, result.report.handle)).toBe(text)
        }
      }),
      { numRuns },
    )
  })

  it('the same input, options and ids give byte-identical output', async () => {
    await fc.assert(
      fc.asyncProperty(anyValue(), options, anyText(), async (value, given, content) => {
        const [one, two] = [await reduced(value, given, content), await reduced(value, given, content)]
        expect(two.result).toEqual(one.result)
        expect(files(two.root)).toEqual(files(one.root))
        for (const file of files(one.root)) expect(storedText(two.root, file)).toBe(storedText(one.root, file))
      }),
      { numRuns: Math.ceil(numRuns / 2) },
    )
  })

  it('what was spilled and is read back page by page is the stored text, which is the rendered text', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(anyText(), structured()),
        options,
        fc.integer({ min: 500, max: 2_000 }),
        async (value, given, maxChars) => {
          const bands = [{ over: 0, action: spill({ previewChars: 0, highlights: false }) }]
          const { result, root, limits } = await reduced(value, { ...given, bands, readTool: { maxChars } })
          if (!result.report.handle) return
          const text = await rendered(value, given)
          expect(storedText(root, result.report.handle)).toBe(wellFormed(text!))
          expect(await readBack(limits, result.report.handle)).toBe(wellFormed(text!))
        },
      ),
      { numRuns },
    )
  })

  it('not reduced means the same reference', async () => {
    await fc.assert(
      fc.asyncProperty(anyValue(), options, fc.option(anyText(), { nil: undefined }), async (value, given, content) => {
        const { result } = await reduced(value, given, content)
        if (!result.reduced) {
          expect(Object.is(result.value, value)).toBe(true)
          expect(result.content).toBe(content)
        }
        if (['none', 'passthrough'].includes(result.report.action)) expect(Object.is(result.value, value)).toBe(true)
      }),
      { numRuns },
    )
  })

  it('no file is left that no handle names, and every handle names a file', async () => {
    await fc.assert(
      fc.asyncProperty(anyValue(), options, anyText(), async (value, given, content) => {
        const { result, root } = await reduced(value, given, content)
        const handles = [result.report.handle, result.contentReport?.handle].filter((handle) => handle !== undefined)
        expect(files(root)).toEqual(handles.sort())
        expect(result.report.fallbacks.every(({ reason }) => typeof reason === 'string')).toBe(true)
      }),
      { numRuns },
    )
  })

  it('the report is true of what was measured', async () => {
    await fc.assert(
      fc.asyncProperty(anyText(), options, async (value, given) => {
        const { result, events, limits } = await reduced(value, { ...given, overTokens: false })
        const text = (await rendered(value, { ...given, overTokens: false })) ?? ''
        expect(result.report.size).toBe(text.length)
        expect(events).toHaveLength(result.report.action === 'none' ? 0 : 1)
        expect(limits.stats().tool![result.report.action]).toMatchObject({
          calls: 1,
          sizeBefore: text.length,
          charsAfter: result.report.chars,
        })
      }),
      { numRuns: Math.ceil(numRuns / 2) },
    )
  })
})
