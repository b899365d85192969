import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const docs = readFileSync(join(root, 'docs/hosts.md'), 'utf8')
const MODES = { g: 'generate', s: 'stream' } as const

/** Behaviours by their letter. */
const behaviours = new Map([...docs.matchAll(/^- ([A-Z]): (.+)$/gm)].map(([, letter, name]) => [letter, name]))
const letters = [...behaviours.keys()]
const rows = [...docs.matchAll(/^\| ([^|]+) \| \[([\w.-]+)\]\([^)]+\) \| (.+) \|$/gm)].map(
  ([, suite, file, cells]) => ({
    suite: suite as string,
    file: file as string,
    cells: (cells as string).split(' | '),
  }),
)

/** Every test that runs in this folder, but these, as `file: name`. */
async function testNames(): Promise<Set<string>> {
  const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs')
  const files = readdirSync(join(root, '__test__/hosts')).filter((file) => file.endsWith('.test.ts'))
  const others = files.filter((file) => file !== basename(import.meta.filename)).map((file) => `__test__/hosts/${file}`)
  const folder = mkdtempSync(join(tmpdir(), 'tol-docs-'))
  const list = join(folder, 'tests.json')
  await promisify(execFile)(process.execPath, [vitest, 'list', `--json=${list}`, ...others], { cwd: root })
  const tests: { name: string; file: string }[] = JSON.parse(readFileSync(list, 'utf8'))
  rmSync(folder, { recursive: true })
  return new Set(tests.map(({ name, file }) => `${basename(file)}: ${name}`))
}

describe('docs/hosts.md', () => {
  it('a cell has the tests that run, and – where there is none', { timeout: 180_000 }, async () => {
    const names = await testNames()
    expect(letters.length).toBeGreaterThan(10)
    for (const { suite, file, cells } of rows)
      for (const [index, letter] of letters.entries()) {
        const shown = Object.entries(MODES).flatMap(([short, mode]) =>
          names.has(`${file}: ${suite}, ${mode} > ${behaviours.get(letter)}`) ? [short] : [],
        )
        expect(cells[index], `${suite}, ${letter}`).toBe(shown.join(' ') || '–')
      }
    const suites = new Set(rows.map(({ suite }) => suite))
    const [first] = letters
    for (const name of names) {
      const [, suite, behaviour] = /^[^:]+: (.+), (?:generate|stream) > (.+)$/.exec(name) ?? []
      if (behaviour === behaviours.get(first)) expect(suites).toContain(suite)
    }
  })

  it('every cell without a test has its reason, as the tests give it', () => {
    const reasons = [...docs.matchAll(/^- ([A-Z]), (.+?): (.+)$/gm)].map(([, letter, suites, reason]) => ({
      letter,
      suites: (suites as string).split('; '),
      reason: reason as string,
    }))
    for (const { suite, file, cells } of rows)
      for (const [index, letter] of letters.entries()) {
        const found = reasons.filter((reason) => reason.letter === letter && reason.suites.includes(suite))
        expect(found, `${suite}, ${letter}`).toHaveLength(cells[index] === '–' ? 1 : 0)
        for (const { reason } of found)
          expect(readFileSync(join(root, '__test__/hosts', file), 'utf8')).toContain(reason)
      }
  })

  it('names every adapter, and links to files that exist', () => {
    for (const file of readdirSync(join(root, 'adapters')))
      if (file.endsWith('.ts') && !file.startsWith('store'))
        expect(docs).toContain(`\`tool-output-limits/${basename(file, '.ts')}\``)
    for (const [, link] of docs.matchAll(/\]\(([^)#]+)\)/g))
      expect(existsSync(join(root, 'docs', link as string)), link).toBe(true)
  })
})
