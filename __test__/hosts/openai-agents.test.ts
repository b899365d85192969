import {
  Agent,
  type MCPServer,
  MemorySession,
  Runner,
  RunState,
  run as runAgent,
  setTracingDisabled,
  tool,
  Usage,
} from '@openai/agents'
import { assistantMessage, functionCall, modelResponder, ScriptedModel } from '@openai/agents/testing'
import { summarize } from 'tool-output-limits'
import { limitMcpServer, limitToolOptions, readToolResult } from 'tool-output-limits/openai-agents'
import { afterEach, beforeEach, describe, expect, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import { warningsOf } from '../support/warnings.js'
import {
  bigLog,
  conformance,
  handleIn,
  type ModelRequest,
  type Outcome,
  READ_TOOL,
  type Scenario,
  TURN_USAGE,
  type Turn,
} from './conformance.js'
import { hostLimits } from './limits.js'

setTracingDisabled(true)
const SUMMARY = { text: 'SHORT', inputTokens: 500, outputTokens: 20 }
const MAX_REQUESTS = 20

/** A model that asks a script for every turn; a request without tools is one for a summary. */
function scriptedModel(script: Scenario['script'], summary: Scenario['summary'] = SUMMARY) {
  const requests: ModelRequest[] = []
  const toolNames: string[] = []
  const answer = modelResponder(({ request: { input, tools } }) => {
    if (tools.length === 0) return { output: [assistantMessage(summary.text)], usage: usage(summary) }
    if (requests.length === 0) toolNames.push(...tools.map((t) => t.name))
    const request = { text: JSON.stringify(input), results: resultsOf(input) }
    requests.push(request)
    const turn = script(request, requests.length - 1)
    const output =
      'text' in turn
        ? [assistantMessage(turn.text)]
        : turn.calls.map(({ id, name, input = {} }) => functionCall(name, input, { callId: id }))
    return { output, usage: usage(TURN_USAGE) }
  })
  return { model: new ScriptedModel(Array.from({ length: MAX_REQUESTS }, () => answer)), requests, toolNames }
}
const usage = ({ inputTokens, outputTokens }: { inputTokens: number; outputTokens: number }) =>
  new Usage({ requests: 1, inputTokens, outputTokens, totalTokens: inputTokens + outputTokens })
type Item = { type?: string; callId?: string; output?: unknown }
const resultsOf = (input: unknown): Map<string, string> =>
  new Map(
    ((Array.isArray(input) ? input : []) as Item[]).flatMap(({ type, callId, output }) =>
      type === 'function_call_result' && callId ? [[callId, textOf(output)] as const] : [],
    ),
  )
const textOf = (output: unknown): string => {
  if (typeof output === 'string') return output
  const parts = (Array.isArray(output) ? output : [output]) as { text?: unknown }[]
  return parts.map((part) => (typeof part.text === 'string' ? part.text : JSON.stringify(part))).join('\n')
}

async function run(scenario: Scenario): Promise<Outcome> {
  const { model, requests, toolNames } = scriptedModel(scenario.script, scenario.summary)
  const options = { model, runId: scenario.runId }
  const tools = scenario.tools.map(({ name, execute }) =>
    tool(
      limitToolOptions(
        {
          name,
          description: name,
          parameters: z.object({}),
          execute: async (input: object, _context: unknown, details?: { signal?: AbortSignal }) =>
            execute(input, { signal: details?.signal }),
          errorFunction: (_context: unknown, error: unknown) => String(error),
        },
        scenario.limits,
        options,
      ),
    ),
  )
  const agent = new Agent({ name: 'agent', model, tools: [...tools, readToolResult(scenario.limits, options)] })
  const session = new MemorySession()
  const settings = { session, ...(scenario.signal && { signal: scenario.signal }) }
  const persisted: Record<string, string> = {}
  let result: Pick<Awaited<ReturnType<typeof play>>, 'history' | 'state'>
  const play = () => runAgent(agent, 'go', settings)
  if (scenario.mode === 'stream') {
    const stream = await runAgent(agent, 'go', { ...settings, stream: true })
    const events: unknown[] = []
    for await (const event of stream)
      if (event.type === 'run_item_stream_event' && event.name === 'tool_output') events.push(event.item)
    await stream.completed
    persisted.events = JSON.stringify(events)
    result = stream
  } else result = await play()
  persisted.history = JSON.stringify(result.history)
  persisted.session = JSON.stringify(await session.getItems())
  persisted.state = result.state.toString()
  const { inputTokens, outputTokens } = result.state.usage
  return { requests, toolNames, persisted, usage: { inputTokens, outputTokens } }
}

conformance({ name: 'openai agents', modes: ['generate', 'stream'], run })

describe('openai agents', () => {
  const host = hostLimits('openai')
  beforeEach(host.open)
  afterEach(host.close)
  const { limits, events, stored } = host
  const callOnce = (_: ModelRequest, n: number): Turn =>
    n === 0 ? { calls: [{ id: 'c1', name: 't' }] } : { text: 'done' }
  const optionsOf = <Result>(execute: () => Result, more: object = {}) => ({
    name: 't',
    description: 't',
    parameters: z.object({}),
    execute,
    ...more,
  })
  const outputOf = async (execute: () => unknown, own = limits()): Promise<unknown> => {
    const { model } = scriptedModel(callOnce)
    const agent = new Agent({
      name: 'agent',
      model,
      tools: [tool(limitToolOptions(optionsOf(execute), own, { runId: 'r' }))],
    })
    const { history } = await runAgent(agent, 'go')
    return (history as Item[]).find(({ type }) => type === 'function_call_result')?.output
  }

  it('texts and images stay output items: the texts become one, the images keep their place', async () => {
    const image = { type: 'image', image: 'data:image/png;base64,AAAA' }
    const output = await outputOf(() => [image, { type: 'text', text: bigLog() }, { type: 'text', text: 'end' }])
    expect(output).toEqual([
      expect.objectContaining({ type: 'input_image' }),
      { type: 'input_text', text: expect.stringContaining('line 0 ') },
    ])
    expect(await stored('r/c1.0')).toBe(`${bigLog()}\nend`)
  })

  it('records that look like output items are data', async () => {
    const rows = Array.from({ length: 1000 }, (_, i) => ({ type: 'text', text: `row ${i}`, score: i }))
    expect(JSON.stringify(await outputOf(() => rows)).length).toBeLessThan(4_000)
    expect(await stored('r/c1.0')).toBe(JSON.stringify(rows))
  })

  it('a small structured result is given back as it is', async () => {
    const row = { id: 1 }
    const options = limitToolOptions(
      optionsOf(async () => row),
      limits(),
    )
    expect(await options.execute()).toBe(row)
  })

  it('input, output and the rest of the options keep their types', () => {
    const options = {
      name: 'add',
      description: 'adds',
      parameters: z.object({ n: z.number() }),
      execute: async ({ n }: { n: number }) => n + 1,
    }
    const limited = limitToolOptions(options, limits())
    expectTypeOf(limited.execute).toEqualTypeOf(options.execute)
    expectTypeOf(tool(limited).type).toEqualTypeOf<'function'>()
    limitToolOptions({
      description: 'inline',
      parameters: options.parameters,
      execute: async (input) => {
        expectTypeOf(input).toEqualTypeOf<{ n: number }>()
      },
    })
  })

  it('a tool without a name keeps that of its function', () => {
    const { name: _, ...options } = optionsOf(async function fetch_log() {})
    expect(tool(limitToolOptions(options, limits())).name).toBe('fetch_log')
  })

  it('a tool with an outputSchema stays as it is, with one warning however often it is wrapped', async () => {
    const options = { ...optionsOf(async () => ({ log: bigLog() })), outputSchema: z.object({ log: z.string() }) }
    const told = await warningsOf(() => {
      for (let n = 0; n < 3; n++) expect(limitToolOptions(options, limits())).toBe(options)
    })
    expect(told).toMatchObject([{ code: 'TOL_OUTPUT_SCHEMA', message: expect.stringContaining('"t"') }])
  })

  it('a tool that is built already is refused, naming the supported versions', () => {
    const built = tool(optionsOf(async () => 'x'))
    expect(() => limitToolOptions(built as never, limits())).toThrow(/@openai\/agents >=0\.20/)
    expect(() => limitMcpServer({}, limits())).toThrow(/@openai\/agents >=0\.20/)
  })

  it('there is no read tool where it is switched off', () => {
    expect(() => readToolResult(limits({ readTool: { enabled: false } }))).toThrow(TypeError)
  })

  it('without an errorFunction of its own a failing tool is answered by the SDK', async () => {
    const failing = async () => Promise.reject(new Error('boom'))
    const { model } = scriptedModel(callOnce)
    const plain = await runAgent(new Agent({ name: 'agent', model, tools: [tool(optionsOf(failing))] }), 'go')
    expect(await outputOf(failing)).toEqual(
      (plain.history as Item[]).find(({ type }) => type === 'function_call_result')?.output,
    )
  })

  it('an approved call is limited after the run was saved and resumed', async () => {
    const own = limits()
    const { model, requests } = scriptedModel(callOnce)
    const agent = new Agent({
      name: 'agent',
      model,
      tools: [
        tool(
          limitToolOptions(
            optionsOf(async () => bigLog(), { needsApproval: true }),
            own,
          ),
        ),
      ],
    })
    const paused = await runAgent(agent, 'go')
    const state = await RunState.fromString(agent, paused.state.toString())
    for (const interruption of state.getInterruptions()) state.approve(interruption)
    await runAgent(agent, state)
    expect(handleIn(requests[1]?.results.get('c1'))).toBeTruthy()
    expect(events).toHaveLength(1)
  })

  it('summaries may be asked of a model by its name, and of the model of the action', async () => {
    const own = scriptedModel(callOnce)
    const text = textOf(
      await outputOf(() => bigLog(), limits({ bands: [{ over: 10_000, action: summarize({ model: own.model }) }] })),
    )
    expect(text).toBe('SHORT')
  })

  it('runId may depend on the context of the run, for reading as for spilling', async () => {
    const own = limits({ readTool: { scope: 'run' } })
    const options = { runId: ({ context }: { context?: unknown }) => (context as { user: string }).user }
    const { model, requests } = scriptedModel((_, n) => {
      if (n === 0) return { calls: [{ id: 'c1', name: 't' }] }
      return n === 1
        ? { calls: [{ id: 'c2', name: READ_TOOL, input: { handle: 'ann/c1.0', offset: '7', limit: 1 } }] }
        : { text: 'done' }
    })
    const agent = new Agent<{ user: string }>({
      name: 'agent',
      model,
      tools: [
        tool(
          limitToolOptions(
            optionsOf(async () => bigLog()),
            own,
            options,
          ),
        ),
        readToolResult(own, options),
      ],
    })
    await new Runner().run(agent, 'go', { context: { user: 'ann' } })
    expect(requests[2]?.results.get('c2')).toContain('line 7 ')
  })

  it.each(['{"offset":', 'null', '"text"'])('the read tool answers arguments that are no object: %s', async (input) => {
    expect(await readToolResult(limits()).invoke({}, input)).toMatch(/handle|object/i)
  })

  describe('limitMcpServer', () => {
    type Result = { content: object[]; structuredContent?: object; isError?: boolean; _meta?: object }
    /** A server as the SDK has them: `callTool` gives the content, with the rest of the result hung on it. */
    class Server {
      cacheToolsList = false
      name = 'logs'
      useStructuredContent = false
      readonly #result: Result
      constructor(result: Result) {
        this.#result = result
      }
      async connect() {}
      async close() {}
      async invalidateToolsCache() {}
      async listTools() {
        return [
          {
            name: 't',
            description: 't',
            inputSchema: { type: 'object', properties: {}, required: [], additionalProperties: false },
          },
        ]
      }
      async callToolResult(_toolName: string) {
        return this.#result
      }
      async callTool(toolName: string) {
        const { content, ...rest } = await this.callToolResult(toolName)
        for (const [key, value] of Object.entries(rest))
          Object.defineProperty(content, key, { value, configurable: true })
        return content as Result['content'] & Omit<Result, 'content'>
      }
    }
    const through = async (result: Result, structured = false) => {
      const { model, requests } = scriptedModel(callOnce)
      const server = new Server(result)
      server.useStructuredContent = structured
      const limited = limitMcpServer(server, limits(), { runId: 'r' })
      expectTypeOf(limited).toEqualTypeOf<Server>()
      const agent = new Agent({ name: 'agent', model, mcpServers: [limited as unknown as MCPServer] })
      await runAgent(agent, 'go')
      return requests[1]?.results.get('c1') ?? ''
    }

    it.each([false, true])(
      'reduces a result once, which says the same twice (useStructuredContent: %s)',
      async (structured) => {
        const text = await through(
          { content: [{ type: 'text', text: bigLog() }], structuredContent: { result: bigLog() } },
          structured,
        )
        expect(text.length).toBeLessThan(4_000)
        expect(await stored(handleIn(text))).toBe(bigLog())
        expect(events).toHaveLength(1)
      },
    )

    it('structured content that says something else gets a handle of its own', async () => {
      const rows = Array.from({ length: 3000 }, (_, id) => ({ id }))
      const server = limitMcpServer(
        new Server({ content: [{ type: 'text', text: 'see the rows' }], structuredContent: { rows } }),
        limits(),
      )
      const content = await server.callTool('t')
      expect(content[0]).toEqual({ type: 'text', text: 'see the rows' })
      expect(content.structuredContent).toBeUndefined()
      expect(content._meta).toMatchObject({ 'tool-output-limits/structured-handle': expect.any(String) })
      expect(JSON.stringify(content).length).toBeLessThan(4_000)
    })

    it('leaves errors and small results as they are', async () => {
      const error = { content: [{ type: 'text', text: bigLog() }], isError: true }
      const small = { content: [{ type: 'text', text: 'ok' }], structuredContent: { ok: true } }
      for (const result of [error, small]) {
        const server = new Server(result)
        expect(await limitMcpServer(server, limits()).callTool('t')).toBe(result.content)
        expect(await limitMcpServer(server, limits()).callToolResult('t')).toBe(result)
      }
    })

    it('everything else goes to the server itself', async () => {
      const server = new Server({ content: [] })
      const limited = limitMcpServer(server, limits())
      limited.cacheToolsList = true
      expect(server.cacheToolsList).toBe(true)
      expect(await limited.listTools()).toHaveLength(1)
      expect(limited).toBeInstanceOf(Server)
    })
  })
})
