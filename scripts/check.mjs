// Everything that is judged without running a test. Runs all steps, so that one look shows all that is wrong.
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { linkedCrates } from './notices.mjs'
import { bin, root, run } from './run.mjs'

run(process.execPath, ['scripts/setup.mjs', '--hosts'])

const node = (name, command, ...args) => [process.execPath, [bin(name, command), ...args]]
const steps = {
  rustfmt: ['cargo', ['fmt', '--check']],
  'rustfmt, fuzz targets': ['cargo', ['fmt', '--check', '--manifest-path', 'fuzz/Cargo.toml']],
  'clippy, addon': ['cargo', ['clippy', '--quiet', '--', '-D', 'warnings']],
  'clippy, engine and its tests': [
    'cargo',
    ['clippy', '--quiet', '--no-default-features', '--all-targets', '--', '-D', 'warnings'],
  ],
  'purity of the engine, borders of the layers': () => [...engineImports(), ...arrows()],
  'format and lint': node('@biomejs/biome', 'biome', 'check', '--error-on-warnings', '.'),
  types: node('typescript', 'tsc', '-p', 'tsconfig.json'),
  'types of the host tests': node('typescript', 'tsc', '-p', 'tsconfig.hosts.json'),
  spelling: node('cspell', 'cspell', 'lint', '--no-progress', '--quiet', '.'),
  licences: () => runtimeDependencies(),
}

let failed = 0
for (const [name, step] of Object.entries(steps)) {
  const start = performance.now()
  const problems = typeof step === 'function' ? step() : spawned(...step)
  for (const problem of problems) console.error(problem)
  if (problems.length > 0) failed += 1
  const seconds = ((performance.now() - start) / 1000).toFixed(1)
  console.error(`${problems.length > 0 ? 'FAILED' : 'ok    '} ${name} (${seconds} s)`)
}
process.exit(failed > 0 ? 1 : 0)

function spawned(command, args) {
  const { status } = spawnSync(command, args, { cwd: root, stdio: ['ignore', 2, 2] })
  return status === 0 ? [] : [`${command} ended with ${status}`]
}

/** The engine knows nothing of node. */
function engineImports() {
  return files('src/engine', '.rs')
    .filter((file) => /\bnapi(?:_derive)?::|\bcrate::binding\b/.test(read(file)))
    .map((file) => `${file} uses the binding`)
}

/** adapters → index → api → native; nothing points back. What adapters and api have in common knows neither. */
function arrows() {
  const rules = [
    ['api', /(?:adapters|dist)\//, 'reaches into the adapters'],
    ['common', /^\.\.\//, 'reaches out of its folder'],
    ['adapters', /\/api\/|native/, 'goes past the entry'],
    ['adapters', /\/index\.js$/, 'does not use the package by its name'],
  ]
  const crossed = rules.flatMap(([folder, pattern, problem]) =>
    files(folder, '.ts').flatMap((file) =>
      imports(read(file))
        .filter(({ from }) => pattern.test(from))
        .map(({ from }) => `${file} ${problem}: ${from}`),
    ),
  )
  const loading = files('api', '.ts')
    .filter((file) => file !== 'api/native.ts')
    .filter((file) => imports(read(file)).some(({ from, isType }) => from.endsWith('native.cjs') && !isType))
    .map((file) => `${file} loads the addon by itself`)
  return [...crossed, ...loading]
}

/** From where a file imports, on however many lines, and whether that is types alone. */
function imports(source) {
  const code = source.replace(/\/\*[\s\S]*?\*\/|(?<!:)\/\/.*$/gm, '')
  const statement =
    /^(?:import|export)\b(?<type> type\b)?(?<names>(?:(?!^(?:import|export)\b)[^'"`])*?)\bfrom\s*['"](?<from>[^'"]+)['"]/gm
  const load = /(?<type>\btypeof\s+)?\b(?:import|require)\s*\(?\s*['"`](?<from>[^'"`]+)['"`]/g
  const areTypes = /^\s*\{(?:\s*type\s[^,}]+,?)+\s*\}\s*$/
  return [statement, load].flatMap((pattern) =>
    [...code.matchAll(pattern)].map(({ groups: { from, type, names = '' } }) => ({
      from,
      isType: type !== undefined || areTypes.test(names),
    })),
  )
}

/** The package needs nothing at run time but its own binary, whose crates are all under permissive licences. */
function runtimeDependencies() {
  const { dependencies = {} } = JSON.parse(read('package.json'))
  const problems = Object.keys(dependencies).map((name) => `package.json: ${name} is needed at run time`)
  const permissive = /MIT|Apache-2\.0|BSD|ISC|Unicode|Zlib|Unlicense|CC0|0BSD/
  for (const { name, version, license } of linkedCrates('x86_64-unknown-linux-gnu')) {
    if (!permissive.test(license ?? '')) problems.push(`crate ${name} ${version} is under ${license}`)
  }
  return problems
}

function files(folder, extension) {
  return readdirSync(join(root, folder), { recursive: true })
    .filter((file) => file.endsWith(extension))
    .map((file) => `${folder}/${file}`)
}

function read(file) {
  return readFileSync(join(root, file), 'utf8')
}
