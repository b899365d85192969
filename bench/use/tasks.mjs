// Questions about tool results as agents get them, with the fact that answers each one planted in 100 KB to 1 MB of them.

/** Random numbers that are the same in every run. */
export function random(seed) {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const integer = (least, most) => least + Math.floor(next() * (most - least + 1))
  const pick = (list) => list[integer(0, list.length - 1)]
  const word = (length = integer(4, 9)) =>
    Array.from({ length }, (_, at) => pick(at % 2 ? [...'aeiou'] : [...'bcdfgklmnprstvz'])).join('')
  return { next, integer, pick, word, words: (count) => Array.from({ length: count }, () => word()).join(' ') }
}

/** Lines until there are `size` chars of them. */
function linesOf(size, line) {
  const lines = []
  for (let chars = 0; chars < size; chars += lines.at(-1).length + 1) lines.push(line(lines.length))
  return lines
}
/** A place in the middle third, where neither end shows it. */
const middle = (r, count) => r.integer(Math.ceil(count / 3), Math.floor((2 * count) / 3))
const size = (r) => r.integer(100_000, 1_000_000)
const time = (n) =>
  `2026-03-${String(1 + (Math.floor(n / 86_400) % 28)).padStart(2, '0')}T${new Date((n % 86_400) * 1000).toISOString().slice(11, 19)}Z`

// A task: `value` is what the tool returned; `find` takes the answer out of what was read; `known` is what the question says.

/** What went wrong? One line of a long log says so. */
function errorInLog(r, n) {
  const code = `E${r.integer(1000, 9999)}`
  const kinds = [
    {
      line: (i) => `   Compiling ${r.word()}-${r.word()} v${r.integer(0, 9)}.${r.integer(0, 30)}.${i % 10}`,
      error: `error[${code}]: mismatched types in src/${r.word()}.rs:${r.integer(10, 900)}`,
    },
    {
      line: (i) => `tests/test_${r.word()}.py::test_${r.word()}_${r.word()} PASSED [${i % 100}%]`,
      error: `tests/test_${r.word()}.py::test_${r.word()} FAILED: assertion ${code}`,
    },
    {
      line: (i) => `${time(i * 7)} INFO  [worker-${i % 16}] ${r.words(6)} took ${r.integer(1, 900)} ms`,
      error: `${time(9)} FATAL [worker-3] cannot reach the database: code ${code}`,
    },
    {
      line: (i) => JSON.stringify({ ts: time(i), level: 'info', msg: r.words(5), ms: r.integer(1, 900) }),
      error: JSON.stringify({ ts: time(5), level: 'error', msg: `payment refused with ${code}` }),
    },
  ]
  const { line, error } = kinds[n % kinds.length]
  const lines = linesOf(size(r), line)
  const at = middle(r, lines.length)
  lines.splice(at, 0, error)
  // Every fifth log also speaks of errors that are none: more of them than are shown beforehand.
  const noise = n % 5 === 4 ? 9 : 0
  for (let i = 1; i <= noise; i += 1) lines.splice(i * 40, 0, `retry ${i} after a transient error, ok`)
  return {
    kind: 'an error in the middle of a log',
    value: `${lines.join('\n')}\n`,
    truth: code,
    find: (text) => /\bE\d{4}\b/.exec(text)?.[0],
    known: { terms: ['error', 'fatal', 'failed', 'ERROR', 'FATAL', 'FAILED'] },
  }
}

const records = (r, count) =>
  Array.from({ length: count }, (_, i) => ({
    id: 100_000 + i * 7,
    name: `${r.word()} ${r.word()}`,
    email: `${r.word()}@${r.word()}.example`,
    plan: r.pick(['free', 'team', 'business']),
    seats: r.integer(1, 500),
    ...(i % 3 === 0 && { referred_by: 100_000 + r.integer(0, count - 1) * 7 }),
    note: r.words(r.integer(2, 14)),
    token: `tok_${r.word(12)}${r.integer(1000, 9999)}`,
  }))

/** What is a field of the record with this id? */
function fieldOfRecord(r, n) {
  const list = records(r, Math.floor(size(r) / 220))
  const { id, token } = list[middle(r, list.length)]
  const layouts = [
    () => list,
    () => ({ data: { customers: list, next: null }, took: 12 }),
    () => list.map((record) => JSON.stringify(record)).join('\n'),
    () => JSON.stringify(list, null, 2),
  ]
  return {
    kind: 'one field of a record by its id',
    value: layouts[n % layouts.length](),
    truth: token,
    // Only the record's own: its id, and the first token behind it.
    find: (text) => new RegExp(`"id": ?${id}\\b[^]*?"token": ?"(\\w+)"`).exec(text.replace(/^\d+[-:] /gm, ''))?.[1],
    known: { record: { id } },
  }
}

/** What is the value of a key deep inside a minified document? */
function deepKey(r, n) {
  const truth = `${r.word()}-${r.integer(1000, 9999)}`
  const path = ['services', `${r.word()}-api`, 'deployment', 'limits', `max_${r.word()}_${r.word()}`]
  const filler = () => Object.fromEntries(Array.from({ length: 30 }, () => [`${r.word()}_${r.word()}`, r.words(4)]))
  const services = {}
  const count = Math.floor(size(r) / 1_300)
  const place = middle(r, count)
  for (let i = 0; i < count; i += 1) {
    const name = i === place ? path[1] : `${r.word()}-${r.word()}-${i}`
    const limits = i === place ? { ...filler(), [path[4]]: truth } : filler()
    services[name] = { image: r.word(), deployment: { replicas: r.integer(1, 9), limits } }
  }
  const document = { version: 3, services, checksum: r.word(20) }
  return {
    kind: 'a key deep in a minified document',
    value: n % 2 ? document : JSON.stringify(document),
    truth,
    // A member of that name, or the value alone on its line.
    find: (text) => new RegExp(`(?:"${path[4]}":|^)"([a-z]+-\\d{4})"`, 'm').exec(text)?.[1],
    // Half of the questions name the whole path, the others only the key.
    known: n % 4 < 2 ? { path } : { key: path[4] },
  }
}

/** What does the row of a table say? */
function csvRow(r, n) {
  const separator = n % 4 === 3 ? '\t' : ','
  const header = ['order', 'customer', 'city', 'amount', 'status', 'tracking'].join(separator)
  const lines = linesOf(size(r), (i) =>
    [
      50_000 + i,
      r.integer(1000, 60_000),
      r.word(),
      r.integer(1, 99_999),
      r.pick(['sent', 'open']),
      `TR${r.integer(1e6, 9e6)}`,
    ].join(separator),
  )
  const at = middle(r, lines.length)
  return {
    kind: 'a row of a CSV file',
    value: `${header}\n${lines.join('\n')}\n`,
    truth: lines[at].split(separator)[5],
    find: (text) => new RegExp(`^(?:\\d+: )?${50_000 + at}[,\\t].*(TR\\d+)$`, 'm').exec(text)?.[1],
    known: { row: `${50_000 + at}${separator}` },
  }
}

/** How many are there? */
function howMany(r, n) {
  const list = records(r, Math.floor(size(r) / 220))
  const layouts = [
    { value: list, after: /shape: \[([\d,]+) (?:×|items of) / },
    { value: { data: { customers: list, next: null } }, after: /customers: \[([\d,]+) × / },
    { value: JSON.stringify({ page: 1, customers: list }), after: /customers: \[([\d,]+) × / },
    {
      value: `${list.map((record) => JSON.stringify(record)).join('\n')}\n`,
      after: /([\d,]+) (?:lines|matching line\(s\))/,
    },
  ]
  const { value, after } = layouts[n % layouts.length]
  return {
    kind: 'the number of items',
    value,
    truth: String(list.length),
    find: (text) => after.exec(text)?.[1].replaceAll(',', ''),
    known: {},
  }
}

/** Which version does a bundle of one line hold? */
function needleInBundle(r) {
  const parts = linesOf(
    size(r),
    (i) => `function ${r.word(3)}${i}(e,t){return e.${r.word()}(t,${r.integer(1, 999)})||"${r.words(3)}"}`,
  )
  const name = `${r.word()}Version`
  const truth = `${r.integer(1, 30)}.${r.integer(0, 99)}.${r.integer(0, 99)}`
  parts.splice(middle(r, parts.length), 0, `const ${name}="${truth}"`)
  return {
    kind: 'a needle in a bundle of one line',
    value: parts.join(';'),
    truth,
    find: (text) => new RegExp(`${name}="([\\d.]+)"`).exec(text)?.[1],
    known: { terms: [name] },
  }
}

const KINDS = [errorInLog, fieldOfRecord, deepKey, csvRow, howMany, needleInBundle]

/** The tasks, evenly of every kind. */
export function tasks(count, seed) {
  return Array.from({ length: count }, (_, at) =>
    KINDS[at % KINDS.length](random(seed * 1_000_003 + at), Math.floor(at / KINDS.length)),
  )
}
