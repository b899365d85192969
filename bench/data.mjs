// What the cases work on: made by a fixed rule, so that every run has the same.

/** A flat string, without the tree of parts that `+` and `repeat` leave behind. */
export const flat = (text) => Buffer.from(text, 'utf16le').toString('utf16le')

/** Log lines, Latin-1 only. */
export function log(chars) {
  const lines = []
  for (let i = 0, length = 0; length < chars; i++) {
    const line = `2026-03-01T12:${String(i % 60).padStart(2, '0')}:00Z worker-${i % 17} handled request ${i} in ${(i * 7919) % 1000} ms\n`
    lines.push(line)
    length += line.length
  }
  return Buffer.from(lines.join('').slice(0, chars), 'latin1').toString('latin1')
}

/** Log lines with one that looks like an error now and then. */
export const logWithErrors = (chars) => {
  let i = 0
  return log(chars).replace(/handled/g, (word) => (++i % 5_000 === 0 ? 'error: ' : word))
}

export function hangul(chars) {
  const units = new Uint16Array(chars)
  for (let i = 0; i < chars; i++) units[i] = i % 61 === 60 ? 10 : i % 7 === 6 ? 32 : 0xac00 + ((i * 7919) % 11_000)
  return Buffer.from(units.buffer).toString('utf16le')
}

/** Rows of a table whose JSON has about this many chars. */
export function rows(chars) {
  const count = Math.round(chars / 130)
  return Array.from({ length: count }, (_, i) => ({
    id: i,
    name: `customer ${i}`,
    email: `c${i}@example.com`,
    active: i % 3 === 0,
    balance: ((i * 7919) % 100_000) / 100,
    tags: ['a', 'b', `t${i % 10}`],
    note: null,
  }))
}

export function coloured(chars) {
  const lines = []
  for (let i = 0, length = 0; length < chars; i++) {
    const line = `\x1b[32m✓\x1b[39m \x1b[1mpackage-${i % 100}\x1b[22m \x1b[90mbuilt in ${(i * 31) % 900} ms\x1b[39m src/module/${i}.ts\n`
    lines.push(line)
    length += line.length
  }
  return flat(lines.join('').slice(0, chars))
}
