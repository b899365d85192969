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
  /** The lines that the page shows as its output: of the text blocks up to the next code, without lines of `…`. */
  shown: string[]
}
const blocks = documents.flatMap((file): Block[] => {
  const text = textOf(file)
  const found = [...text.matchAll(/^```(js|ts|mjs)( no-run(?:: *([^\n]*))?)?\n(.*?)^```$/gms)]
  return found.map(({ index, 0: whole, 1: language = '', 2: noRun, 3: reason = '', 4: code = '' }, n) => {
    const after = text.slice(index + whole.length, found[n + 1]?.index)
    const outputs = [...after.matchAll(/^```text\n(.*?)^```/gms)].map(([, output = '']) => output)
    return {
      name: `${file}, block ${n + 1}`,
      language,
      noRun: noRun === undefined ? undefined : reason,
      code,
      shown: outputs.flatMap((output) => output.split('\n')).filter((line) => line !== '' && line !== '…'),
    }
  })
})

it('the README shows a result and a page, as they are printed', () => {
  const [first] = blocks.filter(({ name, noRun }) => name.startsWith('README.md') && noRun === undefined)
  expect(first?.shown.filter((line) => line.startsWith('['))).toHaveLength(3) // notice, header of the page, next call
})

describe('code', () => {
  it('is found in every fence', () => {
    const fences = documents.flatMap((file) => textOf(file).match(/^```(?:js|ts|mjs|javascript|typescript)\b/gm) ?? [])
    expect(fences.length).toBeGreaterThan(5)
    expect(blocks).toHaveLength(fences.length)
  })

  it.each(blocks.filter(({ noRun }) => noRun === undefined))(
    'of $name runs, and prints what is shown',
    ({ code, language, shown }) => {
      const file = path.join(folder, `${Math.random().toString(36).slice(2)}.mjs`)
      writeFileSync(file, transformSync(code, { loader: language === 'ts' ? 'ts' : 'js', format: 'esm' }).code)
      const options = { encoding: 'utf8', timeout: 20_000, env: { ...process.env, TMPDIR: folder } } as const
      const printed = execFileSync(process.execPath, ['--throw-deprecation', file], options).split('\n')
      for (const line of shown) expect(printed).toContain(line)
    },
  )

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

it('the README leads to every page', () => {
  const pages = documents.filter((file) => file.startsWith('docs/'))
  expect(pages.filter((page) => !textOf('README.md').includes(`](${page})`))).toEqual([])
})

it.each(['CONTRIBUTING.md', 'docs/architecture.md'])('the files that %s names are there', (page) => {
  const names = textOf(page).match(/[\w./-]+\/[\w-]+\.(?:rs|ts|mjs)\b/g) ?? []
  const homes = ['', 'src/engine', 'src/binding']
  const missing = names.filter((name) => !homes.some((home) => existsSync(path.join(root, home, name))))
  expect(names.length).toBeGreaterThan(5)
  expect(missing).toEqual([])
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

  it('of options in the README is complete', () => {
    const body = /^export interface ToolOutputLimitsOptions \{\n(.*?)^\}/ms.exec(textOf('index.d.ts'))?.[1] ?? ''
    const options = [...body.matchAll(/^ {2}(\w+)\?:/gm)].map(([, name]) => name)
    const table = /^## Configuration\n(.*?)^## /ms.exec(textOf('README.md'))?.[1] ?? ''
    const shown = [...table.matchAll(/^\| (`[^|]+) \|/gm)].flatMap(([, cell]) => cell?.match(/\w+/g) ?? [])
    expect(options.length).toBeGreaterThan(15)
    expect(shown.sort()).toEqual(options.sort())
  })

  it('of arguments in the page on reading is complete', () => {
    const body = /^export interface ReadInput \{\n(.*?)^\}/ms.exec(textOf('index.d.ts'))?.[1] ?? ''
    const names = [...body.matchAll(/^ {2}(\w+)\??:/gm)].map(([, name]) => name)
    const shown = [...textOf('docs/reading.md').matchAll(/^\| (`[^|]+) \|/gm)]
    expect(shown.flatMap(([, cell]) => cell?.match(/\w+/g) ?? []).sort()).toEqual(names.sort())
  })

  it('of hosts in the README has every adapter', () => {
    const table = /^\| host \|.*?\n\n/ms.exec(textOf('README.md'))?.[0] ?? ''
    const named = [...table.matchAll(/`(?:tool-output-limits)?\/([\w-]+)`/g)].map(([, name]) => name)
    const files = readdirSync(path.join(root, 'adapters')).filter((file) => file.endsWith('.ts'))
    const hosts = files.map((file) => file.replace(/\.ts$/, '')).filter((name) => !name.startsWith('store'))
    expect(named.sort()).toEqual(hosts.sort())
  })

  it('of tests in the security page name files and suites that are there', () => {
    const page = textOf('docs/security.md')
    const named = [...page.matchAll(/`((?:__test__|src|fuzz)\/[\w./-]+)`((?:, "[^"]+")*)/g)]
    expect(named.length).toBeGreaterThan(10)
    for (const [, file = '', suites = ''] of named) {
      expect(existsSync(path.join(root, file)), file).toBe(true)
      for (const [, suite] of suites.matchAll(/"([^"]+)"/g)) expect(textOf(file)).toContain(`'${suite}'`)
    }
  })
})
