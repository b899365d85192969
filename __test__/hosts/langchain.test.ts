// biome-ignore-all lint/suspicious/noExplicitAny: tools of every kind
import { AsyncResource } from 'node:async_hooks'
import { BaseChatModel } from '@langchain/core/language_models/chat_models'
import { AIMessage, type BaseMessage, HumanMessage, RemoveMessage, ToolMessage } from '@langchain/core/messages'
import { RunnableLambda } from '@langchain/core/runnables'
import { StructuredTool, tool } from '@langchain/core/tools'
import { Command, interrupt, MemorySaver, task } from '@langchain/langgraph'
import { ToolNode } from '@langchain/langgraph/prebuilt'
import { createDeepAgent } from 'deepagents'
import { createAgent, createMiddleware, toolErrorMiddleware, toolRetryMiddleware } from 'langchain'
import {
  type Journal,
  type SummaryResponse,
  summarize,
  type ToolOutputLimitsOptions,
  truncate,
} from 'tool-output-limits'
import {
  limitTools,
  type MiddlewareOptions,
  readToolResult,
  summarizeWith,
  toolOutputLimitsMiddleware,
  withToolOutputLimits,
} from 'tool-output-limits/langchain'
import { afterEach, beforeEach, describe, expect, expectTypeOf, it, vi } from 'vitest'
import { z } from 'zod'
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

/** A chat model that asks a script for every turn; a request without tools is one for a summary. */
class ScriptedModel extends BaseChatModel {
  readonly requests: ModelRequest[] = []
  toolNames: string[] = []
  summaries = 0
  readonly #script: Scenario['script']
  readonly #summary: Scenario['summary']

  constructor(
    script: Scenario['script'],
    summary: Scenario['summary'] = { text: 'SHORT', inputTokens: 500, outputTokens: 20 },
  ) {
    super({})
    this.#script = script
    this.#summary = summary
  }
  _llmType() {
    return 'scripted'
  }
  override bindTools(tools: unknown[]) {
    return this.withConfig({ tools } as object) as ReturnType<NonNullable<BaseChatModel['bindTools']>>
  }
  async _generate(messages: BaseMessage[], options: this['ParsedCallOptions']) {
    const { tools } = options as { tools?: { name: string }[] }
    const message = tools ? this.#turn(messages, tools) : this.#answer()
    return { generations: [{ text: message.text, message }] }
  }
  #answer() {
    this.summaries++
    const { text, inputTokens, outputTokens } = this.#summary
    return billed({ content: text }, inputTokens, outputTokens)
  }
  #turn(messages: BaseMessage[], tools: { name: string }[]) {
    this.toolNames = tools.map(({ name }) => name)
    const request = { text: JSON.stringify(messages.map((m) => m.toDict())), results: resultsOf(messages) }
    this.requests.push(request)
    const turn = this.#script(request, this.requests.length - 1)
    const { inputTokens, outputTokens } = TURN_USAGE
    if ('text' in turn) return billed({ content: turn.text }, inputTokens, outputTokens)
    const tool_calls = turn.calls.map(({ id, name, input = {} }) => ({
      id,
      name,
      args: input,
      type: 'tool_call' as const,
    }))
    return billed({ content: '', tool_calls }, inputTokens, outputTokens)
  }
}
const billed = (
  fields: { content: string; tool_calls?: object[] },
  input_tokens: number,
  output_tokens: number,
): AIMessage =>
  new AIMessage({
    ...fields,
    usage_metadata: { input_tokens, output_tokens, total_tokens: input_tokens + output_tokens },
  } as object as { content: string })

/** Adds up what the model calls of a run cost, as tracers and usage handlers do. */
function usageCounter() {
  const usage = { inputTokens: 0, outputTokens: 0 }
  const handleLLMEnd = (output: { generations: unknown[][] }): void => {
    const generation = output.generations[0]?.[0] as
      | { message?: { usage_metadata?: Record<string, number> } }
      | undefined
    usage.inputTokens += generation?.message?.usage_metadata?.input_tokens ?? 0
    usage.outputTokens += generation?.message?.usage_metadata?.output_tokens ?? 0
  }
  return { usage, handleLLMEnd }
}
const textOf = (content: BaseMessage['content']): string =>
  typeof content === 'string'
    ? content
    : content.map((block) => (block.type === 'text' ? block.text : JSON.stringify(block))).join('\n')
const toolMessages = (messages: BaseMessage[]): ToolMessage[] =>
  messages.filter((m): m is ToolMessage => ToolMessage.isInstance(m))
const resultsOf = (messages: BaseMessage[]) =>
  new Map(toolMessages(messages).map((m) => [m.tool_call_id, textOf(m.content)]))
const serialised = (messages: BaseMessage[]): string => JSON.stringify(messages.map((m) => m.toDict()))

const anything = z.object({}).loose()
const toolsOf = (scenario: Scenario) =>
  scenario.tools.map(({ name, execute }) =>
    tool(async (input, config) => execute(input, { signal: config.signal }), {
      name,
      description: name,
      schema: anything,
    }),
  )

/** Runs a scenario with an agent that has the middleware, a checkpointer, and every stream mode. */
async function runAgent(scenario: Scenario): Promise<Outcome> {
  const model = new ScriptedModel(scenario.script, scenario.summary)
  const agent = createAgent({
    model,
    tools: toolsOf(scenario),
    checkpointer: new MemorySaver(),
    middleware: [toolOutputLimitsMiddleware(scenario.limits)],
  })
  const { usage, handleLLMEnd } = usageCounter()
  const config = {
    configurable: { thread_id: scenario.runId },
    ...(scenario.signal && { signal: scenario.signal }),
    callbacks: [{ handleLLMEnd }],
  }
  const input = { messages: [new HumanMessage('go')] }
  const persisted: Record<string, string> = {}
  if (scenario.mode === 'generate') persisted.history = serialised((await agent.invoke(input, config)).messages)
  else {
    const chunks: unknown[] = []
    for await (const chunk of await agent.stream(input, { ...config, streamMode: ['updates', 'messages'] }))
      chunks.push(chunk)
    persisted.chunks = JSON.stringify(chunks)
  }
  const state = (await agent.graph.getState({ configurable: config.configurable })) as {
    values: { messages: BaseMessage[] }
  }
  persisted.checkpoint = serialised(state.values.messages)
  return { requests: model.requests, toolNames: model.toolNames, persisted, usage }
}
conformance({ name: 'langchain middleware', modes: ['generate', 'stream'], run: runAgent })

/** Runs a scenario with wrapped tools in an agent that has no middleware. */
async function runTools(scenario: Scenario): Promise<Outcome> {
  const model = new ScriptedModel(scenario.script, scenario.summary)
  const agent = createAgent({ model, tools: withToolOutputLimits(toolsOf(scenario), scenario.limits, { model }) })
  const { usage, handleLLMEnd } = usageCounter()
  const ended: unknown[] = []
  const { messages } = await agent.invoke(
    { messages: [new HumanMessage('go')] },
    {
      configurable: { thread_id: scenario.runId },
      ...(scenario.signal && { signal: scenario.signal }),
      callbacks: [
        {
          handleToolEnd: (output: unknown) => void ended.push(output),
          handleLLMEnd,
        },
      ],
    },
  )
  const persisted = { history: serialised(messages), 'what tracers see': JSON.stringify(ended) }
  return { requests: model.requests, toolNames: model.toolNames, persisted, usage }
}
conformance({ name: 'langchain limitTools', modes: ['generate'], run: runTools })

describe('langchain', () => {
  const host = hostLimits('langchain')
  beforeEach(host.open)
  afterEach(host.close)
  const { limits, events, warnings } = host
  const stored = (message: ToolMessage | undefined): Promise<string> =>
    host.stored(String(message?.metadata?.overflow_handle))
  const calling =
    (...names: string[]) =>
    (_: ModelRequest, n: number): Turn =>
      n === 0 ? { calls: names.map((name, i) => ({ id: `c${i}`, name })) } : { text: 'done' }
  const named = (name: string, run: (...args: any[]) => unknown, options: object = {}): any =>
    tool(run as never, { name, description: name, schema: anything, ...options })
  const agentOf = (
    tools: any[],
    {
      model = new ScriptedModel(calling(...tools.map((t) => t.name))),
      middleware = [] as any[],
      ...rest
    }: { model?: ScriptedModel; middleware?: any[]; checkpointer?: MemorySaver } = {},
  ) => createAgent({ model, tools, middleware, ...rest })
  const messagesOf = async (tools: any[], middleware: any[]): Promise<ToolMessage[]> =>
    toolMessages((await agentOf(tools, { middleware }).invoke({ messages: [new HumanMessage('go')] })).messages)
  const limited = (options?: MiddlewareOptions, own?: ToolOutputLimitsOptions) =>
    toolOutputLimitsMiddleware(limits(own), options)

  describe('what a tool may return', () => {
    const typedRows = Array.from({ length: 3000 }, (_, id) => ({ type: 'row', id }))
    const files = Array.from({ length: 1000 }, (_, i) => ({
      type: 'file',
      name: `file ${i}`,
      size: i,
      url: `https://example.org/${i}`,
    }))
    const texts = Array.from({ length: 1000 }, (_, i) => ({ type: 'text', text: `text ${i}`, score: i }))
    const rows = typedRows.map(({ id }) => ({ id }))
    const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }

    it.each([
      ['a string', bigLog(), bigLog()],
      ['records', rows, JSON.stringify(rows)],
      ['records that have a type', typedRows, JSON.stringify(typedRows)],
      ['files of a folder, which have the type of a content block', files, JSON.stringify(files)],
      ['texts with more to them than a text', texts, JSON.stringify(texts)],
      ['one text block', [{ type: 'text', text: bigLog() }], bigLog()],
      ['an object', { stdout: bigLog() }, JSON.stringify({ stdout: bigLog() })],
    ])('%s: reduced once, stored whole, handle in the metadata', async (_, value, expected) => {
      for (const [tools, middleware] of [
        [[named('t', () => value)], [limited()]],
        [limitTools([named('t', () => value)], limits()), []],
      ] as const) {
        events.length = 0
        const [message] = await messagesOf([...tools], [...middleware])
        expect(events).toHaveLength(1)
        expect(textOf(message?.content ?? '').length).toBeLessThan(4_000)
        expect(await stored(message)).toBe(expected)
        expect(message?.metadata?.overflow_bytes).toBe(Buffer.byteLength(expected))
      }
    })

    it('media blocks keep their place, texts and records become one text', async () => {
      const blocks = [
        image,
        { type: 'text', text: bigLog() },
        { type: 'row', id: 1 },
        { type: 'text', text: 'end' },
        image,
      ]
      const [message] = await messagesOf([named('t', () => blocks)], [limited()])
      expect(message?.content).toEqual([image, { type: 'text', text: expect.stringContaining('line 0 ') }, image])
      expect(await stored(message)).toBe(`${bigLog()}\n{"type":"row","id":1}\nend`)
    })

    it('media over the limit stay, with a warning', async () => {
      const large = { type: 'image', data: 'A'.repeat(20_000), mimeType: 'image/png' }
      const [message] = await messagesOf([named('t', () => [large])], [limited()])
      expect(message?.content).toEqual([large])
      expect(warnings.map(({ code }) => code)).toEqual(['TOL_CONTENT_NOT_TEXT'])
    })

    it('structured content that an MCP adapter puts beside the same text is stored once and dropped', async () => {
      const text = JSON.stringify(rows)
      const [message] = await messagesOf(
        [named('t', () => [{ type: 'text', text, structuredContent: { result: rows }, meta: { a: 1 } }])],
        [limited()],
      )
      expect(message?.content).toEqual([{ type: 'text', text: expect.stringContaining('shape:') }])
      expect(await stored(message)).toBe(text)
      expect(events).toHaveLength(1)
    })

    it('small structured content beside a small text stays', async () => {
      const blocks = [{ type: 'text', text: 'ok', structuredContent: { ok: true }, meta: { a: 1 } }]
      expect((await messagesOf([named('t', () => blocks)], [limited()]))[0]?.content).toEqual(blocks)
    })

    it('an artifact stays as it is, the content beside it is reduced', async () => {
      const artifact = { raw: bigLog() }
      const make = () =>
        named('t', () => [bigLog(), artifact], { responseFormat: 'content_and_artifact', metadata: { team: 'a' } })
      for (const message of [
        ...(await messagesOf([make()], [limited()])),
        ...(await messagesOf([...limitTools([make()], limits())], [])),
      ]) {
        expect(message.artifact).toEqual(artifact)
        expect(message.metadata).toMatchObject({ team: 'a', overflow_handle: expect.any(String) })
        expect(await stored(message)).toBe(bigLog())
      }
    })

    it('a message keeps its id, name and other fields, and the old one is not changed', async () => {
      const fields = {
        id: 'm1',
        name: 'n',
        artifact: { a: 1 },
        metadata: { own: 1 },
        additional_kwargs: { k: 1 },
        response_metadata: { r: 1 },
      }
      const original = new ToolMessage({ content: bigLog(), tool_call_id: 'c0', ...fields })
      const [message] = await messagesOf([named('t', () => original)], [limited()])
      expect(message).not.toBe(original)
      expect(message).toMatchObject({
        ...fields,
        metadata: { own: 1, overflow_handle: expect.any(String) },
        tool_call_id: 'c0',
      })
      expect(message?.lc_kwargs.content).toBe(message?.content)
      expect(original.content).toBe(bigLog())
    })

    it('messages of a Command are reduced; the rest of it stays', async () => {
      const command = (update: unknown) => new Command({ update: update as Record<string, unknown> })
      const message = () => new ToolMessage({ content: bigLog(), tool_call_id: 'c0', id: 'm0', name: 't' })
      const kinds: [string, unknown][] = [
        ['one message', { messages: message() }],
        ['a list', { messages: [message(), new HumanMessage('and')] }],
        ['an object in place of a message', { messages: [{ role: 'tool', content: bigLog(), tool_call_id: 'c0' }] }],
        ['pairs', [['messages', [message()]]]],
      ]
      for (const [comment, update] of kinds) {
        events.length = 0
        const [got] = await messagesOf([named('t', () => command(update))], [limited()])
        expect(events, comment).toHaveLength(1)
        expect(await stored(got), comment).toBe(bigLog())
      }
    })

    it('several messages of one call get a handle each, the same again when the tool runs again', async () => {
      const update = {
        messages: ['a', 'b'].map((label) => new ToolMessage({ content: bigLog(label), tool_call_id: 'c0', id: label })),
      }
      const handles = async () =>
        (await messagesOf([named('t', () => new Command({ update }))], [limited({ runId: 'r' })])).map(
          (m) => m.metadata?.overflow_handle,
        )
      const first = await handles()
      expect(new Set(first).size).toBe(2)
      expect(await handles()).toEqual(first)
    })

    it('a Command without messages, and one that removes messages, are given back as they are', async () => {
      const model = new ScriptedModel(calling('t'))
      const seen: unknown[] = []
      const command = new Command({
        goto: [],
        update: {
          messages: [new RemoveMessage({ id: 'none' }), new ToolMessage({ content: 'ok', tool_call_id: 'c0' })],
        },
      })
      const spy = createMiddleware({
        name: 'spy',
        wrapToolCall: async (request, handler) => {
          const output = await handler(request)
          seen.push(output)
          return output
        },
      })
      await createAgent({ model, tools: [named('t', () => command)], middleware: [spy, limited()] })
        .invoke({ messages: [new HumanMessage('go')] })
        .catch(() => undefined) // removing an unknown message is an error of its own
      expect(seen).toEqual([command])
      expect(seen[0]).toBe(command)
    })

    it('a generator: what it yields are events, what it returns is the result', async () => {
      const make = () =>
        named('t', async function* () {
          yield 'half'
          return bigLog()
        })
      for (const [tools, middleware] of [
        [[make()], [limited()]],
        [limitTools([make()], limits()), []],
      ] as const) {
        const chunks: unknown[] = []
        const agent = agentOf([...tools], { middleware: [...middleware] })
        const { messages } = await agent.invoke(
          { messages: [new HumanMessage('go')] },
          { callbacks: [{ handleToolEvent: (chunk: unknown) => void chunks.push(chunk) } as object] },
        )
        expect(chunks).toEqual(['half'])
        expect(await stored(toolMessages(messages)[0])).toBe(bigLog())
      }
    })
  })

  describe('errors', () => {
    const failing = (error: unknown) => named('t', () => Promise.reject(error))
    const strict = tool(async () => 'x', { name: 't', description: 't', schema: z.object({ n: z.number() }) })
    const trace = new Error(`${'at frame\n'.repeat(2_500)}end`)

    it.each([
      ['an error', failing(new Error('boom'))],
      ['a long error', failing(trace)],
      ['a string', failing('boom')],
      ['arguments that do not fit', strict],
      [
        'a message that says it is an error',
        named('t', () => new ToolMessage({ content: bigLog(), tool_call_id: 'c0', name: 't', status: 'error' })),
      ],
    ])('%s: what the model gets is what it gets without the middleware', async (_, t) => {
      const strip = ({ content, status, name, tool_call_id }: ToolMessage) => ({
        content: textOf(content).replace(/^ +at .*$/gm, ''),
        status,
        name,
        tool_call_id,
      })
      const without = (await messagesOf([t], [])).map(strip)
      expect(without).toHaveLength(1)
      expect((await messagesOf([t], [limited()])).map(strip)).toEqual(without)
      expect((await messagesOf([...limitTools([t], limits())], [])).map(strip)).toEqual(without)
      expect(events).toEqual([])
    })

    it("toolErrors 'rethrow' leaves them to other middleware", async () => {
      await expect(messagesOf([failing(new Error('boom'))], [limited({ toolErrors: 'rethrow' })])).rejects.toThrow(
        'boom',
      )
      const answer = toolErrorMiddleware({ onError: (error: unknown) => `ERR ${(error as Error).message}` })
      const [message] = await messagesOf([failing(new Error('boom'))], [answer, limited({ toolErrors: 'rethrow' })])
      expect(message?.content).toBe('ERR boom')
    })

    it('an inner toolErrorMiddleware wins', async () => {
      const answer = toolErrorMiddleware({ onError: (error: unknown) => `ERR ${(error as Error).message}` })
      expect((await messagesOf([failing(new Error('boom'))], [limited(), answer]))[0]?.content).toBe('ERR boom')
    })

    it.each(['inner', 'outer'])('with %s retries the result is reduced once', async (place) => {
      let n = 0
      const flaky = named('t', () => (n++ === 0 ? Promise.reject(new Error('flaky')) : bigLog()))
      const retry = toolRetryMiddleware({ maxRetries: 2, initialDelayMs: 1 })
      const own = limited({ toolErrors: place === 'outer' ? 'rethrow' : 'message' })
      const [message] = await messagesOf([flaky], place === 'inner' ? [own, retry] : [retry, own])
      expect(n).toBe(2)
      expect(events).toHaveLength(1)
      expect(await stored(message)).toBe(bigLog())
    })

    it('a middleware that calls the tool twice gets a handle for each result', async () => {
      const handles: unknown[] = []
      const twice = createMiddleware({
        name: 'twice',
        wrapToolCall: async (request, handler) => {
          for (let i = 0; i < 2; i++) handles.push(((await handler(request)) as ToolMessage).metadata?.overflow_handle)
          return handler(request)
        },
      })
      let n = 0
      await messagesOf([named('t', () => bigLog(`run${n++}`))], [twice, limited({ runId: 'r' })])
      expect(handles).toEqual(['r/c0.0', 'r/c0.1'])
    })

    it('an unknown toolErrors is refused', () => {
      expect(() => limited({ toolErrors: 'ignore' as never })).toThrow(/toolErrors.*ignore/)
    })
  })

  describe('interrupt, abort, resume', () => {
    it('a tool that interrupts goes on after the resume, and its result is reduced once', async () => {
      const ask = named('t', () => `${interrupt('sure?')} ${bigLog()}`)
      const agent = agentOf([ask], { middleware: [limited()], checkpointer: new MemorySaver() })
      const config = { configurable: { thread_id: 'th' } }
      expect(await agent.invoke({ messages: [new HumanMessage('go')] }, config)).toHaveProperty('__interrupt__')
      const { messages } = await agent.invoke(new Command({ resume: 'yes' }), config)
      expect(await stored(toolMessages(messages)[0])).toBe(`yes ${bigLog()}`)
      expect(events.map(({ runId, toolCallId, retry }) => ({ runId, toolCallId, retry }))).toEqual([
        { runId: 'th', toolCallId: 'c0', retry: 0 },
      ])
    })

    it('an interrupt after the tool runs it again: same handle, and with a journal of LangGraph tasks one summary', async () => {
      let runs = 0
      const t = named('t', () => bigLog(`run ${runs++}`))
      const review = createMiddleware({
        name: 'review',
        wrapToolCall: async (request, handler) => {
          const message = await handler(request)
          interrupt('ok?')
          return message
        },
      })
      const operations: string[] = []
      const journal: ToolOutputLimitsOptions['journal'] = async (operation, run) => {
        operations.push(operation.id)
        return await task(operation.id, run)(operation.input)
      }
      const model = new ScriptedModel(calling('t'))
      const agent = createAgent({
        model,
        tools: [t],
        middleware: [review, limited({}, { journal, bands: [{ over: 10_000, action: summarize() }] })],
        checkpointer: new MemorySaver(),
      })
      const config = { configurable: { thread_id: 'th' } }
      await agent.invoke({ messages: [new HumanMessage('go')] }, config)
      const { messages } = await agent.invoke(new Command({ resume: true }), config)
      expect(runs).toBe(2)
      expect(operations).toHaveLength(2)
      expect(operations[0]).toBe(operations[1])
      expect(model.summaries).toBe(1)
      expect(toolMessages(messages)[0]?.content).toBe('SHORT')
    })

    it('another agent on the same checkpoint reads what the first one spilled', async () => {
      const checkpointer = new MemorySaver()
      const config = { configurable: { thread_id: 'th' } }
      const readTool = { scope: 'run' } as const
      await agentOf([named('t', () => bigLog())], { middleware: [limited({}, { readTool })], checkpointer }).invoke(
        { messages: [new HumanMessage('go')] },
        config,
      )
      const model = new ScriptedModel(({ results }, n) =>
        n === 0
          ? {
              calls: [
                { id: 'r', name: READ_TOOL, input: { handle: handleIn(results.get('c0')), offset: 7, limit: 1 } },
              ],
            }
          : { text: 'done' },
      )
      const { messages } = await createAgent({
        model,
        tools: [],
        middleware: [limited({}, { readTool })],
        checkpointer,
      }).invoke({ messages: [new HumanMessage('more')] }, config)
      expect(toolMessages(messages)[1]?.content).toContain('line 7 ')
    })

    it('an aborted run rejects with the abort, not with a message about it', async () => {
      const controller = new AbortController()
      const t = named('t', (_: unknown, { signal }: { signal: AbortSignal }) => {
        queueMicrotask(() => controller.abort())
        return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
      })
      const agent = agentOf([t], { middleware: [limited()] })
      await expect(agent.invoke({ messages: [new HumanMessage('go')] }, { signal: controller.signal })).rejects.toThrow(
        /abort/i,
      )
    })

    it('no message is made of what a tool throws after the abort', async () => {
      const middleware = limited()
      const request = {
        toolCall: { id: 'c0', name: 't', args: {} },
        tool: undefined,
        state: { messages: [] },
        runtime: { signal: AbortSignal.abort() },
      }
      const failed = new Error('socket closed')
      await expect(middleware.wrapToolCall?.(request as never, () => Promise.reject(failed))).rejects.toBe(failed)
    })
  })

  describe('summaries', () => {
    const bands = [{ over: 10_000, action: summarize({ fallback: truncate() }) }]
    const once = { bands }

    it('use the model that called the tool, of several', async () => {
      const [first, second] = [new ScriptedModel(calling('t')), new ScriptedModel(() => ({ text: 'unused' }))]
      const choose = createMiddleware({
        name: 'choose',
        wrapModelCall: (request, handler) => handler({ ...request, model: first as never }),
      })
      await createAgent({
        model: second,
        tools: [named('t', () => bigLog())],
        middleware: [choose, limited({}, once)],
      }).invoke({ messages: [new HumanMessage('go')] })
      expect([first.summaries, second.summaries]).toEqual([1, 0])
    })

    it('use the model of the options before that', async () => {
      const [agentModel, own] = [new ScriptedModel(calling('t')), new ScriptedModel(() => ({ text: 'unused' }))]
      await createAgent({
        model: agentModel,
        tools: [named('t', () => bigLog())],
        middleware: [limited({ model: own }, once)],
      }).invoke({ messages: [new HumanMessage('go')] })
      expect([agentModel.summaries, own.summaries]).toEqual([0, 1])
    })

    it('belong to the run, its callbacks and its tracing, from wherever they are started', async () => {
      const outside = AsyncResource.bind((start: () => Promise<SummaryResponse>) => start())
      const { usage, handleLLMEnd } = usageCounter()
      const journal: Journal = (operation, summarizeIt) => outside(() => summarizeIt(operation.input))
      const agent = agentOf([named('t', () => bigLog())], {
        middleware: [limited({ runId: 'r' }, { ...once, journal })],
      })
      await agent.invoke({ messages: [new HumanMessage('go')] }, { callbacks: [{ handleLLMEnd }] })
      expect(usage.inputTokens).toBe(2 * TURN_USAGE.inputTokens + 500)
    })

    it('are no part of the message stream', async () => {
      const agent = agentOf([named('t', () => bigLog())], { middleware: [limited({}, once)] })
      const streamed: string[] = []
      for await (const [message] of await agent.stream(
        { messages: [new HumanMessage('go')] },
        { streamMode: 'messages' },
      ))
        streamed.push(`${(message as BaseMessage).getType()}:${textOf((message as BaseMessage).content)}`)
      expect(streamed.filter((text) => text.startsWith('ai:SHORT'))).toEqual([])
      expect(streamed).toContain('tool:SHORT')
    })

    it('without a known model fall back', async () => {
      const node = new ToolNode([...limitTools([named('t', () => bigLog())], limits(once))])
      const message = new AIMessage({ content: '', tool_calls: [{ id: 'c0', name: 't', args: {}, type: 'tool_call' }] })
      await node.invoke({ messages: [message] })
      expect(events[0]?.report).toMatchObject({
        action: 'truncate',
        fallbacks: [{ action: 'summarize', reason: 'no_model' }],
      })
    })

    it('summarizeWith calls a chat model and tells what it cost', async () => {
      const generate = summarizeWith(new ScriptedModel(() => ({ text: 'unused' })))
      const request = { prompt: 'p', text: 't', toolName: 't', maxChars: 100, signal: new AbortController().signal }
      expect(await generate(request)).toEqual({
        text: 'SHORT',
        usage: { requests: 1, inputTokens: 500, outputTokens: 20, totalTokens: 520 },
      })
      await expect(summarizeWith()(request)).rejects.toThrow(/chat model/)
    })

    it('summarizeWith asks the given model, and not that of the run', async () => {
      const generate = summarizeWith(
        new ScriptedModel(() => ({ text: 'unused' }), { text: 'BY THE CHEAP ONE', inputTokens: 1, outputTokens: 1 }),
      )
      const [message] = await messagesOf([named('t', () => bigLog())], [limited({}, { ...once, generate })])
      expect(message?.content).toBe('BY THE CHEAP ONE')
    })
  })

  describe('limitTools', () => {
    it('works in the prebuilt ToolNode', async () => {
      const node = new ToolNode(withToolOutputLimits([named('t', () => bigLog())], limits()))
      const message = new AIMessage({ content: '', tool_calls: [{ id: 'c0', name: 't', args: {}, type: 'tool_call' }] })
      const { messages } = await node.invoke({ messages: [message] }, { configurable: { thread_id: 'th' } })
      expect(messages[0].metadata.overflow_handle).toBe('th/c0.0')
      const read = new AIMessage({
        content: '',
        tool_calls: [{ id: 'c1', name: READ_TOOL, args: { handle: 'th/c0.0', limit: 1 }, type: 'tool_call' }],
      })
      expect((await node.invoke({ messages: [read] })).messages[0].content).toContain('line 0 ')
    })

    it('works in a chain, where a tool is called without a tool call', async () => {
      const [t] = limitTools([named('t', () => bigLog())], limits())
      const text = await t.pipe(RunnableLambda.from((output: string) => output)).invoke({})
      expect(text).toContain('line 0 ')
      expect(text.length).toBeLessThan(4_000)
    })

    it('leaves the tool itself alone, keeps its class and members, and runs its code on it', async () => {
      class Counter extends StructuredTool {
        name = 'counter'
        description = 'counts'
        schema = z.object({})
        #calls = 0
        async _call() {
          this.#calls++
          return bigLog()
        }
        get calls() {
          return this.#calls
        }
      }
      const original = new Counter()
      const symbol = Symbol('own')
      Object.defineProperty(original, symbol, { value: 1 })
      const [copy] = limitTools([original], limits())
      expectTypeOf(copy).toEqualTypeOf<Counter>()
      expect(copy).toBeInstanceOf(Counter)
      expect(Object.getOwnPropertyDescriptor(copy, symbol)).toEqual(Object.getOwnPropertyDescriptor(original, symbol))
      expect((await copy.invoke({})).length).toBeLessThan(4_000)
      expect(original.calls).toBe(1)
      expect(await original.invoke({})).toBe(bigLog())
    })

    it('with the middleware around them results are reduced once', async () => {
      const [message] = await messagesOf(
        [
          ...limitTools(
            [named('t', () => bigLog())],
            limits({ bands: [{ over: 100, action: truncate({ maxChars: 500 }) }] }),
          ),
        ],
        [limited({}, { bands: [{ over: 100, action: truncate({ maxChars: 200 }) }] })],
      )
      expect(textOf(message?.content ?? '').length).toBeGreaterThan(400)
      expect(events).toHaveLength(1)
    })

    it('runnables as tools are limited, tools of the provider given back', async () => {
      const runnable = RunnableLambda.from(async (_: Record<string, unknown>) => bigLog()).asTool({
        name: 'r',
        schema: anything as never,
      })
      const provider = { type: 'web_search', name: 'web_search' }
      const [limitedRunnable, sameProvider] = limitTools([runnable, provider], limits())
      expect(sameProvider).toBe(provider)
      const output = await limitedRunnable.invoke({ type: 'tool_call', id: 'c0', name: 'r', args: {} } as never)
      expect(textOf((output as unknown as ToolMessage).content ?? output).length).toBeLessThan(4_000)
      expect(events).toHaveLength(1)
    })

    it('keeps the types of tools', () => {
      const typed = tool(async ({ n }: { n: number }) => n, {
        name: 'typed',
        description: 'typed',
        schema: z.object({ n: z.number() }),
      })
      const tools = withToolOutputLimits([typed], limits())
      expectTypeOf(tools[0]).toEqualTypeOf(typed)
      expectTypeOf(tools[1]).toExtend<StructuredTool>()
    })
  })

  describe('the read tool', () => {
    it.each([
      ['numbers as text', { offset: '3', limit: '1' }, 'line 3 '],
      ['a word for a number', { offset: 'three' }, 'offset'],
      ['no handle', { handle: undefined }, 'handle'],
    ])('answers %s', async (_, input, expected) => {
      const own = limits()
      const { report } = await own.reduce(bigLog(), { toolName: 't' })
      const answer = await readToolResult(own).invoke({
        type: 'tool_call',
        id: 'r',
        name: READ_TOOL,
        args: { handle: report.handle, ...input },
      })
      expect(answer.status).toBe('success')
      expect(answer.content).toContain(expected)
    })

    it('has the configured name and JSON Schema', () => {
      const read = readToolResult(limits({ readTool: { name: 'more' } }))
      expect(read.name).toBe('more')
      expect(read.schema).toMatchObject({ type: 'object', required: ['handle'] })
    })

    it('scope run: a handle of another thread is unknown', async () => {
      const own = limits({ readTool: { scope: 'run' } })
      const { report } = await own.reduce(bigLog(), { toolName: 't', runId: 'mine' })
      const read = (thread_id: string) =>
        readToolResult(own).invoke({ handle: report.handle }, { configurable: { thread_id } })
      expect(await read('mine')).toContain('line 0 ')
      expect(await read('other')).not.toContain('line 0 ')
    })
  })

  it('the read tool is left out where it is switched off', () => {
    const off = limits({ readTool: { enabled: false } })
    expect(toolOutputLimitsMiddleware(off).tools).toEqual([])
    expect(withToolOutputLimits([], off)).toEqual([])
    expect(() => readToolResult(off)).toThrow(TypeError)
  })

  it('an older langchain is refused, naming the supported versions', async () => {
    vi.resetModules()
    vi.doMock('langchain', () => ({
      createMiddleware: undefined,
      MiddlewareError: undefined,
      initChatModel: undefined,
    }))
    const older = await import('tool-output-limits/langchain')
    vi.doUnmock('langchain')
    for (const use of [() => older.toolOutputLimitsMiddleware(), () => older.limitTools([])])
      expect(use).toThrow('langchain and @langchain/core >=1 <2')
  })

  describe('options', () => {
    it('runId and store may depend on the run', async () => {
      const files = new Map<string, Uint8Array>()
      const store = {
        write: (key: string, data: Uint8Array) => {
          files.set(key, data)
          return key
        },
        read: (handle: string) => files.get(handle),
      }
      const options: MiddlewareOptions = {
        runId: ({ configurable }) => `user-${configurable?.user}`,
        store: () => store,
      }
      const model = new ScriptedModel(({ results }, n) => {
        if (n === 0) return { calls: [{ id: 'c0', name: 't' }] }
        return n === 1
          ? { calls: [{ id: 'c1', name: READ_TOOL, input: { handle: handleIn(results.get('c0')), limit: 1 } }] }
          : { text: 'done' }
      })
      const { messages } = await createAgent({
        model,
        tools: [named('t', () => bigLog())],
        middleware: [limited(options)],
      }).invoke({ messages: [new HumanMessage('go')] }, { configurable: { user: 7 } })
      expect([...files.keys()]).toEqual(['user-7/c0.0'])
      expect(toolMessages(messages)[1]?.content).toContain('line 0 ')
    })

    it.each<[string, () => unknown, RegExp]>([
      [
        'throws',
        () => {
          throw new Error('no tenant')
        },
        /^no tenant$/,
      ],
      ['gives a promise', () => Promise.reject(new Error('nobody waits')), /a promise: it must not be async$/],
      ['gives no store', () => '/tmp', /gave "\/tmp"$/],
    ])('a store function that %s: the tool works, and its result goes into no other store', async (_, store, cause) => {
      const [message] = await messagesOf([named('t', () => bigLog())], [limited({ store: store as never })])
      expect(message?.content).toContain('line 0 ')
      expect(message?.status).not.toBe('error')
      expect(events[0]?.report).toMatchObject({
        action: 'truncate',
        fallbacks: [{ action: 'spill', reason: 'store_failed' }],
      })
      expect(warnings).toMatchObject([{ code: 'TOL_STORE', reason: 'store_failed' }])
      expect(warnings[0]?.cause).toMatchObject({ message: expect.stringMatching(cause) })
    })

    it('toolFilter sees the metadata of the tool', async () => {
      const make = (name: string, large: boolean) => named(name, () => bigLog(), { metadata: { large } })
      const [a, b] = await messagesOf(
        [make('a', true), make('b', false)],
        [limited({}, { toolFilter: { large: true } })],
      )
      expect(textOf(a?.content ?? '').length).toBeLessThan(4_000)
      expect(b?.content).toBe(bigLog())
    })

    it('serializers lay out what LangChain has made compact JSON of', async () => {
      const [message] = await messagesOf(
        [named('t', () => Array.from({ length: 3000 }, (_, id) => ({ id })))],
        [limited({}, { serializer: 'json-lines' })],
      )
      expect((await stored(message)).split('\n').slice(0, 2)).toEqual(['{"id":0}', '{"id":1}'])
    })
  })

  it('next to deepagents: reduced once, nothing evicted a second time, read back', async () => {
    const model = new ScriptedModel(({ results }, n) => {
      if (n === 0) return { calls: [{ id: 'c0', name: 't' }] }
      return n === 1
        ? {
            calls: [
              { id: 'c1', name: READ_TOOL, input: { handle: handleIn(results.get('c0')), offset: 1000, limit: 1 } },
            ],
          }
        : { text: 'done' }
    })
    const agent = createDeepAgent({
      model,
      tools: [named('t', () => bigLog() + bigLog())],
      middleware: [limited()] as never,
    })
    const { messages, files } = (await agent.invoke({ messages: [new HumanMessage('go')] } as never)) as unknown as {
      messages: BaseMessage[]
      files?: object
    }
    const [spilled, page] = toolMessages(messages)
    expect(events.filter(({ toolName }) => toolName === 't')).toHaveLength(1)
    expect(await stored(spilled)).toBe(bigLog() + bigLog())
    expect(page?.content).toContain('line 1000 ')
    expect(Object.keys(files ?? {})).toEqual([])
  })
})
