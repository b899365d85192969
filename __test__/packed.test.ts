// The package as it is installed: from tarballs, in an empty folder, in every way that people load it.
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'

// Compilers and bundlers on a busy machine.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 })

const root = fileURLToPath(new URL('..', import.meta.url))
const manifest = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'))
const binary = readdirSync(root).find((file) => file.endsWith('.node'))
const platform = binary?.split('.').at(-2) ?? 'missing'
const tools = path.join(root, 'node_modules')
/** Folder of what is installed. */
const installed = (...names: string[]) => path.join(app, 'node_modules', ...names)
let app = ''
let main = ''

function run(script: string, args: string[] = [], flags: string[] = []): string {
  const options = { cwd: app, encoding: 'utf8', timeout: 150_000, stdio: 'pipe' } as const
  return execFileSync(process.execPath, [...flags, script, ...args], options)
}
const write = (file: string, text: string) => writeFileSync(path.join(app, file), text)
const tool = (name: string, file: string) => path.join(tools, name, file)

beforeAll(() => {
  app = mkdtempSync(path.join(tmpdir(), 'tol-packed-'))
  const packed = path.join(app, 'packed')
  const tarballs = execFileSync(process.execPath, [path.join(root, 'scripts/pack.mjs'), packed], { encoding: 'utf8' })
    .trim()
    .split('\n')
  main = tarballs.at(-1) ?? ''
  const binaryTarball = tarballs.find((tarball) => tarball.includes(platform)) ?? ''
  write('package.json', JSON.stringify({ name: 'app', private: true }))
  // Offline: the binaries of the other platforms are optional, and nothing else may be needed.
  const windows = process.platform === 'win32'
  const flags = ['--offline', '--no-audit', '--no-fund', '--loglevel=error']
  execFileSync(windows ? 'npm.cmd' : 'npm', ['install', ...flags, main, binaryTarball], { cwd: app, shell: windows })
})
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

/** Uses types of the entry and of adapters that need no host. */
const USES_TYPES = `import { spill, ToolOutputLimits, truncate, type Reduction } from 'tool-output-limits'
       import { withToolOutputLimits, type LimitToolsOptions } from 'tool-output-limits/ai-sdk'
       import { limitFunction } from 'tool-output-limits/function'
       import { limitMcpClient } from 'tool-output-limits/mcp'
       const limits = new ToolOutputLimits({ bands: [{ over: 10, action: spill({ fallback: truncate({ maxChars: undefined }) }) }] })
       export async function use(): Promise<number> {
         const reduction: Reduction<{ a: number }> = await limits.reduce({ a: 1 }, { toolName: 't', runId: undefined })
         if (!reduction.reduced) return reduction.value.a
         return typeof reduction.value === 'string' ? reduction.value.length : reduction.value.a
       }
       export const limited: (n: number) => Promise<string> = limitFunction((n: number) => String(n), limits, { toolName: 't' })
       export const options: LimitToolsOptions = {}
       export const client = limitMcpClient({ callTool: async () => ({ content: [] }) }, limits)
       export const tools = withToolOutputLimits({ t: { execute: () => 'text' } }, limits)
       // @ts-expect-error an option that does not exist
       new ToolOutputLimits({ band: [] })`

describe('installed from tarballs', () => {
  it('is the package, the binary of this platform, and nothing else', () => {
    expect(readdirSync(installed()).filter((name) => !name.startsWith('.'))).toEqual([
      'tool-output-limits',
      `tool-output-limits-${platform}`,
    ])
    const { dependencies, optionalDependencies, scripts } = JSON.parse(
      readFileSync(installed('tool-output-limits', 'package.json'), 'utf8'),
    )
    expect(dependencies).toBeUndefined()
    expect(scripts).toBeUndefined()
    const platforms = readdirSync(path.join(root, 'npm')).map((name) => [
      `tool-output-limits-${name}`,
      manifest.version,
    ])
    expect(optionalDependencies).toEqual(Object.fromEntries(platforms))
    expect(existsSync(installed('tool-output-limits', 'LICENSE'))).toBe(true)
  })

  // A release without them fails; machines that only test a binary have no cargo.
  const hasCargo = spawnSync('cargo', ['--version']).status === 0
  it.skipIf(!hasCargo)('brings the licences of what is in the binary (asked of cargo, where there is one)', () => {
    const text = readFileSync(installed(`tool-output-limits-${platform}`, 'THIRD-PARTY-LICENSES'), 'utf8')
    for (const crate of ['napi', 'tokio', 'regex', 'serde_json']) expect(text).toMatch(new RegExp(`^${crate} \\d`, 'm'))
    expect(text).toContain('Permission is hereby granted')
    // Only compiled in for tests, and run while building.
    expect(text).not.toMatch(/^(?:proptest|napi-build|syn) \d/m)
  })

  it('is loaded by require and by import, as the same classes', () => {
    write('use.cjs', program(`const ${names} = require('tool-output-limits')`))
    write('use.mjs', program(`import ${names} from 'tool-output-limits'`))
    expect(run('use.cjs')).toBe('spill line 10000\n')
    expect(run('use.mjs')).toBe('spill line 10000\n')
    write(
      'same.mjs',
      `import { createRequire } from 'node:module'
       import { ToolOutputLimits } from 'tool-output-limits'
       const entry = createRequire(import.meta.url)('tool-output-limits')
       console.log(entry.ToolOutputLimits === ToolOutputLimits)`,
    )
    expect(run('same.mjs')).toBe('true\n')
  })

  it.each(Object.keys(manifest.exports).filter((name) => /^\.\/(?!package)/.test(name)))(
    '%s has its files and its types, in both module systems',
    (subpath) => {
      const home = installed('tool-output-limits')
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
    expect(run('host.mjs')).toBe('true\n')
    expect(run('host.cjs', [], ['--no-experimental-require-module'])).toBe('true\n')
  })

  const nodenext = { module: 'nodenext', moduleResolution: 'nodenext' }
  const bundler = { module: 'esnext', moduleResolution: 'bundler' }
  const node10 = { module: 'commonjs', moduleResolution: 'node10' }
  it.each([
    ['nodenext, ESM and CommonJS', 'typescript', nodenext, ['mts', 'cts']],
    ['bundler', 'typescript', bundler, ['mts']],
    ['TypeScript 5, nodenext, ESM and CommonJS', 'typescript-5', nodenext, ['mts', 'cts']],
    ['TypeScript 5 as it resolves CommonJS by default, without a look at `exports`', 'typescript-5', node10, ['ts']],
  ])('types check strictly, those of the package included: %s', (_, compiler, resolution, extensions) => {
    const files = extensions.map((extension) => `types.${extension}`)
    for (const file of files) write(file, USES_TYPES)
    const options = {
      strict: true,
      exactOptionalPropertyTypes: true,
      noEmit: true,
      target: 'es2022',
      lib: ['es2022'],
      types: ['node'],
    }
    write(
      'tsconfig.json',
      JSON.stringify({
        compilerOptions: { ...options, ...resolution, typeRoots: [path.join(tools, '@types')] },
        files,
      }),
    )
    expect(run(tool(compiler, 'bin/tsc'), ['-p', 'tsconfig.json'])).toBe('')
  })

  it('publint and "are the types wrong" have no complaint', () => {
    expect(run(tool('publint', 'src/cli.js'), [main, '--strict'])).toMatch(/All good/)
    // Ends with 1 where it finds a problem, which throws here.
    const report = JSON.parse(
      run(tool('@arethetypeswrong/cli', 'dist/index.js'), [main, '--profile', 'node16', '--format', 'json']),
    )
    // The profile leaves out what knows no `exports`; the report still has it.
    const problems = report.analysis.problems as { resolutionKind?: string }[]
    expect(problems.filter(({ resolutionKind }) => resolutionKind !== 'node10')).toEqual([])
    const { exports } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'))
    expect(Object.keys(report.analysis.entrypoints).sort()).toEqual(Object.keys(exports).sort())
  })
})

describe('behind a bundler', () => {
  it('esbuild, with the package left external', () => {
    write('bundled.mjs', program(`import ${names} from 'tool-output-limits'`))
    write(
      'esbuild.cjs',
      `require(${JSON.stringify(tool('esbuild', ''))}).buildSync({
         entryPoints: ['bundled.mjs'], bundle: true, platform: 'node', format: 'esm',
         external: ['tool-output-limits'], outfile: 'out/esbuild.mjs',
       })`,
    )
    run('esbuild.cjs')
    expect(run('out/esbuild.mjs')).toBe('spill line 10000\n')
  })

  it('esbuild, with the package bundled and only the binary left external', () => {
    write('inside.mjs', program(`import ${names} from 'tool-output-limits'`))
    write(
      'esbuild-inside.cjs',
      `require(${JSON.stringify(tool('esbuild', ''))}).buildSync({
         entryPoints: ['inside.mjs'], bundle: true, platform: 'node', format: 'cjs', logLevel: 'error',
         external: ['*.node', 'tool-output-limits-*'], outfile: 'out/inside.cjs',
       })`,
    )
    run('esbuild-inside.cjs')
    expect(run('out/inside.cjs')).toBe('spill line 10000\n')
  })

  it('webpack, with the package left external', () => {
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
    run('webpack.cjs')
    expect(run('out/webpack.cjs')).toBe('spill line 10000\n')
  })
})

describe('where it cannot run', () => {
  it('says which platforms there are and how to build it', () => {
    const home = installed(`tool-output-limits-${platform}`)
    const moved = path.join(app, 'moved')
    write('missing.cjs', `try { require('tool-output-limits') } catch (error) { console.log(error.message) }`)
    renameSync(home, moved)
    try {
      expect(run('missing.cjs')).toMatch(/Linux x64.*npm run build/s)
    } finally {
      renameSync(moved, home)
    }
  })

  const edge = /native Node\.js addon .* cannot run in an edge runtime/
  it.each(['edge-light', 'workerd', 'browser'])('says so on an edge runtime: %s', (condition) => {
    write('static.mjs', `import ${names} from 'tool-output-limits'`)
    expect(() => run('static.mjs', [], [`--conditions=${condition}`])).toThrow(edge)
  })

  it('says so on an edge runtime, for an adapter as well', () => {
    write('adapter.mjs', `import { limitFunction } from 'tool-output-limits/function'`)
    expect(run('adapter.mjs'), 'on node').toBe('')
    expect(() => run('adapter.mjs', [], ['--conditions=edge-light'])).toThrow(edge)
  })

  it('says so in a bundle for the browser', () => {
    write('web.mjs', program(`import ${names} from 'tool-output-limits'`))
    write(
      'web.cjs',
      `require(${JSON.stringify(tool('esbuild', ''))}).buildSync({
         entryPoints: ['web.mjs'], bundle: true, platform: 'browser', format: 'esm', outfile: 'out/web.mjs',
       })`,
    )
    run('web.cjs')
    expect(() => run('out/web.mjs')).toThrow(edge)
  })
})
