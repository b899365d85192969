// The documentation tells the truth: its code runs, its links lead somewhere, its tables are complete.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { transformSync } from 'esbuild'
import { afterAll, describe, expect, it } from 'vitest'
import { WARNING_CODES } from '../api/warnings.js'

const root = fileURLToPath(new URL('..', import.meta.url))
const documents = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  ...readdirSync(path.join(root, 'docs')).map((file) => `docs/${file}`),
].filter((file) => file.endsWith('.md'))
const textOf = (file: string) => readFileSync(path.join(root, file), 'utf8')
// Inside the repository, so that the package is found by its own name.
const folder = mkdtempSync(path.join(root, '__test__/.docs-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

interface Block {
  name: string
  language: string
  /** Why the block cannot run here. */
  noRun: string | undefined
  code: string
}
const blocks = documents.flatMap((file): Block[] =>
  [...textOf(file).matchAll(/^```(js|ts|mjs)(?: no-run(?:: *(.+))?)?\n(.*?)^```/gms)].map(
    ([whole, language, reason, code], n) => ({
      name: `${file}, block ${n + 1}`,
      language: language ?? '',
      noRun: whole.includes('no-run') ? (reason ?? '') : undefined,
      code: code ?? '',
    }),
  ),
)

describe('code', () => {
  it.each(blocks.filter(({ noRun }) => noRun === undefined))('of $name runs', ({ code, language }) => {
    const file = path.join(folder, `${Math.random().toString(36).slice(2)}.mjs`)
    writeFileSync(file, transformSync(code, { loader: language === 'ts' ? 'ts' : 'js', format: 'esm' }).code)
    const options = { encoding: 'utf8', timeout: 20_000, env: { ...process.env, TMPDIR: folder } } as const
    expect(() => execFileSync(process.execPath, ['--throw-deprecation', file], options)).not.toThrow()
  })

  it.each(blocks.filter(({ noRun }) => noRun !== undefined))(
    'of $name that cannot run here parses: $noRun',
    ({ code, noRun }) => {
      expect(noRun).not.toBe('')
      expect(() => transformSync(code, { loader: 'ts', format: 'esm' })).not.toThrow()
    },
  )
})

describe('links', () => {
  it.each(documents)('of %s lead to files that are there', (file) => {
    const links = [...textOf(file).matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)].map(([, link]) => link ?? '')
    const missing = links.filter(
      (link) => !/^\w+:/.test(link) && !existsSync(path.join(root, path.dirname(file), link)),
    )
    expect(missing).toEqual([])
  })
})

describe('tables', () => {
  const rows = (file: string, pattern: RegExp) => [...textOf(file).matchAll(pattern)].map(([, name]) => name).sort()

  it('of reasons and of warnings are complete', () => {
    const type = /export type FallbackReason =([^\n]*\n(?: +\|[^\n]*\n)*)/.exec(textOf('index.d.ts'))?.[1] ?? ''
    const reasons = [...type.matchAll(/'(\w+)'/g)].map(([, name]) => name).sort()
    expect(reasons.length).toBeGreaterThan(10)
    expect(rows('docs/errors.md', /^\| `([a-z_]+)` \|/gm)).toEqual(reasons)
    expect(rows('docs/errors.md', /^\| `(TOL_\w+)` \|/gm)).toEqual(Object.keys(WARNING_CODES).sort())
    for (const [code, meaning] of Object.entries(WARNING_CODES)) {
      expect(textOf('docs/errors.md')).toContain(`| \`${code}\` | ${meaning} |`)
    }
  })

  it('of tests in the security page name files and suites that are there', () => {
    for (const [, file, suites] of textOf('docs/security.md').matchAll(/`(__test__\/[\w.-]+)`((?:, "[^"]+")*)/g)) {
      const tests = textOf(file ?? '')
      for (const [, suite] of (suites ?? '').matchAll(/"([^"]+)"/g)) expect(tests).toContain(`'${suite}'`)
    }
  })
})

it('every adapter has its entry in the exports, and every entry its adapter', () => {
  const { exports } = JSON.parse(textOf('package.json'))
  const subpaths = Object.keys(exports).filter((name) => /^\.\/(?!package\.json)/.test(name))
  const files = readdirSync(path.join(root, 'adapters')).filter((file) => file.endsWith('.ts'))
  expect(subpaths.sort()).toEqual(files.map((file) => `./${file.replace(/\.ts$/, '')}`).sort())
})
