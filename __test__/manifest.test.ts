// package.json, the folders it speaks of, and the packages of the platforms agree.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseTriple } from '@napi-rs/cli'
import { build } from 'esbuild'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
const textOf = (file: string) => readFileSync(path.join(root, file), 'utf8')
const manifest = JSON.parse(textOf('package.json'))
const adapters = readdirSync(path.join(root, 'adapters')).filter((file) => file.endsWith('.ts'))
const peers = Object.keys(manifest.peerDependencies)

describe('exports', () => {
  it('name every adapter, and nothing that is none', () => {
    const subpaths = Object.keys(manifest.exports).filter((name) => /^\.\/(?!package\.json)/.test(name))
    expect(subpaths.sort()).toEqual(adapters.map((file) => `./${file.replace(/\.ts$/, '')}`).sort())
  })

  it('of an adapter are its own files, for import and for require', () => {
    for (const file of adapters) {
      const name = file.replace(/\.ts$/, '')
      expect(manifest.exports[`./${name}`]).toEqual({
        import: { types: `./dist/${name}.d.ts`, default: `./dist/${name}.js` },
        require: { types: `./dist/${name}.d.cts`, default: `./dist/${name}.cjs` },
      })
    }
  })

  it('of the entry are the same names on node, for require, and where it cannot run', async () => {
    const names = (file: string) => /export const \{([^}]*)\}/.exec(textOf(file))?.[1]?.match(/\w+/g)
    expect(names('index.js')).toContain('ToolOutputLimits')
    expect(names('unsupported.js')).toEqual(names('index.js'))
    const { default: entry } = await import('../index.cjs' as string)
    expect(Object.keys(entry).sort()).toEqual(names('index.js')?.sort())
  })

  it('are all among the files that are packed', () => {
    const packed = (file: string) => manifest.files.includes(file.split('/')[1])
    const targets = JSON.stringify(manifest.exports).match(/\.\/[\w./-]+\.(?:c?js|d\.c?ts)(?=")/g) ?? []
    expect(targets.length).toBeGreaterThan(20)
    expect(targets.filter((file) => !packed(file))).toEqual([])
  })
})

describe('dependencies', () => {
  it('at run time there are none; hosts are optional peers', () => {
    expect(manifest.dependencies).toBeUndefined()
    const optional = Object.entries<{ optional: boolean }>(manifest.peerDependenciesMeta)
    expect(optional.filter(([, { optional }]) => optional).map(([name]) => name)).toEqual(peers)
  })

  it.each(adapters)('%s imports nothing but the package, node and peers', async (file) => {
    const { metafile } = await build({
      absWorkingDir: root,
      entryPoints: [`adapters/${file}`],
      bundle: true,
      packages: 'external',
      format: 'esm',
      platform: 'node',
      write: false,
      metafile: true,
    })
    const imports = Object.values(metafile.outputs).flatMap((output) => output.imports.map((one) => one.path))
    const packages = imports.map((name) => /^(?:@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? name)
    const foreign = packages.filter((name) => name !== manifest.name && !name.startsWith('node:'))
    expect(peers).toEqual(expect.arrayContaining(foreign))
  })

  it('every peer is a host that an adapter speaks of', () => {
    const sources = readdirSync(path.join(root, 'adapters'), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => textOf(`adapters/${file}`))
      .join('\n')
    expect(peers.filter((name) => !sources.includes(`'${name}`) && !sources.includes(`\`${name}\``))).toEqual([])
  })

  it('for development are pinned', () => {
    const versions = Object.values<string>(manifest.devDependencies).map((version) => version.replace(/^npm:.+@/, ''))
    expect(versions.filter((version) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([])
  })
})

describe('platform packages', () => {
  const targets: string[] = manifest.napi.targets

  it('there is one for every target', () => {
    const folders = targets.map((target) => parseTriple(target).platformArchABI).sort()
    expect(readdirSync(path.join(root, 'npm')).sort()).toEqual(folders)
    expect(folders).toHaveLength(7)
  })

  it.each(targets)('that of %s is installed there only, and holds its binary', (target) => {
    const { platformArchABI, platform, arch, abi } = parseTriple(target)
    const binary = `tool-output-limits.${platformArchABI}.node`
    const { name, version, os, cpu, libc, main, files, license, engines } = JSON.parse(
      textOf(`npm/${platformArchABI}/package.json`),
    )
    expect({ name, version, os, cpu, main, files, license, engines }).toEqual({
      name: `tool-output-limits-${platformArchABI}`,
      version: manifest.version,
      os: [platform],
      cpu: [arch],
      main: binary,
      files: [binary],
      license: manifest.license,
      engines: manifest.engines,
    })
    expect(libc).toEqual(platform === 'linux' ? [abi === 'gnu' ? 'glibc' : abi] : undefined)
    expect(textOf('native.cjs')).toContain(`require('tool-output-limits-${platformArchABI}')`)
  })

  it('are built, tested and published by the release', () => {
    const release = textOf('.github/workflows/release.yml')
    for (const target of targets) expect(release.split(`target: ${target},`), target).toHaveLength(3)
  })
})

it('the version is the same in the lock file and heads the changelog', () => {
  const { version, packages } = JSON.parse(textOf('package-lock.json'))
  expect([version, packages[''].version]).toEqual([manifest.version, manifest.version])
  expect(/^## (\S+)/m.exec(textOf('CHANGELOG.md'))?.[1]).toBe(manifest.version)
})

it('workflows use actions by the hash of a commit', () => {
  for (const file of readdirSync(path.join(root, '.github/workflows'))) {
    const uses = [...textOf(`.github/workflows/${file}`).matchAll(/uses: (.+)/g)].map(([, action]) => action ?? '')
    expect(uses.length).toBeGreaterThan(0)
    expect(uses.filter((action) => !/^[\w/-]+@[0-9a-f]{40} # v\d/.test(action))).toEqual([])
  }
})

it('scripts start files that are there', () => {
  for (const command of Object.values<string>(manifest.scripts)) {
    for (const [, file] of command.matchAll(/node (?:--\S+ )*(\S+\.mjs)/g))
      expect(existsSync(path.join(root, file ?? '')), file).toBe(true)
  }
})
