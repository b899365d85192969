// biome-ignore-all lint/suspicious/noExplicitAny: messages of the API as they are sent
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import Anthropic from '@anthropic-ai/sdk'
import { betaZodTool } from '@anthropic-ai/sdk/helpers/beta/zod'
import { ToolError } from '@anthropic-ai/sdk/lib/tools/ToolError'
import { limitTools, readToolResult, summarizeWith, withToolOutputLimits } from 'tool-output-limits/anthropic'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { summarize } from '../../index.js'
import {
  bigLog,
  conformance,
  handleIn,
  type ModelRequest,
  type Outcome,
  READ_TOOL,
  type Scenario,
  TURN_USAGE,
} from './conformance.js'
import { hostLimits } from './limits.js'

const MODEL = 'claude-test'

/** The API on this machine: answers every request through `answer`, as events where it is asked to stream. */
let answer: (request: any) => { content: any[]; usage: { inputTokens: number; outputTokens: number } }
const threads = new Map<string, any>()
let api: Server
let client: Anthropic
beforeAll(async () => {
  api = createServer(async (request, response) => {
    const { stream, ...body } = JSON.parse(Buffer.concat(await request.toArray()).toString('utf8'))
    // The runner sends what is new only; the API has the rest of the conversation, by the id of its last answer.
    const before = threads.get(body.thread?.previous_message_id)
    const whole = before ? { ...before, ...body, messages: [...before.messages, ...body.messages] } : body
    const message = { ...messageOf(answer(whole)), id: `msg_${threads.size}` }
    threads.set(message.id, {
      ...whole,
      messages: [...whole.messages, { role: 'assistant', content: message.content }],
    })
    if (!stream) {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(message))
      return
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const event of eventsOf(message)) response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    response.end()
  })
  await new Promise<void>((resolve) => api.listen(0, '127.0.0.1', resolve))
  const baseURL = `http://127.0.0.1:${(api.address() as AddressInfo).port}`
  client = new Anthropic({ apiKey: 'none', baseURL, maxRetries: 0 })
})
afterAll(async () => {
  api.closeAllConnections()
  await new Promise((resolve) => api.close(resolve))
})

const messageOf = ({ content, usage }: ReturnType<typeof answer>) => ({
  type: 'message',
  role: 'assistant',
  model: MODEL,
  content,
  stop_reason: content.some(({ type }) => type === 'tool_use') ? 'tool_use' : 'end_turn',
  stop_sequence: null,
  usage: { input_tokens: usage.inputTokens, output_tokens: usage.outputTokens },
})
function* eventsOf({ content, stop_reason, usage, ...message }: ReturnType<typeof messageOf>): Generator<any> {
  yield { type: 'message_start', message: { ...message, content: [], stop_reason: null, usage } }
  for (const [index, block] of content.entries()) {
    const isText = block.type === 'text'
    const delta = isText
      ? { type: 'text_delta', text: block.text }
      : { type: 'input_json_delta', partial_json: JSON.stringify(block.input) }
    const content_block = isText ? { ...block, text: '' } : { ...block, input: {} }
    yield { type: 'content_block_start', index, content_block }
    yield { type: 'content_block_delta', index, delta }
    yield { type: 'content_block_stop', index }
  }
  yield { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage }
  yield { type: 'message_stop' }
}

const textOf = (content: any): string =>
  typeof content === 'string' ? content : content.map((block: any) => block.text ?? `<${block.type}>`).join('\n')
const resultsIn = (messages: any[]): any[] =>
  messages
    .flatMap(({ content }) => (Array.isArray(content) ? content : []))
    .filter(({ type }) => type === 'tool_result')

/** Has the script answer: turns for requests with tools, the summary for those without. */
function play({ script, summary }: Pick<Scenario, 'script' | 'summary'>) {
  const requests: ModelRequest[] = []
  const toolNames: string[] = []
  answer = ({ messages, tools }) => {
    if (!tools?.length) return { content: [{ type: 'text', text: summary.text }], usage: summary }
    if (requests.length === 0) toolNames.push(...tools.map(({ name }: { name: string }) => name))
    const results = resultsIn(messages).map(({ tool_use_id, content }) => [tool_use_id, textOf(content)] as const)
    const request = { text: JSON.stringify(messages), results: new Map(results) }
    requests.push(request)
    const turn = script(request, requests.length - 1)
    const content =
      'text' in turn
        ? [{ type: 'text', text: turn.text }]
        : turn.calls.map(({ id, name, input = {} }) => ({ type: 'tool_use', id, name, input }))
    return { content, usage: TURN_USAGE }
  }
  return { requests, toolNames }
}

async function run(scenario: Scenario): Promise<Outcome> {
  const { requests, toolNames } = play(scenario)
  const tools = scenario.tools.map(({ name, execute }) =>
    betaZodTool({
      name,
      description: name,
      inputSchema: z.object({}),
      run: async (input, context) => {
        const output = await execute(input, { signal: context?.signal ?? undefined })
        return typeof output === 'string' ? output : JSON.stringify(output)
      },
    }),
  )
  const params = {
    model: MODEL,
    max_tokens: 100,
    messages: [{ role: 'user' as const, content: 'go' }],
    tools: withToolOutputLimits(tools, scenario.limits, { runId: scenario.runId, model: MODEL, client }),
  }
  const options = scenario.signal ? { signal: scenario.signal } : {}
  const persisted: Record<string, string> = {}
  let messages: any[]
  if (scenario.mode === 'stream') {
    const runner = client.beta.messages.toolRunner({ ...params, stream: true }, options)
    for await (const stream of runner) await stream.finalMessage()
    messages = runner.params.messages
  } else {
    const runner = client.beta.messages.toolRunner(params, options)
    await runner.runUntilDone()
    messages = runner.params.messages
  }
  persisted['messages of the runner'] = JSON.stringify(messages)
  return { requests, toolNames, persisted }
}

conformance({
  name: 'anthropic tool runner',
  modes: ['generate', 'stream'],
  run,
  exceptions: {
    'the tokens of a summary appear in the usage of the run, once': 'the runner counts no tokens of a run',
  },
})

describe('anthropic', () => {
  const host = hostLimits('anthropic')
  const { limits, events, stored } = host
  beforeEach(host.open)
  afterEach(host.close)

  const tool = (run: (...parameters: any[]) => unknown, fields: object = {}): any => ({
    type: 'custom',
    name: 't',
    description: 't',
    input_schema: { type: 'object' },
    parse: (input: unknown) => input,
    run,
    ...fields,
  })
  /** What the API gets as the result of one call. */
  async function resultOf(...tools: any[]): Promise<any> {
    play({
      script: (_request, n) => (n === 0 ? { calls: [{ id: 'c1', name: 't' }] } : { text: 'done' }),
      summary: { text: 'SHORT', inputTokens: 500, outputTokens: 20 },
    })
    const runner = client.beta.messages.toolRunner({
      model: MODEL,
      max_tokens: 100,
      messages: [{ role: 'user', content: 'go' }],
      tools,
    })
    await runner.runUntilDone()
    return resultsIn([...runner.params.messages])[0]
  }

  it('text blocks become one, and images keep their place', async () => {
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } }
    const cached = { type: 'text', text: bigLog(), cache_control: { type: 'ephemeral' } }
    const blocks = [image, cached, { type: 'text', text: 'end' }]
    const { content } = await resultOf(...limitTools([tool(() => blocks)], limits(), { runId: 'r' }))
    expect(content).toEqual([image, { ...cached, text: expect.stringContaining('line 0 ') }])
    expect(content[1].text.length).toBeLessThan(3_000)
    expect(await stored('r/c1.0')).toBe(`${bigLog()}\nend`)
  })

  it.each([
    ['search results', { type: 'search_result', source: 's', title: 't', content: [{ type: 'text', text: bigLog() }] }],
    ['text documents', { type: 'document', source: { type: 'text', media_type: 'text/plain', data: bigLog() } }],
  ])('%s are text to the model, and limited', async (_what, block) => {
    const { content } = await resultOf(...limitTools([tool(() => [block])], limits(), { runId: 'r' }))
    expect(JSON.stringify(content).length).toBeLessThan(3_000)
    expect(await stored('r/c1.0')).toBe(JSON.stringify(block))
  })

  it('small blocks are given back as they are', async () => {
    const blocks = [{ type: 'text', text: 'ok' }]
    const [limited] = limitTools([tool(() => blocks)], limits())
    expect(await limited.run({}, { toolUse: { id: 'c', name: 't' } })).toBe(blocks)
  })

  it('the blocks of a ToolError stay whole', async () => {
    const blocks = [{ type: 'text' as const, text: bigLog() }]
    const fail = tool(() => {
      throw new ToolError(blocks)
    })
    expect(await resultOf(...limitTools([fail], limits()))).toMatchObject({ is_error: true, content: blocks })
    expect(events).toEqual([])
  })

  it('members of a toolset are limited, each under its own name', async () => {
    const toolset = {
      type: 'browser_toolset_20260801' as const,
      run: () => [{ type: 'text' as const, text: bigLog() }],
    }
    const [limited] = limitTools([toolset], limits(), { runId: 'r' }) as [any]
    const use = { type: 'tool_use', id: 'c1', name: 'get_page_text', toolset_name: 'browser', input: { tab: 1 } }
    const [block] = await limited.run({ toolUse: use }, use)
    expect(block.text.length).toBeLessThan(3_000)
    expect(events).toMatchObject([{ toolName: 'browser/get_page_text', toolCallId: 'c1' }])
    expect(JSON.parse(JSON.stringify(limited))).toEqual({ type: 'browser_toolset_20260801' })
  })

  it('tools that the API runs, and tools that are limited already, are given back as they are', () => {
    const server = { type: 'web_search_20250305' as const, name: 'web_search' as const }
    const [limited] = limitTools([tool(() => 'x')], limits())
    expect(limitTools([server, limited], limits())).toEqual([server, limited])
    expect(limitTools([limited], limits())[0]).toBe(limited)
  })

  it('a tool of a class keeps its private state, its parser and its end', async () => {
    class Shell {
      readonly name = 't'
      #lines = 0
      parse(input: any) {
        this.#lines = input.lines
        return input
      }
      run() {
        return 'x'.repeat(this.#lines)
      }
      close() {
        return this.#lines
      }
    }
    const [limited] = limitTools([new Shell()], limits()) as [Shell]
    expect(limited).toBeInstanceOf(Shell)
    limited.parse({ lines: 3 })
    expect(await limited.run()).toBe('xxx')
    expect(limited.close()).toBe(3)
  })

  it('a model is asked for summaries only where one is known', async () => {
    const own = limits({ bands: [{ over: 10_000, action: summarize() }] })
    expect((await resultOf(...limitTools([tool(() => bigLog())], own, { client }))).content).toBe(bigLog())
    expect(events).toMatchObject([{ report: { fallbacks: [{ action: 'summarize', reason: 'no_model' }] } }])
    expect((await resultOf(...limitTools([tool(() => bigLog())], own, { client, model: MODEL }))).content).toBe('SHORT')
  })

  it('summarizeWith makes a generate function of a client', async () => {
    const own = limits({
      bands: [{ over: 10_000, action: summarize() }],
      model: MODEL,
      generate: summarizeWith(client),
    })
    expect((await resultOf(...limitTools([tool(() => bigLog())], own))).content).toBe('SHORT')
    expect(own.usage).toEqual({ requests: 1, inputTokens: 500, outputTokens: 20, totalTokens: 520 })
    expect(() => summarizeWith({} as never)).toThrow(/@anthropic-ai\/sdk/)
  })

  it('the read tool is left out where it is switched off, and not added twice', () => {
    const off = limits({ readTool: { enabled: false } })
    expect(withToolOutputLimits([tool(() => 'x')], off).map(({ name }: any) => name)).toEqual(['t'])
    expect(() => readToolResult(off)).toThrow(TypeError)
    const once = withToolOutputLimits([tool(() => 'x')], limits())
    expect(withToolOutputLimits(once, limits()).map(({ name }: any) => name)).toEqual(['t', READ_TOOL])
    expect(() => withToolOutputLimits([tool(() => 'x', { name: READ_TOOL })], limits())).toThrow(/another name/)
  })

  it('scope run: runId may depend on the call, for reading as for spilling', async () => {
    const own = limits({ readTool: { scope: 'run' } })
    const runId = ({ id }: { id: string }) => id.split('-')[0]
    const [limited, read] = withToolOutputLimits([tool(() => bigLog())], own, { runId }) as [any, any]
    const handle = handleIn(await limited.run({}, { toolUse: { id: 'ann-1', name: 't' } }))
    const page = (id: string) => read.run({ handle, limit: 1 }, { toolUse: { id, name: READ_TOOL } })
    expect(await page('ann-2')).toContain('line 0 ')
    expect(await page('bob-1')).not.toContain('line 0 ')
  })
})
