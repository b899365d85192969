// Builds the TypeScript parts into dist/: the entry once, as CommonJS (so that `require` and `import` get the same
// classes), every adapter as ESM and as CommonJS, and types for both. Writes the loaders index.js and unsupported.js.
import { copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bin, isMain, root, run } from './run.mjs'

export async function buildEntry() {
  const { build } = await import('esbuild')
  const shared = {
    absWorkingDir: root,
    bundle: true,
    platform: 'node',
    target: 'node20',
    logLevel: 'warning',
    // A class that refers to itself is renamed in a bundle; users would see that name in what they print.
    keepNames: true,
  }
  rmSync(join(root, 'dist'), { recursive: true, force: true })
  mkdirSync(join(root, 'dist'))
  const entry = { ...shared, entryPoints: { index: 'api/index.ts' }, external: ['*/native.cjs'], outdir: 'dist' }
  await build({ ...entry, format: 'cjs', outExtension: { '.js': '.cjs' } })
  const { metafile } = await build({ ...entry, format: 'esm', write: false, metafile: true })
  writeLoaders(metafile.outputs['dist/index.js'].exports)
  copyFileSync(join(root, 'index.d.ts'), join(root, 'dist', 'index.d.cts'))
  const adapters = adapterFiles()
  if (adapters.length === 0) return
  for (const [format, extension] of [
    ['esm', '.js'],
    ['cjs', '.cjs'],
  ]) {
    await build({
      ...shared,
      entryPoints: adapters,
      format,
      packages: 'external',
      outbase: 'adapters',
      outdir: 'dist',
      outExtension: { '.js': extension },
    })
  }
  run(process.execPath, [bin('typescript', 'tsc'), '-p', 'tsconfig.adapters.json'])
  // Of common/ there are types as well, but none that those of the adapters refer to.
  cpSync(join(root, 'dist', 'types', 'adapters'), join(root, 'dist'), { recursive: true })
  rmSync(join(root, 'dist', 'types'), { recursive: true })
  for (const file of readdirSync(join(root, 'dist'), { recursive: true })) {
    if (file.endsWith('.d.ts')) commonJsTypes(join(root, 'dist', file))
  }
}

/** `import` gets the classes that `require` gets; where addons cannot be loaded, a message, and not a missing name. */
function writeLoaders(names) {
  const header = (what) => `// ${what}\n// Written by scripts/build-entry.mjs from the exports of api/index.ts.\n`
  const list = `export const {\n${names.map((name) => `  ${name},\n`).join('')}}`
  const message =
    'tool-output-limits is a native Node.js addon (Node.js 20 or later) and cannot run in an edge runtime or a browser. ' +
    'Run the tool on the Node.js runtime; see docs/bundlers.md.'
  const loaders = {
    'index.js': `${header('The same classes as `require` gives: the entry is built once.')}import entry from './index.cjs'\n\n${list} = entry\n`,
    'unsupported.js': `${header('In place of index.js where native addons cannot be loaded: edge runtimes and browsers.')}function unsupported() {\n  throw new Error(\n    '${message}',\n  )\n}\n\n${list} = unsupported()\n`,
  }
  for (const [name, text] of Object.entries(loaders)) {
    // Not touched where it is the same: a process may be about to read it.
    const path = join(root, name)
    if (!existsSync(path) || readFileSync(path, 'utf8') !== text) writeFileSync(path, text)
  }
}

/** The same types for `require`: what they refer to beside them must be CommonJS too. */
function commonJsTypes(file) {
  const types = readFileSync(file, 'utf8').replaceAll(/(\b(?:from|import\()\s*(['"])\.[^'"]*)\.js\2/g, '$1.cjs$2')
  writeFileSync(file.replace(/\.ts$/, '.cts'), types)
}

/** One adapter a file; what they share lies in adapters/shared. */
export function adapterFiles() {
  const files = (folder) =>
    existsSync(join(root, folder))
      ? readdirSync(join(root, folder))
          .filter((file) => file.endsWith('.ts'))
          .map((file) => `${folder}/${file}`)
      : []
  return [...files('adapters'), ...files('adapters/stores')].sort()
}

if (isMain(import.meta)) await buildEntry()
