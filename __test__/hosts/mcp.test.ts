// biome-ignore-all lint/suspicious/noExplicitAny: one test drives two generations
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createMCPClient } from '@ai-sdk/mcp'
import * as client2 from '@modelcontextprotocol/client'
import { StdioClientTransport as StdioClientTransport2 } from '@modelcontextprotocol/client/stdio'
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as StdioClientTransport1 } from '@modelcontextprotocol/sdk/client/stdio.js'
import { InMemoryTransport as InMemoryTransport1 } from '@modelcontextprotocol/sdk/inMemory.js'
import { McpServer as McpServer1 } from '@modelcontextprotocol/sdk/server/mcp.js'
import * as server2 from '@modelcontextprotocol/server'
import { MockLanguageModelV3 } from 'ai/test'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { limitMcpClient, limitToolHandler, registerReadTool } from '../../adapters/mcp.js'
import { LocalFileStore, summarize, ToolOutputLimits, truncate } from '../../index.js'
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

/** One generation of the SDK: how to make a connected pair. */
interface Generation {
  name: string
  server(): any
  connect(server: any): Promise<any>
  stdio(command: string, args: string[]): Promise<any>
}

const GENERATIONS: Generation[] = [
  {
    name: '@modelcontextprotocol/sdk 1.x',
    server: () => new McpServer1({ name: 'server', version: '1' }),
    async connect(server) {
      const [near, far] = InMemoryTransport1.createLinkedPair()
      const client = new Client1({ name: 'client', version: '1' })
      await Promise.all([server.connect(far), client.connect(near)])
      return client
    },
    async stdio(command, args) {
      const client = new Client1({ name: 'client', version: '1' })
      await client.connect(new StdioClientTransport1({ command, args, stderr: 'ignore' }))
      return client
    },
  },
  {
    name: '@modelcontextprotocol client and server 2.x',
    server: () => new server2.McpServer({ name: 'server', version: '1' }),
    async connect(server) {
      const [near, far] = server2.InMemoryTransport.createLinkedPair()
      const client = new client2.Client({ name: 'client', version: '1' })
      await Promise.all([server.connect(far), client.connect(near as any)])
      return client
    },
    async stdio(command, args) {
      const client = new client2.Client({ name: 'client', version: '1' })
      await client.connect(new StdioClientTransport2({ command, args, stderr: 'ignore' }))
      return client
    },
  },
]

/** A result as a server would send it. */
const resultOf = (value: unknown) => ({
  content: [{ type: 'text' as const, text: typeof value === 'string' ? value : JSON.stringify(value) }],
})
const textOf = (result: any): string => result.content.map((part: any) => part.text ?? `<${part.type}>`).join('\n')

const noModel: Partial<Record<Behaviour, string>> = {
  'a summary is written by the model of the run': 'MCP has no model of its own; give the limits one',
  'the tokens of a summary appear in the usage of the run, once': 'MCP counts no tokens',
  'tools named like members of Object.prototype are limited as any other':
    'the SDK registers no tool named constructor',
}

for (const generation of GENERATIONS) {
  /** Plays a scenario over a client and a server, one of which is limited. */
  const over = (side: 'client' | 'server') => async (scenario: Scenario) => {
    const { limits, runId, signal } = scenario
    const server = generation.server()
    for (const tool of scenario.tools) {
      const handler = async (extra: any) =>
        resultOf(await tool.execute({}, { signal: extra.signal ?? extra.mcpReq?.signal }))
      server.registerTool(
        tool.name,
        { description: tool.name },
        side === 'server' ? limitToolHandler(handler, limits, { toolName: tool.name, runId }) : handler,
      )
    }
    if (side === 'server') registerReadTool(server, limits, { runId })
    const plain = await generation.connect(server)
    const client =
      side === 'client'
        ? limitMcpClient(plain, limits, { runId, toolCallId: (params) => params._meta?.id as string })
        : plain
    const names = (await client.listTools()).tools.map((tool: { name: string }) => tool.name)
    try {
      return await playByHand(scenario, names, async ({ id, name, input = {} }) => {
        const params = { name, arguments: input, _meta: { id } }
        const options = signal ? { signal } : undefined
        const result = await (generation === GENERATIONS[0]
          ? client.callTool(params, undefined, options)
          : client.callTool(params, options))
        return { text: textOf(result), persisted: result }
      })
    } finally {
      await plain.close()
    }
  }
  conformance({
    name: `${generation.name}, limited client`,
    modes: ['generate'],
    run: over('client'),
    exceptions: noModel,
  } satisfies Host)
  conformance({
    name: `${generation.name}, limited server`,
    modes: ['generate'],
    run: over('server'),
    exceptions: {
      ...noModel,
      'ids of the host arrive in the events, with the run': 'requests have ids of their own, within a session only',
    },
  } satisfies Host)
}

describe.each(GENERATIONS)('$name', (generation) => {
  let root: string
  let limits: ToolOutputLimits
  let close: (() => Promise<void>)[]
  beforeEach(() => {
    root = realpathSync(mkdtempSync(join(tmpdir(), 'tol-mcp-')))
    limits = new ToolOutputLimits({ store: new LocalFileStore({ root: join(root, 'store') }) })
    close = []
  })
  afterEach(async () => {
    for (const end of close) await end()
    rmSync(root, { recursive: true, force: true })
  })

  /** A client connected to a server with these tools. */
  async function connected(register: (server: any) => void): Promise<any> {
    const server = generation.server()
    register(server)
    const client = await generation.connect(server)
    close.push(() => client.close())
    await client.listTools()
    return client
  }

  const rows = { rows: Array.from({ length: 20_000 }, (_, id) => id) }
  const withSchema = { description: 'rows', outputSchema: z.object({ rows: z.array(z.number()) }) }
  const rowsResult = () => ({
    content: [{ type: 'text' as const, text: JSON.stringify(rows) }],
    structuredContent: rows,
  })

  it('the client drops structured content that repeats the text, after the SDK has validated it', async () => {
    const client = await connected((server) => server.registerTool('rows', withSchema, async () => rowsResult()))
    const result = await limitMcpClient(client, limits).callTool({ name: 'rows', arguments: {} })
    expect(JSON.stringify(result).length).toBeLessThan(2_000)
    expect(result.structuredContent).toBeUndefined()
    expect(result._meta['tool-output-limits/handle']).toBe(handleIn(textOf(result)))
    expect((await client.callTool({ name: 'rows', arguments: {} })).structuredContent).toEqual(rows)
  })

  it.each([
    ['said so', true],
    ['the schema itself', withSchema.outputSchema],
  ])(
    'the server keeps structured content where there is an output schema (%s), and it validates',
    async (_comment, outputSchema) => {
      const client = await connected((server) =>
        server.registerTool(
          'rows',
          withSchema,
          limitToolHandler(async () => rowsResult(), limits, { toolName: 'rows', outputSchema }),
        ),
      )
      const result = await client.callTool({ name: 'rows', arguments: {} })
      expect(result.isError).toBeFalsy()
      expect(result.structuredContent).toEqual(rows)
      expect(textOf(result).length).toBeLessThan(2_000)
    },
  )

  it('handlers get their arguments and their extra', async () => {
    const seen: unknown[] = []
    const config = { description: 'x', inputSchema: z.object({ n: z.number() }) }
    const handler = async (args: unknown, extra: any) => (
      seen.push(args, typeof (extra.signal ?? extra.mcpReq?.signal)), resultOf('ok')
    )
    const client = await connected((server) =>
      server.registerTool('x', config, limitToolHandler(handler, limits, { toolName: 'x' })),
    )
    expect(textOf(await client.callTool({ name: 'x', arguments: { n: 7 } }))).toBe('ok')
    expect(seen).toEqual([{ n: 7 }, 'object'])
  })

  it('a server lists the read tool with its arguments, and answers bad ones with a sentence', async () => {
    const client = await connected((server) => registerReadTool(server, limits))
    const { tools } = await client.listTools()
    const { inputSchema } = limits.readToolResult()
    expect(tools[0]).toMatchObject({ name: READ_TOOL, inputSchema: { type: 'object', required: inputSchema.required } })
    expect(Object.keys(tools[0].inputSchema.properties)).toEqual(Object.keys(inputSchema.properties))
    for (const args of [{ handle: 'x', offset: 'ten' }, { handle: 'nothing' }, {}]) {
      const result = await client.callTool({ name: READ_TOOL, arguments: args })
      expect(result.isError).toBeFalsy()
      expect(textOf(result)).toMatch(/\S/)
    }
  })

  it('images and resource links keep their place', async () => {
    const image = { type: 'image' as const, data: 'AAAA', mimeType: 'image/png' }
    const link = { type: 'resource_link' as const, uri: 'file:///x', name: 'x' }
    const content = [image, { type: 'text' as const, text: bigLog() }, link, { type: 'text' as const, text: bigLog() }]
    const client = limitMcpClient(
      await connected((server) => server.registerTool('x', { description: 'x' }, async () => ({ content }))),
      limits,
    )
    const result = await client.callTool({ name: 'x', arguments: {} })
    expect(result.content.map((part: any) => part.type)).toEqual(['image', 'text', 'resource_link'])
  })

  it('an error result of 60 KB arrives whole', async () => {
    const fail = async () => ({ isError: true, content: [{ type: 'text' as const, text: 'E'.repeat(60_000) }] })
    const client = limitMcpClient(
      await connected((server) => server.registerTool('x', { description: 'x' }, fail)),
      limits,
    )
    expect(textOf(await client.callTool({ name: 'x', arguments: {} })).length).toBe(60_000)
  })

  it('the limited client is the client in everything else, and leaves it alone', async () => {
    const client = await connected((server) =>
      server.registerTool('x', { description: 'x' }, async () => resultOf(bigLog())),
    )
    const limited = limitMcpClient(client, limits)
    expect(limited).toBeInstanceOf(client.constructor)
    expect(limited.getServerVersion()).toEqual(client.getServerVersion())
    expect(limited.ping).toBe(limited.ping)
    expect(textOf(await client.callTool({ name: 'x', arguments: {} }))).toBe(bigLog())
    expect((await client.listTools()).tools).toHaveLength(1)
  })

  it('a read tool of the server is asked for the handles that are not ours', async () => {
    const theirs = new ToolOutputLimits({ store: new LocalFileStore({ root: join(root, 'server') }) })
    const ours = new ToolOutputLimits({
      store: new LocalFileStore({ root: join(root, 'client') }),
      bands: [{ over: 5_000, action: { type: 'spill' } }],
    })
    const client = limitMcpClient(
      await connected((server) => {
        server.registerTool(
          'big',
          { description: 'big' },
          limitToolHandler(async () => resultOf(bigLog('theirs')), theirs, { toolName: 'big' }),
        )
        server.registerTool('middle', { description: 'middle' }, async () => resultOf(bigLog('ours').slice(0, 9_000)))
        registerReadTool(server, theirs)
      }),
      ours,
    )
    const { tools } = await client.listTools()
    expect(tools.filter((tool: any) => tool.name === READ_TOOL)).toHaveLength(1)
    for (const [name, label] of [
      ['big', 'theirs'],
      ['middle', 'ours'],
    ] as const) {
      const handle = handleIn(textOf(await client.callTool({ name, arguments: {} })))
      expect(textOf(await client.callTool({ name: READ_TOOL, arguments: { handle, offset: 50, limit: 1 } }))).toContain(
        `line 50 ${label} `,
      )
    }
  })

  it.each([
    ['1.x', { sessionId: 'session', requestId: 3 }],
    ['2.x', { sessionId: 'session', mcpReq: { id: 3 } }],
  ])('a handler takes run and call from the session it is in (as told by %s)', async (_comment, extra) => {
    const handler = limitToolHandler(async (_args: unknown, _extra: unknown) => resultOf(bigLog()), limits, {
      toolName: 'x',
    })
    expect(handleIn(textOf(await handler({}, extra)))).toBe('session/3.0')
    expect(limitToolHandler(handler, limits, { toolName: 'x' })).toBe(handler)
    const outside = handleIn(textOf(await handler({}, { ...extra, sessionId: undefined })))
    expect(outside).not.toContain('/3.0')
  })

  it('the read tool is left out where it is switched off', async () => {
    const off = new ToolOutputLimits({ readTool: { enabled: false } })
    const registered: string[] = []
    registerReadTool({ registerTool: (name: string) => registered.push(name) }, off)
    expect(registered).toEqual([])
    const page = { tools: [{ name: 'log' }] }
    const client = limitMcpClient({ callTool: async () => undefined, listTools: async () => page }, off)
    expect(await client.listTools()).toBe(page)
  })

  it('names the supported packages for anything that is not of them', () => {
    expect(() => limitMcpClient({}, limits)).toThrow(/@modelcontextprotocol\/sdk 1\.x/)
    expect(() => registerReadTool({} as any, limits)).toThrow(/@modelcontextprotocol\/server 2\.x/)
    expect(() => limitToolHandler(async () => 1, limits, {} as any)).toThrow(/toolName/)
  })

  describe('real servers over stdio', () => {
    const require = createRequire(import.meta.url)
    const serverOf = (name: string) => {
      const manifest = require.resolve(`@modelcontextprotocol/${name}/package.json`)
      return join(
        dirname(manifest),
        Object.values((require(manifest) as { bin: Record<string, string> }).bin)[0] as string,
      )
    }
    async function launched(name: string, ...args: string[]): Promise<any> {
      const client = await generation.stdio(process.execPath, [serverOf(name), ...args])
      close.push(() => client.close())
      return client
    }

    it('server-filesystem: a file of 200 KB is spilled, and lines 1,000 to 1,002 are read back', async () => {
      writeFileSync(join(root, 'big.log'), bigLog())
      const client = limitMcpClient(await launched('server-filesystem', root), limits)
      const { tools } = await client.listTools()
      expect(tools.at(-1).name).toBe(READ_TOOL)
      const result = await client.callTool({ name: 'read_text_file', arguments: { path: join(root, 'big.log') } })
      expect(JSON.stringify(result).length).toBeLessThan(3_000)
      const page = textOf(
        await client.callTool({
          name: READ_TOOL,
          arguments: { handle: handleIn(textOf(result)), offset: 1000, limit: 3 },
        }),
      )
      for (const line of ['line 1000 ', 'line 1001 ', 'line 1002 ']) expect(page).toContain(line)
      expect(page).not.toContain('line 1003 ')
      const missing = await client.callTool({ name: 'read_text_file', arguments: { path: join(root, 'none') } })
      expect(missing.isError).toBe(true)
    })

    it('server-everything: its tools work as they did', async () => {
      const client = limitMcpClient(await launched('server-everything'), limits)
      expect(textOf(await client.callTool({ name: 'echo', arguments: { message: 'hello' } }))).toContain('hello')
      const weather = await client.callTool({ name: 'get-structured-content', arguments: { location: 'New York' } })
      expect(weather.structuredContent).toHaveProperty('temperature')
      const long = 'x'.repeat(30_000)
      expect(JSON.stringify(await client.callTool({ name: 'echo', arguments: { message: long } })).length).toBeLessThan(
        3_000,
      )
    })
  })
})

describe('@ai-sdk/mcp', () => {
  it('tools() gives limited tools and the read tool, also from definitions', async () => {
    const [near, far] = InMemoryTransport1.createLinkedPair()
    const server = new McpServer1({ name: 's', version: '1' })
    server.registerTool('log', { description: 'log' }, async () => resultOf(bigLog()))
    await server.connect(far)
    const limits = new ToolOutputLimits({ bands: [{ over: 10_000, action: truncate({ maxChars: 300 }) }] })
    const client = limitMcpClient(await createMCPClient({ transport: near as any }), limits)
    const sets = [await client.tools(), client.toolsFromDefinitions(await client.listTools())] as any[]
    for (const tools of sets) {
      expect(Object.keys(tools)).toEqual(['log', READ_TOOL])
      const result = await tools.log.execute({}, { toolCallId: 'c1', messages: [] })
      expect(textOf(result).length).toBeLessThanOrEqual(300)
      expect(await tools[READ_TOOL].execute({ handle: 'none' }, { toolCallId: 'c2', messages: [] })).toMatch(/\S/)
    }
    await client.close()
  })

  it('the option model writes the summaries of callTool and of tools(), and runId is told which tool it is', async () => {
    const [near, far] = InMemoryTransport1.createLinkedPair()
    const server = new McpServer1({ name: 's', version: '1' })
    server.registerTool('log', { description: 'log' }, async () => resultOf(bigLog()))
    await server.connect(far)
    const model = new MockLanguageModelV3({
      doGenerate: { content: [{ type: 'text', text: 'SHORT' }], finishReason: 'stop', usage: {}, warnings: [] } as any,
    })
    const runs: unknown[] = []
    const limits = new ToolOutputLimits({
      bands: [{ over: 10_000, action: summarize() }],
      onReduce: ({ runId, toolName }) => runs.push([toolName, runId]),
    })
    const options = { model, runId: ({ name }: { name: string }) => `run of ${name}` }
    const client = limitMcpClient((await createMCPClient({ transport: near as any })) as any, limits, options)
    const { log } = await client.tools()
    expect(textOf(await (log as any).execute({}, { toolCallId: 'c1', messages: [] }))).toBe('SHORT')
    await client.close()
    const session: any = limitMcpClient({ callTool: async () => resultOf(bigLog()) }, limits, options)
    expect(textOf(await session.callTool({ name: 'log' }))).toBe('SHORT')
    expect(runs).toEqual([
      ['log', 'run of log'],
      ['log', 'run of log'],
    ])
  })

  it('a read tool of the server is asked for the handles that are not ours', async () => {
    const root = mkdtempSync(join(tmpdir(), 'tol-mcp-'))
    const theirs = new ToolOutputLimits({ store: new LocalFileStore({ root: join(root, 'server') }) })
    const ours = new ToolOutputLimits({ store: new LocalFileStore({ root: join(root, 'client') }) })
    const [near, far] = InMemoryTransport1.createLinkedPair()
    const server = new McpServer1({ name: 's', version: '1' })
    server.registerTool(
      'log',
      { description: 'log' },
      limitToolHandler(async () => resultOf(bigLog()), theirs, { toolName: 'log' }),
    )
    registerReadTool(server, theirs)
    await server.connect(far)
    const client = limitMcpClient(await createMCPClient({ transport: near as any }), ours)
    const tools = (await client.tools()) as any
    const handle = handleIn(textOf(await tools.log.execute({}, { toolCallId: 'c1', messages: [] })))
    const page = await tools[READ_TOOL].execute({ handle, offset: 5, limit: 1 }, { toolCallId: 'c2', messages: [] })
    expect(textOf(page)).toContain('line 5 ')
    await client.close()
    rmSync(root, { recursive: true, force: true })
  })
})
