import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { expect, it } from 'vitest'

/** Adapters that work on any host object handed to them, and must load where the host is not installed. */
const STRUCTURAL = [
  'ai-sdk',
  'anthropic',
  'claude-agent-sdk',
  'function',
  'mastra',
  'mcp',
  'openai-agents',
  'tanstack-ai',
]

it.each(STRUCTURAL)('%s loads nothing but the package itself', async (name) => {
  const entry = fileURLToPath(new URL(`../../adapters/${name}.ts`, import.meta.url))
  const { metafile } = await build({
    entryPoints: [entry],
    bundle: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    write: false,
    metafile: true,
  })
  const imports = Object.values(metafile.outputs).flatMap((output) => output.imports)
  const atLoad = imports.filter(({ kind, path }) => kind !== 'dynamic-import' && !path.startsWith('node:'))
  expect(new Set(atLoad.map(({ path }) => path))).toEqual(new Set(['tool-output-limits']))
})
