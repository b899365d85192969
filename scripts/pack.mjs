// Packs what would be published: the main package and the packages of the platforms whose binary is there.
//   node scripts/pack.mjs FOLDER         the tarballs go into FOLDER; prints their paths, that of the main package last
//   node scripts/pack.mjs FOLDER --all   fails where the binary of a platform is missing, as a release must
// The repository's package.json names no binaries, for those of its own version are not published yet when it is used;
// the packed one names all of them as optional dependencies of the very same version.
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseTriple } from '@napi-rs/cli'
import { notices } from './notices.mjs'
import { root } from './run.mjs'

/** The licences of what a binary contains. */
const NOTICES = 'THIRD-PARTY-LICENSES'

const isRelease = process.argv.includes('--all')
const folder = resolve(process.argv[2] ?? 'packed')
const staged = mkdtempSync(join(tmpdir(), 'tool-output-limits-pack-'))
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const platforms = readdirSync(join(root, 'npm')).sort()
/** Where the packages come from; npm compares it with the place that attests their provenance. */
const repository =
  process.env.GITHUB_REPOSITORY === undefined
    ? undefined
    : { type: 'git', url: `git+https://github.com/${process.env.GITHUB_REPOSITORY}.git` }
try {
  mkdirSync(folder, { recursive: true })
  for (const platform of platforms) {
    const home = stagePlatform(platform)
    if (home !== undefined) console.log(pack(home))
    else if (isRelease) throw new Error(`no binary for ${platform}`)
  }
  // Last, so that what publishes in this order never names a binary that is not there.
  console.log(pack(stageMain()))
} finally {
  rmSync(staged, { recursive: true, force: true })
}

function stageMain() {
  const home = join(staged, 'main')
  mkdirSync(home)
  for (const file of [...manifest.files, 'README.md', 'LICENSE']) {
    if (existsSync(join(root, file))) cpSync(join(root, file), join(home, file), { recursive: true })
  }
  const { devDependencies: _, scripts: __, ...published } = manifest
  published.optionalDependencies = Object.fromEntries(
    platforms.map((platform) => [`${manifest.name}-${platform}`, manifest.version]),
  )
  writeManifest(home, published)
  return home
}

/** A package of one binary; undefined where the binary is not there. */
function stagePlatform(platform) {
  const binary = `${manifest.name}.${platform}.node`
  const source = [join(root, 'npm', platform, binary), join(root, binary)].find(existsSync)
  if (source === undefined) return undefined
  const home = join(staged, platform)
  cpSync(join(root, 'npm', platform), home, { recursive: true })
  cpSync(source, join(home, binary))
  cpSync(join(root, 'LICENSE'), join(home, 'LICENSE'))
  try {
    writeFileSync(join(home, NOTICES), notices(targetOf(platform)))
  } catch (error) {
    if (isRelease) throw error
    console.error(`${platform} without ${NOTICES}: ${error.message}`)
  }
  const published = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'))
  writeManifest(home, { ...published, files: [...published.files, NOTICES] })
  return home
}

function writeManifest(home, published) {
  const complete = repository === undefined ? published : { ...published, repository }
  writeFileSync(join(home, 'package.json'), `${JSON.stringify(complete, null, 2)}\n`)
}

/** The target of the compiler: `x86_64-unknown-linux-gnu` for `linux-x64-gnu`. */
function targetOf(platform) {
  const target = manifest.napi.targets.find((triple) => parseTriple(triple).platformArchABI === platform)
  if (target === undefined) throw new Error(`package.json has no target for ${platform}`)
  return target
}

function pack(home) {
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm'
  const options = { cwd: home, encoding: 'utf8', shell: npm.endsWith('.cmd') }
  const [{ filename }] = JSON.parse(execFileSync(npm, ['pack', '--json', '--pack-destination', folder], options))
  return join(folder, filename)
}
