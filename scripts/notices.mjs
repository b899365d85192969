// The licences of the crates inside a binary: they ask to be handed on with it.
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { root } from './run.mjs'

/** How crates name the files of their licences. */
const LICENCE_FILE = /^(?:licen[cs]e|copying|unlicense|notice)/i

/** The text that goes with the binary for a target such as `x86_64-unknown-linux-gnu`. */
export function notices(target) {
  const crates = linkedCrates(target)
  const texts = new Map()
  for (const crate of crates) {
    const folder = dirname(crate.manifest_path)
    for (const file of readdirSync(folder).filter((name) => LICENCE_FILE.test(name))) {
      const text = readFileSync(join(folder, file), 'utf8').trim()
      texts.set(text, [...(texts.get(text) ?? []), nameOf(crate)])
    }
  }
  const list = crates.map((crate) => `${nameOf(crate)}: ${crate.license}, ${crate.repository}`)
  const parts = [...texts].map(([text, names]) => `${'-'.repeat(80)}\n${[...new Set(names)].join(', ')}\n\n${text}`)
  return `This binary contains these crates:\n\n${list.join('\n')}\n\n${parts.join('\n\n')}\n`
}

/** What is compiled into the addon: dependencies of dependencies, without what only builds, tests and macros run. */
export function linkedCrates(target) {
  const { packages, resolve } = JSON.parse(
    execFileSync('cargo', ['metadata', '--format-version', '1', '--locked', '--filter-platform', target], {
      cwd: root,
      encoding: 'utf8',
      maxBuffer: 1 << 28,
      stdio: ['ignore', 'pipe', 'inherit'],
    }),
  )
  const nodes = new Map(resolve.nodes.map((node) => [node.id, node]))
  const macros = new Set(packages.filter(({ targets }) => targets.some(isMacro)).map(({ id }) => id))
  const linked = new Set([resolve.root])
  for (const id of linked) {
    for (const { pkg, dep_kinds: kinds } of nodes.get(id).deps) {
      if (!macros.has(pkg) && kinds.some(({ kind }) => kind === null)) linked.add(pkg)
    }
  }
  return packages
    .filter(({ id }) => linked.has(id) && id !== resolve.root)
    .sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))
}

function isMacro({ kind }) {
  return kind.includes('proc-macro')
}

function nameOf({ name, version }) {
  return `${name} ${version}`
}
