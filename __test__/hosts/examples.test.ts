import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const run = promisify(execFile)

/** What an example shows: the notice in place of the result, and the line that was read back. */
const LINE_READ: Record<string, string> = {
  'ai-sdk': 'lines 1,000–1,000 of 4,000',
  anthropic: 'line 1000 ',
  'claude-agent-sdk': 'line 1002 ',
  function: '4322: line 4321: all quiet',
  langchain: 'line 1000 ',
  mastra: 'line 1000 ',
  mcp: '1002 GET /item/1002 200',
  'openai-agents': 'line 1000 ',
  'tanstack-ai': 'line 1000 ',
}
/** Adapters to hosts; of stores and what checks them there is nothing to run an agent with. */
const adapters = readdirSync(join(root, 'adapters'))
  .filter((file) => file.endsWith('.ts') && !file.startsWith('store'))
  .map((file) => basename(file, '.ts'))

it('every adapter has an example, short enough to be read at once', () => {
  expect(Object.keys(LINE_READ).sort()).toEqual(adapters.sort())
  for (const adapter of adapters) {
    const lines = readFileSync(join(root, 'examples', `${adapter}.mjs`), 'utf8')
      .trim()
      .split('\n').length
    expect(lines, adapter).toBeGreaterThanOrEqual(15)
    expect(lines, adapter).toBeLessThanOrEqual(40)
  }
})

describe.each(Object.entries(LINE_READ))('examples/%s.mjs', (adapter, lineRead) => {
  it('runs, with a notice in place of the result and what was read back', async () => {
    const { stdout, stderr } = await run(
      process.execPath,
      ['--import', './examples/with-hosts.mjs', `examples/${adapter}.mjs`],
      { cwd: root },
    )
    expect(stdout).toContain('This tool output is incomplete here')
    expect(stdout).toContain(lineRead)
    expect(stderr).not.toContain('TOL_')
  })
})
