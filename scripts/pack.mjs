// Packs what would be published: the main package and the packages of the platforms whose binary is there.
//   node scripts/pack.mjs FOLDER   the tarballs go into FOLDER; prints their paths
// The repository's package.json names no binaries, for those of its own version are not published yet when it is used;
// the packed one names all of them as optional dependencies of the very same version.
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { root } from './run.mjs'

const folder = resolve(process.argv[2] ?? 'packed')
const staged = mkdtempSync(join(tmpdir(), 'tool-output-limits-pack-'))
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const platforms = readdirSync(join(root, 'npm')).sort()
try {
  mkdirSync(folder, { recursive: true })
  console.log(pack(stageMain()))
  for (const platform of platforms) {
    const home = stagePlatform(platform)
    if (home !== undefined) console.log(pack(home))
  }
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
  writeFileSync(join(home, 'package.json'), `${JSON.stringify(published, null, 2)}\n`)
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
  return home
}

function pack(home) {
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm'
  const options = { cwd: home, encoding: 'utf8', shell: npm.endsWith('.cmd') }
  const [{ filename }] = JSON.parse(execFileSync(npm, ['pack', '--json', '--pack-destination', folder], options))
  return join(folder, filename)
}
