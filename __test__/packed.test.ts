// The package as it is installed: from tarballs, in an empty folder, in every way that people load it.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
const manifest = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'))
const binary = readdirSync(root).find((file) => file.endsWith('.node'))
const platform = binary?.split('.').at(-2) ?? 'missing'
const tools = path.join(root, 'node_modules')
let app = ''
let main = ''

function run(script: string, args: string[], options: { env?: NodeJS.ProcessEnv } = {}): string {
  return execFileSync(process.execPath, [script, ...args], { cwd: app, encoding: 'utf8', timeout: 120_000, ...options })
}
const write = (file: string, text: string) => writeFileSync(path.join(app, file), text)
const tool = (name: string, file: string) => path.join(tools, name, file)

beforeAll(() => {
  app = mkdtempSync(path.join(tmpdir(), 'tol-packed-'))
  const packed = path.join(app, 'packed')
  const tarballs = execFileSync(process.execPath, [path.join(root, 'scripts/pack.mjs'), packed], { encoding: 'utf8' })
    .trim()
    .split('\n')
  main = tarballs[0] ?? ''
  write('package.json', JSON.stringify({ name: 'app', private: true }))
  const binaryTarball = tarballs.find((tarball) => tarball.includes(platform)) ?? ''
  // What npm does with two tarballs and nothing else to fetch.
  for (const [tarball, name] of [
    [main, 'tool-output-limits'],
    [binaryTarball, `tool-output-limits-${platform}`],
  ] as const) {
    const home = path.join(app, 'node_modules', name)
    mkdirSync(home, { recursive: true })
    execFileSync('tar', ['-xzf', tarball, '-C', home, '--strip-components=1'])
  }
}, 120_000)
afterAll(() => rmSync(app, { recursive: true, force: true }))

const use = (load: string) => `${load}
const limits = new ToolOutputLimits({ store: new LocalFileStore({ root: ${JSON.stringify('ROOT')} }), runId: 'run' })
limits.readToolResult()
limits.reduce('line\\n'.repeat(10_000), { toolName: 'log', toolCallId: 'call' }).then(async ({ report }) => {
  const page = await limits.read({ handle: report.handle, offset: 9_999 })
  console.log(report.action, page.text.trim(), page.totalLines)
})
`
const program = (load: string) => use(load).replace('"ROOT"', JSON.stringify(path.join(app, 'spilled')))
const names = '{ LocalFileStore, ToolOutputLimits }'

describe('installed from tarballs', () => {
  it('is loaded by require and by import, as the same classes', () => {
    write('use.cjs', program(`const ${names} = require('tool-output-limits')`))
    write('use.mjs', program(`import ${names} from 'tool-output-limits'`))
    expect(run('use.cjs', [])).toBe('spill line 10000\n')
    expect(run('use.mjs', [])).toBe('spill line 10000\n')
    write(
      'same.mjs',
      `import { createRequire } from 'node:module'
       import { ToolOutputLimits } from 'tool-output-limits'
       const entry = createRequire(import.meta.url)('tool-output-limits')
       console.log(entry.ToolOutputLimits === ToolOutputLimits)`,
    )
    expect(run('same.mjs', [])).toBe('true\n')
  })

  it.each(Object.keys(manifest.exports).filter((name) => /^\.\/(?!package)/.test(name)))(
    '%s has its files and its types, in both module systems',
    (subpath) => {
      const home = path.join(app, 'node_modules/tool-output-limits')
      const { import: esm, require: cjs } = manifest.exports[subpath]
      for (const file of [esm.types, esm.default, cjs.types, cjs.default]) {
        expect(existsSync(path.join(home, file)), file).toBe(true)
      }
    },
  )

  it.each(['./function', './mcp', './ai-sdk'])('%s is loaded without its host', (subpath) => {
    const name = subpath.replace('.', 'tool-output-limits')
    write('host.mjs', `console.log(Object.keys(await import('${name}')).length > 0)`)
    write('host.cjs', `console.log(Object.keys(require('${name}')).length > 0)`)
    expect(run('host.mjs', [])).toBe('true\n')
    expect(run('host.cjs', ['--no-experimental-require-module'])).toBe('true\n')
  })

  it.each([
    ['nodenext', { module: 'nodenext', moduleResolution: 'nodenext' }, 'mts'],
    ['nodenext, CommonJS', { module: 'nodenext', moduleResolution: 'nodenext' }, 'cts'],
    ['bundler', { module: 'esnext', moduleResolution: 'bundler' }, 'mts'],
  ])('types check strictly: %s', (_, resolution, extension) => {
    write(
      `types.${extension}`,
      `import { spill, ToolOutputLimits, truncate, type Reduction } from 'tool-output-limits'
       const limits = new ToolOutputLimits({ bands: [{ over: 10, action: spill({ fallback: truncate({ maxChars: undefined }) }) }] })
       export async function use(): Promise<number> {
         const reduction: Reduction<{ a: number }> = await limits.reduce({ a: 1 }, { toolName: 't', runId: undefined })
         if (!reduction.reduced) return reduction.value.a
         return typeof reduction.value === 'string' ? reduction.value.length : reduction.value.a
       }
       // @ts-expect-error an option that does not exist
       new ToolOutputLimits({ band: [] })`,
    )
    const options = { strict: true, exactOptionalPropertyTypes: true, noEmit: true, target: 'es2022', types: ['node'] }
    write(
      'tsconfig.json',
      JSON.stringify({
        compilerOptions: { ...options, ...resolution, typeRoots: [path.join(tools, '@types')] },
        files: [`types.${extension}`],
      }),
    )
    expect(run(tool('typescript', 'bin/tsc'), ['-p', 'tsconfig.json'])).toBe('')
  })

  it('publint and "are the types wrong" have no complaint', () => {
    expect(run(tool('publint', 'src/cli.js'), [main, '--strict'])).toMatch(/All good/)
    // Ends with 1 where it finds a problem, which throws here.
    const report = run(tool('@arethetypeswrong/cli', 'dist/index.js'), [main, '--profile', 'node16'])
    const resolutions = report.split('\n').filter((line) => /^(?:node16|bundler)/.test(line))
    expect(resolutions.length).toBeGreaterThan(20)
    expect(resolutions.filter((line) => !line.includes('🟢'))).toEqual([])
  })
})

describe('behind a bundler, with the package left external', () => {
  it('esbuild', () => {
    write('bundled.mjs', program(`import ${names} from 'tool-output-limits'`))
    write(
      'esbuild.cjs',
      `require(${JSON.stringify(tool('esbuild', ''))}).buildSync({
         entryPoints: ['bundled.mjs'], bundle: true, platform: 'node', format: 'esm',
         external: ['tool-output-limits'], outfile: 'out/esbuild.mjs',
       })`,
    )
    run('esbuild.cjs', [])
    expect(run('out/esbuild.mjs', [])).toBe('spill line 10000\n')
  })

  it('webpack', () => {
    write('bundled.js', program(`import ${names} from 'tool-output-limits'`))
    write(
      'webpack.cjs',
      `const webpack = require(${JSON.stringify(tool('webpack', ''))})
       webpack({
         mode: 'production', target: 'node', entry: './bundled.js',
         externals: { 'tool-output-limits': 'commonjs tool-output-limits' },
         output: { path: require('node:path').join(__dirname, 'out'), filename: 'webpack.cjs' },
       }, (error, stats) => { if (error || stats.hasErrors()) { console.error(error ?? stats.toString()); process.exit(1) } })`,
    )
    run('webpack.cjs', [])
    expect(run('out/webpack.cjs', [])).toBe('spill line 10000\n')
  })
})

describe('where it cannot run', () => {
  it('says which platforms there are and how to build it', () => {
    const home = path.join(app, 'node_modules', `tool-output-limits-${platform}`)
    const moved = path.join(app, 'moved')
    mkdirSync(moved)
    execFileSync('mv', [home, moved])
    write('missing.cjs', `try { require('tool-output-limits') } catch (error) { console.log(error.message) }`)
    try {
      expect(run('missing.cjs', [])).toMatch(/Linux x64.*npm run build/s)
    } finally {
      execFileSync('mv', [path.join(moved, `tool-output-limits-${platform}`), home])
      rmSync(moved, { recursive: true })
    }
  })

  it('says so on an edge runtime', () => {
    write('edge.mjs', `await import('tool-output-limits').catch((error) => console.log(error.message))`)
    expect(run('edge.mjs', [])).toBe('')
    const edge = execFileSync(process.execPath, ['--conditions=edge-light', 'edge.mjs'], { cwd: app, encoding: 'utf8' })
    expect(edge).toMatch(/native Node\.js addon/)
  })
})
