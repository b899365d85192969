// biome-ignore-all lint/suspicious/noExplicitAny: one test drives three majors
import { once } from 'node:events'
import { createMCPClient } from '@ai-sdk/mcp'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  isReducedToolOutput,
  limitTools,
  readToolResult,
  summarizeWith,
  toolOutputLimitsMiddleware,
  withToolOutputLimits,
} from '../../adapters/ai-sdk.js'
import { type OverflowStore, summarize, ToolOutputLimits, truncate } from '../../index.js'
import { type Major, type Sdk, scriptedModel, sdk } from './ai-sdk-host.js'
import {
  bigLog,
  conformance,
  handleIn,
  type ModelRequest,
  type Outcome,
  type Scenario,
  TURN_USAGE,
} from './conformance.js'

const MAJORS: Major[] = [5, 6, 7]

for (const major of MAJORS) {
  const host = sdk(major)
  conformance({ name: `ai ${major}`, modes: ['generate', 'stream'], run: (scenario) => run(host, scenario) })
}

async function run(host: Sdk, scenario: Scenario): Promise<Outcome> {
  const { ai } = host
  const { limits, runId, signal, mode } = scenario
  const requests: ModelRequest[] = []
  let toolNames: string[] = []
  const raw = scriptedModel(host, scenario, requests, (names) => {
    if (requests.length === 0) toolNames = names
  })
  const model = ai.wrapLanguageModel({
    model: raw,
    middleware: toolOutputLimitsMiddleware(limits, { foldUsage: true }),
  })
  const tools: any = withToolOutputLimits(
    Object.fromEntries(
      scenario.tools.map((tool) => [
        tool.name,
        ai.tool({
          description: tool.name,
          inputSchema: z.object({}),
          execute: async (input: unknown, { abortSignal }: { abortSignal?: AbortSignal }) =>
            tool.execute(input, { signal: abortSignal }),
        }),
      ]),
    ),
    limits,
    { runId, preliminary: 'hold-last' },
  )
  const call = { model, tools, prompt: 'go', stopWhen: host.steps(10), abortSignal: signal, maxRetries: 0 }
  if (mode === 'generate') {
    const result = await ai.generateText(call)
    const persisted = {
      history: JSON.stringify(await host.messages(result)),
      steps: JSON.stringify(result.steps.map((step: any) => step.content)),
    }
    return { requests, toolNames, persisted, usage: usageOf(result.totalUsage ?? result.usage) }
  }
  const result = ai.streamText({ ...call, onError: () => undefined })
  let message: any
  const chunks: unknown[] = []
  const onFinish = ({ responseMessage }: any) => (message = responseMessage)
  const ui = ai.toUIMessageStream
    ? ai.toUIMessageStream({ stream: result.stream, tools, onEnd: onFinish })
    : result.toUIMessageStream({ onFinish })
  for await (const chunk of ui) chunks.push(chunk)
  if (signal?.aborted) {
    await result.consumeStream?.()
    for (const promise of [result.steps, result.totalUsage, result.usage, result.response])
      await Promise.resolve(promise).catch(() => undefined)
    return { requests, toolNames, persisted: {} }
  }
  const withTools = await ai.convertToModelMessages([message], { tools })
  return {
    requests,
    toolNames,
    persisted: {
      history: JSON.stringify(await host.messages(result)),
      'ui message': JSON.stringify(message),
      'ui chunks': JSON.stringify(chunks),
      'converted with tools': JSON.stringify(withTools),
      'converted without tools': JSON.stringify(await ai.convertToModelMessages([message])),
    },
    usage: usageOf((await result.totalUsage) ?? (await result.usage)),
  }
}

const usageOf = ({ inputTokens, outputTokens }: any) => ({ inputTokens, outputTokens })

const execution = (toolCallId = 'c1') => ({ toolCallId, messages: [] })
const cut = (maxChars = 400, over = 1_000) =>
  new ToolOutputLimits({ bands: [{ over, action: truncate({ maxChars, json: 'text' }) }] })
const rows = Array.from({ length: 500 }, (_, id) => ({ id, name: `row ${id}` }))
const text = (length: number) => 'lorem ipsum '.repeat(Math.ceil(length / 12)).slice(0, length)
async function collect(values: AsyncIterable<unknown>): Promise<unknown[]> {
  const all: unknown[] = []
  for await (const value of values) all.push(value)
  return all
}

describe('what is persisted', () => {
  it('is a string for a string, and an object that says what it is for anything else', async () => {
    const tools = limitTools(
      { log: { execute: () => text(5_000) }, rows: { execute: () => rows } } as any,
      cut(),
    ) as any
    const log = await tools.log.execute({}, execution())
    expect(typeof log).toBe('string')
    expect(log.length).toBeLessThanOrEqual(400)
    const output = await tools.rows.execute({}, execution())
    expect(output).toEqual({ type: 'tool-output-limits/reduced', action: 'truncate', text: expect.any(String) })
    expect(isReducedToolOutput(output)).toBe(true)
    expect(isReducedToolOutput(JSON.parse(JSON.stringify(output)))).toBe(true)
  })

  it('tells handle and bytes after a spill', async () => {
    const store = memoryStore()
    const tools = withToolOutputLimits(
      { rows: { execute: () => rows } } as any,
      new ToolOutputLimits({ store, runId: 'r' }),
    ) as any
    const output = await tools.rows.execute({}, execution())
    expect(output).toMatchObject({ action: 'spill', handle: 'r/c1.0', bytes: JSON.stringify(rows).length })
  })

  it('is a CallToolResult for a CallToolResult, reduced inside', async () => {
    const image = { type: 'image', data: 'AAAA', mimeType: 'image/png' }
    const result = {
      content: [{ type: 'text', text: text(900) }, image, { type: 'text', text: text(900) }],
      structuredContent: { rows },
    }
    const tools = limitTools({ mcp: { execute: async () => result } } as any, cut(400)) as any
    const output = await tools.mcp.execute({}, execution())
    expect(output.content.map((part: any) => part.type)).toEqual(['text', 'image', 'text'])
    expect(JSON.stringify(output).length).toBeLessThan(1_200)
    expect(output.structuredContent).toBeUndefined()
    expect(isReducedToolOutput(output)).toBe(true)
    expect(isReducedToolOutput(result)).toBe(false)
  })

  it.each<[string, unknown]>([
    ['an MCP error', { isError: true, content: [{ type: 'text', text: text(60_000) }] }],
    ['a small object', { ok: true }],
    ['a small string', 'ok'],
    ['undefined', undefined],
    ['null', null],
  ])('is the very value for %s', async (_comment, value) => {
    const tools = limitTools({ t: { execute: () => value } } as any, cut()) as any
    expect(await tools.t.execute({}, execution())).toBe(value)
  })

  it.each<[string, unknown]>([
    ['records that all have a type', { content: rows.map((row) => ({ type: 'row', ...row })) }],
    ['blocks among other data', { content: [{ type: 'text', text: 'x' }], rows }],
    ['a content that is text', { content: text(5_000) }],
  ])('is not taken for an MCP result: %s', async (_comment, value) => {
    const tools = limitTools({ t: { execute: () => value } } as any, cut()) as any
    expect(await tools.t.execute({}, execution())).toMatchObject({ type: 'tool-output-limits/reduced' })
  })
})

describe('the tool stays the tool', () => {
  it('keeps non-enumerable properties, symbols, getters, the prototype and this', async () => {
    const key = Symbol('key')
    class Base {
      #secret = 'kept'
      get title() {
        return this.#secret
      }
      execute() {
        return this.#secret
      }
    }
    const tool: any = new Base()
    Object.defineProperty(tool, 'hidden', { value: 1, enumerable: false })
    Object.defineProperty(tool, 'lazy', { get: () => 2, enumerable: true })
    tool[key] = 3
    const { limited } = limitTools({ limited: tool }, cut()) as any
    expect(limited).toBeInstanceOf(Base)
    expect([limited.hidden, limited.lazy, limited[key], limited.title]).toEqual([1, 2, 3, 'kept'])
    expect(Object.keys(limited)).not.toContain('hidden')
    const { execute } = limited
    expect(await execute({}, execution())).toBe('kept')
    expect(tool.execute({})).toBe('kept')
  })

  it('methods of a class that read private fields work as they did', async () => {
    class Shell {
      readonly inputSchema = {}
      readonly #approved = new Set(['ls'])
      needsApproval({ command }: { command: string }) {
        return !this.#approved.has(command)
      }
      execute() {
        return `${this.#approved.size} approved`
      }
    }
    const { shell } = limitTools({ shell: new Shell() }, cut()) as any
    expect([shell.needsApproval({ command: 'ls' }), shell.needsApproval({ command: 'rm' })]).toEqual([false, true])
    expect(await shell.execute()).toBe('1 approved')
    expect(shell).toBeInstanceOf(Shell)
    const schema = Object.assign(() => true, { '~standard': { version: 1 } })
    const inheriting = Object.create({ inputSchema: schema, execute: () => 'x' })
    expect((limitTools({ inheriting }, cut()) as any).inheriting.inputSchema).toBe(schema)
  })

  it('works with frozen tools, and sets that have a prototype or odd names', async () => {
    const big = { execute: () => text(5_000) }
    const tools = Object.create({ inherited: big })
    for (const name of ['__proto__', 'constructor'])
      Object.defineProperty(tools, name, { value: Object.freeze({ ...big }), enumerable: true })
    const limited: any = limitTools(tools, cut())
    expect(Object.keys(limited).sort()).toEqual(['__proto__', 'constructor'])
    for (const [, tool] of Object.entries<any>(limited))
      expect((await tool.execute({}, execution())).length).toBeLessThanOrEqual(400)
  })

  it('returns what it does not run as it is: provider tools, client tools, absent ones, limited ones', () => {
    const provider = { type: 'provider', id: 'x.search', args: {}, isProviderExecuted: true }
    const client = { inputSchema: z.object({}) }
    const limited: any = limitTools({ provider, client, absent: undefined, own: { execute: () => 1 } }, cut())
    expect(limited.provider).toBe(provider)
    expect(limited.client).toBe(client)
    expect(limited.absent).toBeUndefined()
    expect((limitTools(limited, cut()) as any).own).toBe(limited.own)
    expect((limitTools({ own: { ...limited.own } }, cut()) as any).own.execute).toBe(limited.own.execute)
  })

  it('throws what the tool throws, at once or later', async () => {
    const error = new Error('e'.repeat(20_000))
    const tools = limitTools(
      {
        now: {
          execute: () => {
            throw error
          },
        },
        later: {
          execute: async () => {
            throw error
          },
        },
      } as any,
      cut(),
    ) as any
    expect(() => tools.now.execute({}, execution())).toThrow(error)
    await expect(tools.later.execute({}, execution())).rejects.toBe(error)
  })

  it('the read tool is left out where it is switched off', () => {
    const off = new ToolOutputLimits({ readTool: { enabled: false } })
    expect(Object.keys(withToolOutputLimits({ t: { execute: () => 1 } }, off))).toEqual(['t'])
    expect(() => readToolResult(off)).toThrow(TypeError)
  })

  it('names the supported range for tools of ai 4', () => {
    expect(() => limitTools({ old: { parameters: {}, execute: () => 1 } } as any)).toThrow(/ai >=5 <8/)
  })

  it('passes metadata to the tool filter, and the input', async () => {
    const calls: unknown[] = []
    const limits = new ToolOutputLimits({ toolFilter: ({ toolMetadata }) => (calls.push(toolMetadata), false) })
    const tools = limitTools(
      { t: { metadata: { from: 'tool' }, _meta: { from: 'server', of: 'mcp' }, execute: () => text(20_000) } } as any,
      limits,
    ) as any
    expect(await tools.t.execute({}, execution())).toBe(text(20_000))
    expect(calls).toEqual([{ from: 'tool', of: 'mcp' }])
  })

  it('does not fail a tool for a runId function that throws, but warns', async () => {
    const warned = once(process, 'warning')
    const tools = limitTools({ t: { execute: () => 'ok' } } as any, cut(), {
      runId: () => {
        throw new Error('no id')
      },
    }) as any
    expect(await tools.t.execute({}, execution())).toBe('ok')
    expect(await warned).toMatchObject([{ code: 'TOL_CALL_ID', message: expect.stringMatching(/runId function/) }])
  })
})

describe('generator tools', () => {
  const tool = {
    async *execute() {
      yield 'start'
      yield text(5_000)
    },
  }

  it('yield as they did, and then the reduced value', async () => {
    const { t } = limitTools({ t: tool } as any, cut()) as any
    const values = (await collect(t.execute({}, execution()))) as string[]
    expect(values.map((value) => value.length <= 400)).toEqual([true, false, true])
    expect(values.slice(0, 2)).toEqual(['start', text(5_000)])
  })

  it('never show the full value with hold-last', async () => {
    const { t } = limitTools({ t: tool } as any, cut(), { preliminary: 'hold-last' }) as any
    const values = (await collect(t.execute({}, execution()))) as string[]
    expect(values.map((value) => value.length <= 400)).toEqual([true, true])
  })

  it.each(['pass', 'hold-last'] as const)(
    'yield a small last value once, and nothing where there is nothing (%s)',
    async (preliminary) => {
      const small = {
        async *execute() {
          yield 1
          yield 2
        },
      }
      const empty = {
        async *execute() {
          /* nothing */
        },
      }
      const tools = limitTools({ small, empty } as any, cut(), { preliminary }) as any
      expect(await collect(tools.small.execute({}, execution()))).toEqual([1, 2])
      expect(await collect(tools.empty.execute({}, execution()))).toEqual([])
    },
  )

  it.each(['pass', 'hold-last'] as const)(
    'give every value before an error, then the error (%s)',
    async (preliminary) => {
      const error = new Error('half way')
      const half = {
        async *execute() {
          yield 1
          yield 2
          throw error
        },
      }
      const { t } = limitTools({ t: half } as any, cut(), { preliminary }) as any
      const seen: unknown[] = []
      await expect(
        (async () => {
          for await (const value of t.execute({}, execution())) seen.push(value)
        })(),
      ).rejects.toBe(error)
      expect(seen).toEqual([1, 2])
    },
  )

  it('are closed when the host stops listening', async () => {
    let closed = false
    const long = {
      async *execute() {
        try {
          for (;;) yield 1
        } finally {
          closed = true
        }
      },
    }
    const { t } = limitTools({ t: long } as any, cut()) as any
    for await (const _value of t.execute({}, execution())) break
    expect(closed).toBe(true)
  })
})

describe.each(MAJORS)('ai %i: what the model gets', (major) => {
  const host = sdk(major)

  it('the text of a reduced object, else what the tool or the host would say', async () => {
    const tools = limitTools(
      {
        plain: { execute: () => rows },
        own: { execute: () => rows, toModelOutput: () => ({ type: 'text', value: 'own' }) },
      } as any,
      cut(),
    ) as any
    const reduced = await tools.own.execute({}, execution())
    const show = (name: string, output: unknown) => tools[name].toModelOutput(host.outputArgument(output))
    expect(show('own', reduced)).toEqual({ type: 'text', value: reduced.text })
    expect(show('own', { small: true })).toEqual({ type: 'text', value: 'own' })
    expect(show('plain', 'x')).toEqual({ type: 'text', value: 'x' })
    expect(show('plain', { a: 1, b: undefined })).toEqual({ type: 'json', value: { a: 1 } })
    expect(show('plain', undefined)).toEqual({ type: 'json', value: null })
  })

  it('of a generator tool, the reduced last value', async () => {
    const requests: ModelRequest[] = []
    const script = (_request: ModelRequest, n: number) =>
      n === 0 ? { calls: [{ id: 'c1', name: 'steps' }] } : { text: 'done' }
    const model = scriptedModel(host, { script } as Scenario, requests)
    const tools = limitTools(
      {
        steps: host.ai.tool({
          inputSchema: z.object({}),
          async *execute() {
            yield 'start'
            yield text(5_000)
          },
        }),
      },
      cut(),
    )
    const result = await host.ai.generateText({ model, tools, prompt: 'go', stopWhen: host.steps(3) })
    expect(requests[1]?.results.get('c1')?.length).toBeLessThanOrEqual(400)
    expect(result.steps[0].toolResults[0].output.length).toBeLessThanOrEqual(400)
  })

  it.skipIf(major === 5)(
    'of a tool of an MCP server, the reduced text [@ai-sdk/mcp 1.x is made for ai 6 and later]',
    async () => {
      const requests: ModelRequest[] = []
      const [near, far] = InMemoryTransport.createLinkedPair()
      const server = new McpServer({ name: 's', version: '1' })
      server.registerTool('log', { description: 'log' }, async () => ({ content: [{ type: 'text', text: bigLog() }] }))
      server.registerTool('fail', { description: 'fail' }, async () => ({
        isError: true,
        content: [{ type: 'text', text: text(20_000) }],
      }))
      await server.connect(far)
      const client = await createMCPClient({ transport: near as any })
      const script = (_request: ModelRequest, n: number) =>
        n === 0
          ? {
              calls: [
                { id: 'c1', name: 'log' },
                { id: 'c2', name: 'fail' },
              ],
            }
          : { text: 'done' }
      const tools = withToolOutputLimits(await client.tools(), new ToolOutputLimits({ store: memoryStore() }))
      await host.ai.generateText({
        model: scriptedModel(host, { script } as Scenario, requests),
        tools,
        prompt: 'go',
        stopWhen: host.steps(3),
      })
      expect(requests[1]?.results.get('c1')?.length).toBeLessThan(2_000)
      expect(handleIn(requests[1]?.results.get('c1'))).toBeTruthy()
      expect(requests[1]?.results.get('c2')).toBe(text(20_000))
      await client.close()
    },
  )

  it('validates UI messages with reduced outputs, and still refuses wrong ones', async () => {
    const { ai } = host
    const tools: any = limitTools(
      {
        rows: ai.tool({
          inputSchema: z.object({}),
          outputSchema: z.array(z.object({ id: z.number(), name: z.string() })),
          execute: async () => rows,
        }),
        page: ai.tool({
          inputSchema: z.object({}),
          outputSchema: z.string().startsWith('lorem'),
          execute: async () => text(5_000),
        }),
      } as any,
      new ToolOutputLimits({ bands: [{ over: 1_000, action: truncate({ maxChars: 400, strategy: 'tail' }) }] }),
    )
    const message = (name: string, output: unknown) => ({
      id: '1',
      role: 'assistant',
      parts: [{ type: `tool-${name}`, toolCallId: 'x', state: 'output-available', input: {}, output }],
    })
    const isValid = (name: string, output: unknown) =>
      ai.validateUIMessages({ messages: [message(name, output)], tools }).then(
        () => true,
        () => false,
      )
    expect(await isValid('rows', await tools.rows.execute({}, execution()))).toBe(true)
    expect(await isValid('page', await tools.page.execute({}, execution()))).toBe(true)
    expect(await isValid('rows', rows)).toBe(true)
    expect(await isValid('rows', 'text')).toBe(false)
    expect(await isValid('page', 7)).toBe(false)
  })

  it('summarizeWith asks the given model and no other', async () => {
    const summarizer = host.model(() => ({
      content: [{ type: 'text', text: 'SUMMED' }],
      usage: { inputTokens: 7, outputTokens: 3 },
    }))
    const limits = new ToolOutputLimits({
      generate: summarizeWith(summarizer),
      bands: [{ over: 1_000, action: summarize() }],
    })
    const tools = limitTools({ t: { execute: () => text(5_000) } } as any, limits) as any
    expect(await tools.t.execute({}, execution())).toBe('SUMMED')
    expect(limits.usage).toEqual({ requests: 1, inputTokens: 7, outputTokens: 3, totalTokens: 10 })
  })

  it.skipIf(major === 5)('runs a tool after its approval, limited [ai 5 has no approval]', async () => {
    const { ai } = host
    const requests: ModelRequest[] = []
    const script = (_request: ModelRequest, n: number) =>
      n === 0 ? { calls: [{ id: 'c1', name: 'log' }] } : { text: 'done' }
    const model = scriptedModel(host, { script } as Scenario, requests)
    let executed = 0
    const tools = limitTools(
      {
        log: ai.tool({
          inputSchema: z.object({}),
          needsApproval: true,
          execute: async () => (executed++, text(5_000)),
        }),
      },
      cut(),
    )
    const first = await ai.generateText({ model, tools, prompt: 'go', stopWhen: host.steps(3) })
    expect(executed).toBe(0)
    const request = first.content.find((part: any) => part.type === 'tool-approval-request')
    const approval = {
      role: 'tool',
      content: [{ type: 'tool-approval-response', approvalId: request.approvalId, approved: true }],
    }
    const messages = [{ role: 'user', content: 'go' }, ...(await host.messages(first)), approval]
    await ai.generateText({ model, tools, messages, stopWhen: host.steps(3) })
    expect(executed).toBe(1)
    expect(requests[1]?.results.get('c1')?.length).toBeLessThanOrEqual(400)
  })
})

describe('withToolOutputLimits', () => {
  it('adds the read tool under its name, and once', () => {
    const limits = new ToolOutputLimits({ readTool: { name: 'peek' } })
    const tools = withToolOutputLimits({ a: { execute: () => 1 } } as any, limits)
    expect(Object.keys(tools)).toEqual(['a', 'peek'])
    expect(Object.keys(withToolOutputLimits(tools, limits))).toEqual(['a', 'peek'])
  })

  it('needs nothing but the tools', () => {
    expect(Object.keys(withToolOutputLimits({}))).toEqual(['read_tool_result'])
  })

  it('refuses another tool of that name', () => {
    expect(() => withToolOutputLimits({ read_tool_result: { execute: () => 1 } } as any)).toThrow(/read_tool_result/)
  })

  it('limits the read tool to its run where the limits say so', async () => {
    const limits = new ToolOutputLimits({ store: memoryStore(), readTool: { scope: 'run' } })
    const tools = (runId: string): any =>
      withToolOutputLimits({ t: { execute: () => text(20_000) } } as any, limits, { runId })
    const handle = handleIn(await tools('one').t.execute({}, execution()))
    const read = (runId: string): Promise<string> => tools(runId).read_tool_result.execute({ handle }, execution('c2'))
    expect(await read('one')).toContain('lorem')
    expect(await read('two')).not.toContain('lorem')
  })
})

describe('toolOutputLimitsMiddleware', () => {
  it('refuses a model of another version, naming the range', async () => {
    const middleware = toolOutputLimitsMiddleware(new ToolOutputLimits())
    const call = {
      doGenerate: async () => ({}),
      doStream: async () => ({}),
      params: {},
      model: { specificationVersion: 'v1' },
    }
    await expect(middleware.wrapGenerate(call)).rejects.toThrow(/ai >=5 <8/)
    await expect(middleware.wrapStream(call)).rejects.toThrow(/ai >=5 <8/)
    expect(() => summarizeWith({ specificationVersion: 'v9', modelId: 'x' })).toThrow(/ai >=5 <8/)
  })

  it('leaves usage alone unless asked to fold', async () => {
    const host = sdk(6)
    const requests: ModelRequest[] = []
    const limits = new ToolOutputLimits({ bands: [{ over: 1_000, action: summarize() }] })
    const script = (_request: ModelRequest, n: number) =>
      n === 0 ? { calls: [{ id: 'c1', name: 't' }] } : { text: 'done' }
    const raw = scriptedModel(
      host,
      { script, summary: { text: 'S', inputTokens: 500, outputTokens: 20 } } as Scenario,
      requests,
    )
    const model = host.ai.wrapLanguageModel({ model: raw, middleware: toolOutputLimitsMiddleware(limits) })
    const tools = limitTools(
      { t: host.ai.tool({ inputSchema: z.object({}), execute: async () => text(5_000) }) },
      limits,
    )
    const result = await host.ai.generateText({ model, tools, prompt: 'go', stopWhen: host.steps(3) })
    expect(requests[1]?.results.get('c1')).toBe('S')
    expect(result.totalUsage.inputTokens).toBe(2 * TURN_USAGE.inputTokens)
    expect(limits.usage.inputTokens).toBe(500)
  })

  it('folds what a summary inside an MCP result cost', async () => {
    const host = sdk(6)
    const limits = new ToolOutputLimits({ bands: [{ over: 1_000, action: summarize() }] })
    const script = (_request: ModelRequest, n: number) =>
      n === 0 ? { calls: [{ id: 'c1', name: 't' }] } : { text: 'done' }
    const raw = scriptedModel(
      host,
      { script, summary: { text: 'S', inputTokens: 500, outputTokens: 20 } } as Scenario,
      [],
    )
    const model = host.ai.wrapLanguageModel({
      model: raw,
      middleware: toolOutputLimitsMiddleware(limits, { foldUsage: true }),
    })
    const execute = async () => ({ content: [{ type: 'text', text: text(5_000) }] })
    const tools = limitTools({ t: host.ai.tool({ inputSchema: z.object({}), execute }) }, limits)
    const result = await host.ai.generateText({ model, tools, prompt: 'go', stopWhen: host.steps(3) })
    expect(result.totalUsage.inputTokens).toBe(2 * TURN_USAGE.inputTokens + 500)
  })
})

/** A store in memory, for tests that look at no file. */
function memoryStore(): OverflowStore {
  const files = new Map<string, Uint8Array>()
  return {
    write: (key, data) => (files.set(key, data), key),
    read: (handle) => files.get(handle),
  }
}
