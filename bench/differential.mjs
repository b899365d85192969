// Gives the same random values, options and reads to two implementations and compares what comes out, byte for byte where the
// behaviour decides, by meaning where wording is free (see baseline/README.md).
//
//   node bench/differential.mjs --cases 10000 --seed 1
import { existsSync, lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { inspect, isDeepStrictEqual, parseArgs } from 'node:util'
import fc from 'fast-check'
import { anyBytes, anyText, anyValue, asciiText, structured } from './random.mjs'

// ---- cases --------------------------------------------------------------------------------------------------------
// Cuts that keep JSON valid and lines that look like errors may differ in wording and choice: they are pinned to the plain behaviour.
const strategies = fc.constantFrom('head', 'tail', 'head-tail')
const caps = fc.oneof(
  { weight: 2, arbitrary: fc.integer({ min: -1, max: 130 }) },
  { weight: 2, arbitrary: fc.integer({ min: 100, max: 3_000 }) },
)
const cut = fc.record({
  type: fc.constant('truncate'),
  maxChars: caps,
  strategy: strategies,
  keepTailLines: fc.integer({ min: 0, max: 4 }),
  json: fc.constant('text'),
})
const spilled = fc.record({
  type: fc.constant('spill'),
  previewChars: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 300 }), fc.constant(1_000)),
  highlights: fc.constant(false),
})
const summary = fc
  .string({ maxLength: 80 })
  .map((text) => ({ type: 'summarize', maxChars: 1e6, summarize: () => text }))
const chain = fc
  .array(
    fc.oneof({ weight: 3, arbitrary: cut }, { weight: 5, arbitrary: spilled }, { weight: 1, arbitrary: summary }),
    { minLength: 1, maxLength: 3 },
  )
  .map((actions) =>
    actions.reduceRight((fallback, action) => ({ ...action, ...(fallback && { fallback }) }), undefined),
  )
const action = fc.oneof(
  { weight: 12, arbitrary: chain },
  { weight: 1, arbitrary: fc.constant({ type: 'passthrough' }) },
)
const overs = fc.oneof(fc.integer({ min: 0, max: 100 }), fc.integer({ min: 0, max: 1_500 }))
const bands = fc.uniqueArray(fc.record({ over: overs, action }), {
  minLength: 1,
  maxLength: 3,
  selector: ({ over }) => over,
})

const options = fc.record(
  {
    bands,
    serializer: fc.constantFrom('json', 'indented-json', 'json-lines'),
    stripAnsi: fc.boolean(),
    readTool: fc.record(
      {
        maxLines: fc.integer({ min: 1, max: 400 }),
        maxChars: fc.integer({ min: 500, max: 3_000 }),
        scope: fc.constantFrom('store', 'run'),
      },
      { requiredKeys: [] },
    ),
    // The estimate of text that is not ASCII is compared by meaning only, so it must not decide: a tokenizer does.
    tokens: fc.boolean(),
  },
  { requiredKeys: ['bands'] },
)
const ids = fc.oneof(
  { weight: 5, arbitrary: fc.stringMatching(/^[a-z0-9_-]{1,12}$/) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', minLength: 1, maxLength: 60 }) },
  { weight: 1, arbitrary: fc.constantFrom('CON', '..', 'a/b', 'É', 'x'.repeat(41)) },
)
const content = fc.oneof(
  anyText({ maxPieces: 12 }),
  fc.array(
    fc.oneof(
      anyText({ maxPieces: 8 }).map((text) => ({ type: 'text', text })),
      fc.constant({ type: 'image', data: 'aGk=' }),
    ),
    { maxLength: 4 },
  ),
)
const metadata = fc.oneof(
  fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 1 }), { maxKeys: 3 }),
  fc.string(),
  fc.array(fc.integer(), { maxLength: 2 }),
  fc.constant(null),
)
const context = fc.record(
  {
    toolCallId: ids,
    retry: fc.integer({ min: 0, max: 3 }),
    content,
    metadata,
    charset: fc.constantFrom('utf-8', 'utf-16le', 'gbk', 'shift_jis', 'koi8-r', 'nonsense'),
  },
  { requiredKeys: ['toolCallId'] },
)
const lines = fc.oneof(
  { weight: 3, arbitrary: fc.integer({ min: 0, max: 12 }) },
  { weight: 2, arbitrary: fc.integer({ min: 0, max: 600 }) },
  { weight: 1, arbitrary: fc.constantFrom(-1, 1.5, '7', 'ten', 2 ** 53, null) },
)
const read = fc.record(
  {
    offset: lines,
    limit: lines,
    from_end: fc.boolean(),
    char_offset: lines,
    pattern: fc.constantFrom(
      '',
      'a',
      'x',
      '0',
      'line',
      '中',
      '😀',
      '\r',
      '"',
      ' ',
      'words here',
      'not there',
      'xxxxxxxxxxxxxxxx',
    ),
  },
  { requiredKeys: [] },
)
const reads = fc.array(read, { maxLength: 4 })
const measured = (tokens) => (tokens ? { overTokens: true, tokenizer: (text) => text.length >> 1 } : {})
const reduceCase = fc.record({
  kind: fc.constant('reduce'),
  value: fc.oneof({ weight: 4, arbitrary: anyValue() }, { weight: 1, arbitrary: structured() }),
  options,
  context,
  reads,
})
const spillCase = fc.record({
  kind: fc.constant('reduce'),
  value: fc.oneof(
    { weight: 3, arbitrary: anyText({ maxPieces: 60 }) },
    { weight: 1, arbitrary: anyBytes() },
    { weight: 1, arbitrary: asciiText({ maxPieces: 300 }) },
  ),
  options: options.map((given) => ({
    ...given,
    bands: [{ over: 0, action: { type: 'spill', previewChars: 20, highlights: false } }],
  })),
  context,
  reads: fc.array(read, { minLength: 2, maxLength: 6 }),
})
const tokenCase = fc.record({
  kind: fc.constant('estimate'),
  value: asciiText(),
  options: fc.record({ bands, overTokens: fc.constant(true) }),
  context,
  reads: fc.constant([]),
})
/** A random case: what one tool returned, under which options, and how it is read back. */
export const anyCase = fc.oneof(
  { weight: 5, arbitrary: reduceCase },
  { weight: 3, arbitrary: spillCase },
  { weight: 1, arbitrary: tokenCase },
)

// ---- one side -----------------------------------------------------------------------------------------------------
/** Runs a case on one implementation. Everything is given, nothing is random: run and call ids too. */
async function outcome({ pkg, store, root }, given, runId) {
  const warnings = []
  const { tokens, ...rest } = given.options
  const limits = new pkg.ToolOutputLimits({
    ...rest,
    ...measured(tokens),
    store,
    onWarning: ({ code }) => warnings.push(code),
  })
  limits.readToolResult()
  const result = await limits.reduce(given.value, { toolName: 'tool', runId, ...given.context })
  const pages = []
  for (const handle of [result.report.handle, result.contentReport?.handle]) {
    if (handle === undefined) continue
    for (const input of given.reads) {
      let next = { handle, ...input }
      for (let step = 0; next && step < 3; step++) {
        const page = await limits.read(next, { runId })
        pages.push({ asked: next, page })
        next = page.next
      }
    }
  }
  return { result, pages, files: stored(root, runId), stats: limits.stats() }
}
/** The files of a run by name. */
function stored(root, runId) {
  const directory = path.join(root, runId)
  let names
  try {
    names = readdirSync(directory).sort()
  } catch {
    return {}
  }
  return Object.fromEntries(
    names
      .filter((name) => lstatSync(path.join(directory, name)).isFile())
      .map((name) => [name, readFileSync(path.join(directory, name)).toString('latin1')]),
  )
}

// ---- comparison ---------------------------------------------------------------------------------------------------
class Difference extends Error {}
const shown = (value) => {
  const text =
    typeof value === 'string'
      ? JSON.stringify(value)
      : JSON.stringify(value, (_key, v) => (typeof v === 'bigint' ? `${v}n` : v))
  return text === undefined ? String(value) : text.length > 600 ? `${text.slice(0, 600)}… (${text.length} chars)` : text
}
function same(what, a, b) {
  if (!isDeepStrictEqual(a, b)) throw new Difference(`${what}:\n  candidate: ${shown(a)}\n  baseline:  ${shown(b)}`)
}
const grouped = (n) => n.toLocaleString('en-US')
const numbersIn = (text) =>
  [...text.matchAll(/\d{1,3}(?:,\d{3})+|\d+/g)].map(([digits]) => Number(digits.replaceAll(',', '')))
/** What is said of bytes that their charset does not allow. The baseline counts none of them. */
const MALFORMED = /(?:,| ?The stored output has) [\d,]+ invalid byte sequences? shown as U\+FFFD\.?/
/** A bracketed first line with the call that reads the result: figures, call, the rest. Wording is left out. */
function envelopeOf(text) {
  const end = text.indexOf('\n')
  const line = text.slice(0, end < 0 ? text.length : end).replace(MALFORMED, '')
  const call = /([\w.-]+)\((\{.*\})\)/.exec(line)
  if (!call) throw new Difference(`no envelope: ${shown(text)}`)
  const input = JSON.parse(call[2])
  const rest = end < 0 ? '' : text.slice(end + 1)
  const shape = /^shape: ([^\n]*)\n/.exec(rest)
  return {
    tool: call[1],
    handle: input.handle,
    figures: numbersIn(line.replace(call[0], '').replaceAll(JSON.stringify(input.handle), '')),
    shaped: shape !== null,
    preview: shape ? rest.slice(shape[0].length) : rest,
  }
}
/** Chars by which the kept amounts of two cuts may differ: on each side a grapheme boundary elsewhere, up to 32 chars away. */
const MOVED = 2 * 32 + 4
/** What a cut kept of a text: by its marker's figures, or all of it where it has none. Fails where it is no head and tail of the text. */
function keptOf(what, out, text) {
  let head = 0
  while (head < out.length && out[head] === text[head]) head++
  let tail = 0
  while (tail < out.length && out[out.length - 1 - tail] === text[text.length - 1 - tail]) tail++
  if (head + tail >= out.length) return { kept: out.length, marker: 0 }
  // Head and tail may run on into the marker by chance: it lies somewhere around.
  const marker = out.slice(
    Math.max(0, Math.min(head, out.length - tail) - 200),
    Math.max(head, out.length - tail) + 200,
  )
  const figures = numbersIn(marker)
  const kept = figures.find(
    (n) => n <= head + tail && n < out.length && figures.includes(text.length - n) && figures.includes(text.length),
  )
  if (kept === undefined) throw new Difference(`${what}: no head and tail with exact figures: ${shown(out)}`)
  return { kept, marker: out.length - kept }
}
/**
 * Compares two cuts of a text. With markers of one wording they are the same, but for grapheme tables; otherwise both must be true, and keep the
 * same but for the length of the marker (a longer one may not fit at all).
 */
function compareCuts(what, a, b, text, isSameWording) {
  if (a === b) return
  const isPlain = Buffer.byteLength(text) === text.length && !text.includes('\r')
  const [one, two] = [keptOf(what, a, text), keptOf(what, b, text)]
  const isComparable = one.marker > 0 === two.marker > 0
  const room = Math.abs(one.marker - two.marker) + (isPlain ? 0 : MOVED)
  if ((isSameWording && isPlain) || (isComparable && Math.abs(one.kept - two.kept) > room)) {
    throw new Difference(
      `${what}: cuts differ, ${grouped(one.kept)} and ${grouped(two.kept)} chars kept\n  candidate: ${shown(a)}\n  baseline:  ${shown(b)}`,
    )
  }
}
/** The marker of a cut, its figures left out. */
async function markerOf({ ToolOutputLimits }) {
  const limits = new ToolOutputLimits({
    bands: [{ over: 0, action: { type: 'truncate', maxChars: 200, json: 'text' } }],
    onWarning() {},
  })
  const { value } = await limits.reduce('x'.repeat(1_000), { toolName: 'tool' })
  return value.replace(/^x+|x+$/g, '').replace(/[\d,]+/g, '#')
}
/** Compares one part: its report, and its text by what made it. `text` is what was measured, known where cuts differ. */
function comparePart(what, a, b, text, isSameWording) {
  same(`${what}: reduced`, a.reduced, b.reduced)
  const { chars: charsA, ...reportA } = a.report
  const { chars: charsB, ...reportB } = b.report
  same(`${what}: report`, reportA, reportB)
  if (typeof a.value === 'string' && a.reduced) same(`${what}: chars of the report`, charsA, a.value.length)
  else same(`${what}: chars of the report`, charsA, charsB)
  if (!a.reduced) return
  switch (a.report.action) {
    case 'spill':
      compareEnvelopes(what, envelopeOf(a.value), envelopeOf(b.value))
      return
    case 'truncate':
      if (a.value !== b.value) compareCuts(what, a.value, b.value, text, isSameWording)
      return
    default:
      same(`${what}: value`, a.value, b.value)
  }
}
const textOf = (value) =>
  Array.isArray(value)
    ? value
        .filter(({ type }) => type === 'text')
        .map(({ text }) => text)
        .join('\n')
    : value
function comparePages(a, b) {
  same('number of pages', a.length, b.length)
  for (const [i, { asked, page }] of a.entries()) {
    const { notice, ...rest } = page
    const { notice: otherNotice, ...other } = b[i].page
    same(`page ${shown(asked)}`, rest, other)
    same(`notice of page ${shown(asked)}`, Boolean(notice?.replace(MALFORMED, '')), Boolean(otherNotice))
  }
}
/** The baseline shows the shape of less than the specification asks for: where it shows one, there must be one. */
function compareEnvelopes(what, a, b) {
  same(`${what}: envelope`, { ...a, shaped: a.shaped && b.shaped }, b)
}
const withoutChars = (stats) =>
  JSON.parse(JSON.stringify(stats, (key, value) => (key === 'charsAfter' ? undefined : value)))
/** How much longer one envelope may be than the other: the shape has up to 400 chars, and its wording is free. */
const WORDING = 420
/**
 * Whether a part is about as long as its envelope, so that the wording decides whether it is spilled: one side did, the
 * other found its envelope not smaller.
 */
function isDecidedByWording(a, b) {
  const reports = (result) => [result.report, result.contentReport]
  const gaveUp = (report) => report?.fallbacks.some(({ reason }) => reason === 'not_smaller')
  const isClose = (report) =>
    report?.action === 'spill' && report.chars + WORDING > (report.unit === 'tokens' ? 0 : report.size)
  return reports(a).some((report, i) => {
    const other = reports(b)[i]
    return gaveUp(report) !== gaveUp(other) && (isClose(report) || isClose(other))
  })
}
/** Throws a Difference unless two outcomes agree. `measured` gives a text or value as it was measured. */
async function compare(a, b, given, { measured, isSameWording }) {
  const [one, two] = [a.result, b.result]
  if (isDecidedByWording(one, two)) return
  same('files', Object.keys(a.files), Object.keys(b.files))
  for (const name of Object.keys(a.files)) same(`stored ${name}`, a.files[name], b.files[name])
  same('reduced', one.reduced, two.reduced)
  if (isFreelyDecoded(given.value, given.context.charset)) {
    const { chars: _, ...report } = one.report
    const { chars: __, ...otherReport } = two.report
    same('report', report, otherReport)
    return
  }
  const valuePart = (result) => ({
    report: result.report,
    value: result.value,
    reduced: !Object.is(result.value, given.value),
  })
  const textIfCut = (x, y, value) =>
    x.report.action === 'truncate' && x.reduced && x.value !== y.value ? measured(value) : undefined
  const values = [valuePart(one), valuePart(two)]
  comparePart('value', ...values, await textIfCut(...values, given.value), isSameWording)
  same('content report', one.contentReport === undefined, two.contentReport === undefined)
  if (one.contentReport) {
    const contentOf = (result) => ({
      report: result.contentReport,
      value: textOf(result.content),
      reduced: result.content !== given.context.content,
    })
    const contents = [contentOf(one), contentOf(two)]
    comparePart('content', ...contents, await textIfCut(...contents, textOf(given.context.content)), isSameWording)
    const others = (result) =>
      Array.isArray(result.content)
        ? result.content.map((block) => (block.type === 'text' ? 'text' : block))
        : typeof result.content
    same('content blocks', others(one), others(two))
  }
  same('metadata', one.metadata, two.metadata)
  same('stats', withoutChars(a.stats), withoutChars(b.stats))
  comparePages(a.pages, b.pages)
}
/**
 * Whether the value has bytes of a charset that decoders do not agree on: the package's goes by WHATWG's tables, the one of
 * Node.js by ICU's, and what a charset does not allow shows as one sign for each pair of bytes or for each byte.
 */
function isFreelyDecoded(value, charset) {
  const isLegacy = charset === 'gbk' || charset === 'shift_jis'
  return isLegacy && value instanceof Uint8Array && value.some((byte) => byte >= 0x80)
}
/** The text of a value as an implementation measures it, seen through a summarizer. */
async function measuredText({ ToolOutputLimits }, value, { serializer, stripAnsi }) {
  let text = ''
  const summarize = (_toolName, rendered) => {
    text = rendered
    return ''
  }
  const limits = new ToolOutputLimits({
    serializer,
    stripAnsi,
    bands: [{ over: 0, action: { type: 'summarize', summarize } }],
    onWarning() {},
  })
  await limits.reduce(value, { toolName: 'tool' })
  return text
}

// ---- the test -----------------------------------------------------------------------------------------------------
/** Cases at work at a time: most of a case is waiting for files. */
const BATCH = 24
/** In memory where the system has such a place: thousands of small files are written. */
const scratch = () => (existsSync('/dev/shm') ? '/dev/shm' : tmpdir())
/**
 * Runs random cases on two implementations and throws at the first difference, shrunk to a small case.
 * `candidate` and `baseline`: modules with ToolOutputLimits and LocalFileStore; `shrink: false` reports the first difference as it was found,
 * `path` with its seed repeats one. → what was covered, `cases` or a few more.
 */
export async function differential({
  candidate,
  baseline,
  cases = 10_000,
  seed = Date.now() & 0x7fffffff,
  path: at,
  shrink = true,
}) {
  const directory = mkdtempSync(path.join(scratch(), 'tol-differential-'))
  const covered = { cases: 0, reduced: 0, spilled: 0, cut: 0, pages: 0 }
  const sides = [candidate, baseline].map((pkg, i) => {
    const root = path.join(directory, String(i))
    return { pkg, root, store: new pkg.LocalFileStore({ root }) }
  })
  const isSameWording = (await markerOf(candidate)) === (await markerOf(baseline))
  let run = 0
  const check = async (given) => {
    const runId = `run_${run++}`
    try {
      const [a, b] = await Promise.all(sides.map((side) => outcome(side, given, runId)))
      await compare(a, b, given, { isSameWording, measured: (value) => measuredText(baseline, value, given.options) })
      count(b)
    } catch (error) {
      throw new Error(
        `${error instanceof Difference ? error.message : error.stack}\n  case: ${inspect(given, { depth: 8, maxStringLength: 4_000, maxArrayLength: 200 })}`,
      )
    }
    for (const { root } of sides) rmSync(path.join(root, runId), { recursive: true, force: true })
  }
  const count = ({ result, pages }) => {
    const reports = [result.report, result.contentReport]
    covered.cases++
    if (result.reduced) covered.reduced++
    for (const report of reports) if (report?.handle) covered.spilled++
    for (const report of reports) if (report?.action === 'truncate') covered.cut++
    covered.pages += pages.length
  }
  const property = fc.asyncProperty(
    fc.array(anyCase, { minLength: 1, maxLength: BATCH, size: 'max' }),
    async (batch) => {
      await Promise.all(batch.map(check))
    },
  )
  try {
    for (let round = 0; covered.cases < cases; round++) {
      const found = await fc.check(property, {
        numRuns: Math.ceil((cases - covered.cases) / BATCH),
        seed: seed + round,
        endOnFailure: !shrink,
        ...(at && { path: at }),
      })
      if (found.failed)
        throw new Error(
          `${found.errorInstance?.message ?? 'interrupted'}\n  again with: --seed ${found.seed} --path ${found.counterexamplePath}`,
        )
      if (at) break
    }
    return { seed, ...covered }
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

// ---- command line -------------------------------------------------------------------------------------------------
if (import.meta.url === new URL(`file://${process.argv[1]}`).href) {
  const { values } = parseArgs({
    options: { cases: { type: 'string', default: '10000' }, seed: { type: 'string' }, path: { type: 'string' } },
  })
  const baseline = await import('./baseline/lib/index.mjs')
  const candidate = process.env.TOL_UNDER_TEST === 'baseline' ? baseline : await import('../index.js')
  const started = performance.now()
  const covered = await differential({
    candidate,
    baseline,
    cases: Number(values.cases),
    ...(values.seed && { seed: Number(values.seed) }),
    ...(values.path && { path: values.path }),
  })
  console.log(`no difference: ${JSON.stringify(covered)} in ${((performance.now() - started) / 1000).toFixed(1)} s`)
}
