// biome-ignore-all lint/suspicious/noExplicitAny: outputs of tools of every shape
/**
 * The hook is called as the SDK calls it, and the server is the SDK's own; Claude Code itself, which runs the tools and
 * keeps the transcript, needs an account and is not run here.
 */
import type { HookCallback, Options } from '@anthropic-ai/claude-agent-sdk'
import type { BashOutput, FileReadOutput, GlobOutput } from '@anthropic-ai/claude-agent-sdk/sdk-tools.js'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { readToolResultServer, toolOutputLimitsHook } from 'tool-output-limits/claude-agent-sdk'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { ToolOutputLimits } from '../../index.js'
import {
  type Behaviour,
  bigLog,
  conformance,
  type Host,
  handleIn,
  playByHand,
  READ_TOOL,
  type Scenario,
} from './conformance.js'
import { hostLimits } from './limits.js'

/** A client of the read tool's server, as Claude Code is one. */
async function readerOf(limits: ToolOutputLimits, runId?: string): Promise<Client> {
  const { instance } = await readToolResultServer(limits, { name: 'limits', runId })
  const [near, far] = InMemoryTransport.createLinkedPair()
  const client = new Client({ name: 'claude-code', version: '1' })
  await Promise.all([instance.connect(far), client.connect(near)])
  return client
}

interface Call {
  id: string
  input?: unknown
  session?: string
  signal?: AbortSignal | undefined
}

/** What becomes of the output of a tool: the hook's answer, or the output itself. */
async function hooked(hook: HookCallback, tool_name: string, tool_response: unknown, call: Call): Promise<any> {
  const { id, input = {}, session = 'session', signal = new AbortController().signal } = call
  const base = { session_id: session, transcript_path: '/none', cwd: '/' }
  const event = { ...base, hook_event_name: 'PostToolUse' as const, tool_name, tool_input: input, tool_response }
  const answer: any = await hook({ ...event, tool_use_id: id }, id, { signal })
  const { hookEventName, updatedToolOutput = tool_response } = answer.hookSpecificOutput ?? {}
  if (answer.hookSpecificOutput) expect(hookEventName).toBe('PostToolUse')
  return updatedToolOutput
}

/** How a kind of tool has its text in its output. */
interface Shape {
  nameOf(tool: string): string
  wrap(text: string): unknown
  textOf(output: any): string
}
const BUILT_IN: Shape = {
  nameOf: (tool) => tool,
  wrap: (stdout): BashOutput => ({ stdout, stderr: '', interrupted: false }),
  textOf: ({ stdout }) => stdout,
}
const MCP: Shape = {
  nameOf: (tool) => `mcp__app__${tool}`,
  wrap: (text) => [{ type: 'text', text }],
  textOf: ([{ text }]) => text,
}

const over = (shape: Shape) => async (scenario: Scenario) => {
  const { limits, runId, signal } = scenario
  const hook: HookCallback = toolOutputLimitsHook(limits)
  const reader = await readerOf(limits)
  const { tools: readTools } = await reader.listTools()
  const names = [...scenario.tools, ...readTools].map(({ name }) => name)
  return playByHand(scenario, names, async ({ id, name, input = {} }) => {
    if (name === READ_TOOL) {
      const { content } = (await reader.callTool({ name, arguments: input })) as { content: unknown }
      const page = await hooked(hook, `mcp__limits__${name}`, content, { id, input, session: runId, signal })
      return { text: MCP.textOf(page), persisted: page }
    }
    const output = await scenario.tools.find((tool) => tool.name === name)?.execute(input, { signal })
    const wrapped = shape.wrap(typeof output === 'string' ? output : JSON.stringify(output))
    const kept = await hooked(hook, shape.nameOf(name), wrapped, { id, input, session: runId, signal })
    return { text: shape.textOf(kept), persisted: kept }
  })
}
const exceptions: Partial<Record<Behaviour, string>> = {
  'a summary is written by the model of the run': 'hooks are told of no model; give the limits one',
  'the tokens of a summary appear in the usage of the run, once': 'a hook has no way to add to the usage of a session',
}
for (const [kind, shape] of [
  ['built-in tools', BUILT_IN],
  ['MCP tools', MCP],
] as const)
  conformance({
    name: `claude agent sdk, ${kind}`,
    modes: ['generate'],
    run: over(shape),
    nameOf: shape.nameOf,
    exceptions,
  } satisfies Host)

describe('claude agent sdk', () => {
  const host = hostLimits('claude')
  const { limits, events, stored } = host
  beforeEach(host.open)
  afterEach(host.close)
  const through = (tool: string, output: unknown) => hooked(toolOutputLimitsHook(limits()), tool, output, { id: 'c1' })

  it('Bash keeps the shape of its output: each large text is reduced in place, with a handle of its own', async () => {
    const output: BashOutput = { stdout: bigLog(), stderr: bigLog('err').slice(0, 50_000), interrupted: false }
    const reduced = await through('Bash', output)
    expect(reduced).toEqual({
      stdout: expect.stringContaining('line 0 '),
      stderr: expect.stringContaining('line 0 '),
      interrupted: false,
    })
    expect(await stored('session/c1.0')).toBe(output.stdout)
    expect(await stored(handleIn(reduced.stderr))).toBe(output.stderr)
    expect(output.stdout).toBe(bigLog())
  })

  it('Read keeps the shape of its output', async () => {
    const file = { filePath: '/a.log', content: bigLog(), numLines: 4000, startLine: 1, totalLines: 4000 }
    const output: FileReadOutput = { type: 'text', file }
    const reduced = await through('Read', output)
    expect(reduced).toEqual({ type: 'text', file: { ...file, content: expect.stringContaining('line 0 ') } })
    expect(reduced.file.content.length).toBeLessThan(3_000)
  })

  it('a list of strings counts as one text, and stays a list', async () => {
    const filenames = Array.from({ length: 1000 }, (_, i) => `/src/folder/file-${i}.ts`)
    const output: GlobOutput = { durationMs: 1, numFiles: 1000, filenames, truncated: false }
    const reduced = await through('Glob', output)
    expect(reduced).toEqual({ ...output, filenames: [expect.stringContaining('file-0.ts')] })
    expect(await stored('session/c1.0')).toBe(filenames.join('\n'))
  })

  const encoded = 'A'.repeat(50_000)
  it.each([
    [
      'an image that was read',
      'Read',
      { type: 'image', file: { base64: encoded, type: 'image/png', originalSize: 1 } },
    ],
    ['an image that a command prints', 'Bash', { stdout: encoded, stderr: '', interrupted: false, isImage: true }],
    [
      'the file that an edit reports',
      'Edit',
      { filePath: '/a', originalFile: bigLog(), oldString: 'a', newString: 'b' },
    ],
    ['a small output', 'Bash', { stdout: 'ok', stderr: '', interrupted: false }],
    ['no output', 'Bash', null],
  ])('%s stays as it is', async (_what, tool, output) => {
    expect(await through(tool, output)).toBe(output)
    expect(events).toEqual([])
  })

  it('a result of an MCP tool is reduced as a whole, in the form it has', async () => {
    const image = { type: 'image', data: 'AAAA', mimeType: 'image/png' }
    const blocks = [image, { type: 'text', text: bigLog() }]
    expect(await through('mcp__app__a', blocks)).toEqual([
      image,
      { type: 'text', text: expect.stringContaining('line 0 ') },
    ])
    const result = await through('mcp__app__b', { content: blocks, structuredContent: { result: bigLog() } })
    expect(result).toMatchObject({ content: [image, { type: 'text' }], _meta: expect.any(Object) })
    expect(JSON.stringify(result).length).toBeLessThan(3_000)
    expect((await through('mcp__app__c', bigLog())).length).toBeLessThan(3_000)
    const rows = Array.from({ length: 3000 }, (_, id) => ({ type: 'row', id }))
    expect((await through('mcp__app__d', rows)).length).toBeLessThan(3_000)
    expect((await through('mcp__app__e', { rows })).length).toBeLessThan(3_000)
  })

  it('a hook that changes nothing answers nothing, and other events are none of its business', async () => {
    const hook: any = toolOutputLimitsHook(limits())
    expect(await hook({ hook_event_name: 'PostToolUse', tool_name: 'Bash', tool_response: 'ok' }, 'c1')).toEqual({})
    expect(await hook({ hook_event_name: 'PostToolUseFailure', tool_name: 'Bash', error: bigLog() }, 'c1')).toEqual({})
    expect(await hook(undefined)).toEqual({})
  })

  it('keys of an output are data, whatever their names', async () => {
    const output = JSON.parse(`{"__proto__":${JSON.stringify(bigLog())},"constructor":[["a","b"],{"x":1}]}`)
    const reduced = await through('Bash', output)
    expect(Object.keys(reduced)).toEqual(['__proto__', 'constructor'])
    expect(Object.getOwnPropertyDescriptor(reduced, '__proto__')?.value.length).toBeLessThan(3_000)
    expect(reduced.constructor).toEqual([['a', 'b'], { x: 1 }])
  })

  it('an output nested without end, or with very many entries, is walked through', async () => {
    let deep: unknown = bigLog()
    for (let i = 0; i < 20_000; i++) deep = [deep]
    expect(await through('Bash', deep)).toBe(deep)
    const wide = { rows: Array.from({ length: 200_000 }, (_, i) => ({ i })), text: bigLog() }
    expect((await through('Bash', wide)).text.length).toBeLessThan(3_000)
  })

  it('hook and server are what query() takes', async () => {
    const own = limits()
    const options: Options = {
      hooks: { PostToolUse: [{ hooks: [toolOutputLimitsHook(own)] }] },
      mcpServers: { limits: await readToolResultServer(own) },
    }
    expect(options.mcpServers?.limits).toMatchObject({ type: 'sdk', name: 'tool-output-limits' })
  })

  it('an SDK without servers of its own is refused, naming the supported versions', async () => {
    vi.doMock('@anthropic-ai/claude-agent-sdk', () => ({ createSdkMcpServer: undefined }))
    try {
      await expect(readToolResultServer(limits())).rejects.toThrow(/@anthropic-ai\/claude-agent-sdk >=0\.3 <1/)
    } finally {
      vi.doUnmock('@anthropic-ai/claude-agent-sdk')
    }
  })

  it('the read tool is left out where it is switched off', async () => {
    const reader = await readerOf(limits({ readTool: { enabled: false } }))
    await expect(reader.listTools()).rejects.toThrow(/Method not found/)
    const tools = await (await readerOf(limits())).listTools()
    expect(tools.tools.map(({ name }) => name)).toEqual([READ_TOOL])
  })

  it('scope run: the session is the run, and a server for it reads its handles only', async () => {
    const own = limits({ readTool: { scope: 'run' } })
    const { stdout } = await hooked(toolOutputLimitsHook(own), 'Bash', BUILT_IN.wrap(bigLog()), {
      id: 'c',
      session: 'ann',
    })
    const page = async (runId: string) =>
      MCP.textOf(
        (await (await readerOf(own, runId)).callTool({ name: READ_TOOL, arguments: { handle: handleIn(stdout) } }))
          .content,
      )
    expect(await page('ann')).toContain('line 7 ')
    expect(await page('bob')).not.toContain('line 7 ')
  })
})
