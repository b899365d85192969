// biome-ignore-all lint/suspicious/noExplicitAny: chunks and messages as TanStack AI has them
import { type AnyTextAdapter, type ChatMiddleware, chat, maxIterations, toolDefinition } from '@tanstack/ai'
import { limitTools, readToolResult, summarizeWith, withToolOutputLimits } from 'tool-output-limits/tanstack-ai'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
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

const SUMMARY = { text: 'SHORT', inputTokens: 500, outputTokens: 20 }

/** A text adapter that asks a script for every turn; a request without tools is one for a summary. */
function scriptedAdapter(script: Scenario['script'], summary: Scenario['summary'] = SUMMARY) {
  const requests: ModelRequest[] = []
  const toolNames: string[] = []
  const usageOf = ({ inputTokens, outputTokens }: { inputTokens: number; outputTokens: number }) => ({
    promptTokens: inputTokens,
    completionTokens: outputTokens,
    totalTokens: inputTokens + outputTokens,
  })
  async function* chatStream({ messages, tools, runId = 'run', threadId = 'thread', logger }: any): AsyncIterable<any> {
    logger.request('a request') // every adapter does
    yield { type: 'RUN_STARTED', runId, threadId, timestamp: 0 }
    if (!tools?.length) {
      yield* textChunks(summary.text)
      yield { type: 'RUN_FINISHED', runId, threadId, timestamp: 0, finishReason: 'stop', usage: usageOf(summary) }
      return
    }
    if (requests.length === 0) toolNames.push(...tools.map(({ name }: { name: string }) => name))
    const request = { text: JSON.stringify(messages), results: resultsIn(messages) }
    requests.push(request)
    const turn = script(request, requests.length - 1)
    if ('text' in turn) yield* textChunks(turn.text)
    else
      for (const { id, name, input = {} } of turn.calls) {
        yield { type: 'TOOL_CALL_START', toolCallId: id, toolCallName: name, toolName: name, timestamp: 0 }
        yield { type: 'TOOL_CALL_ARGS', toolCallId: id, delta: JSON.stringify(input), timestamp: 0 }
        yield { type: 'TOOL_CALL_END', toolCallId: id, toolCallName: name, input, timestamp: 0 }
      }
    const finishReason = 'text' in turn ? 'stop' : 'tool_calls'
    yield { type: 'RUN_FINISHED', runId, threadId, timestamp: 0, finishReason, usage: usageOf(TURN_USAGE) }
  }
  const adapter = { kind: 'text', name: 'scripted', model: 'scripted', chatStream } as unknown as AnyTextAdapter
  return { adapter, requests, toolNames }
}
function* textChunks(text: string): Generator<any> {
  yield { type: 'TEXT_MESSAGE_START', messageId: 'm', role: 'assistant', timestamp: 0 }
  yield { type: 'TEXT_MESSAGE_CONTENT', messageId: 'm', delta: text, content: text, timestamp: 0 }
  yield { type: 'TEXT_MESSAGE_END', messageId: 'm', timestamp: 0 }
}
const resultsIn = (messages: any[]) =>
  new Map<string, string>(
    messages.flatMap(({ role, toolCallId, content }) => (role === 'tool' ? [[toolCallId, textOf(content)]] : [])),
  )
/** A failed tool is reported as `{ error }`. */
function textOf(content: any): string {
  if (Array.isArray(content)) return content.map((part) => part.content ?? `<${part.type}>`).join('\n')
  try {
    const { error } = JSON.parse(content)
    return typeof error === 'string' ? error : content
  } catch {
    return content
  }
}

async function run(scenario: Scenario): Promise<Outcome> {
  const { adapter, requests, toolNames } = scriptedAdapter(scenario.script, scenario.summary)
  const tools = scenario.tools.map(({ name, execute }) =>
    toolDefinition({ name, description: name, inputSchema: z.object({}) }).server(async (input, context) =>
      execute(input, { signal: context?.abortSignal }),
    ),
  )
  const persisted: Record<string, string> = {}
  const keep: ChatMiddleware = {
    name: 'keep',
    onFinish: ({ messages }) => {
      persisted.messages = JSON.stringify(messages)
    },
  }
  const abortController = new AbortController()
  scenario.signal?.addEventListener('abort', () => abortController.abort())
  const options = {
    adapter,
    messages: [{ role: 'user' as const, content: 'go' }],
    tools: withToolOutputLimits(tools, scenario.limits, { runId: scenario.runId, model: adapter }),
    agentLoopStrategy: maxIterations(10),
    middleware: [keep],
    abortController,
  }
  if (scenario.mode === 'stream') {
    const chunks: unknown[] = []
    for await (const chunk of chat({ ...options, stream: true }) as AsyncIterable<any>) chunks.push(chunk)
    persisted.chunks = JSON.stringify(chunks)
  } else await chat({ ...options, stream: false })
  return { requests, toolNames, persisted }
}

conformance({
  name: 'tanstack ai',
  modes: ['generate', 'stream'],
  run,
  exceptions: {
    'the tokens of a summary appear in the usage of the run, once': 'usage hooks of TanStack AI only observe',
  },
})

describe('tanstack ai', () => {
  const host = hostLimits('tanstack')
  const { limits, events, stored } = host
  beforeEach(host.open)
  afterEach(host.close)

  const define = (fields: object = {}): any => toolDefinition({ name: 't', description: 't', ...fields })
  /** What the model gets for one call. */
  async function contentOf(...tools: any[]): Promise<any> {
    let content: any
    const { adapter } = scriptedAdapter((_request, n) =>
      n === 0 ? { calls: [{ id: 'c1', name: 't' }] } : { text: 'ok' },
    )
    const spy = {
      ...adapter,
      chatStream: (options: any) => {
        content = options.messages.find(({ role }: any) => role === 'tool')?.content
        return adapter.chatStream(options)
      },
    }
    await chat({ adapter: spy, messages: [{ role: 'user', content: 'go' }], tools, stream: false })
    return content
  }

  it('content parts stay parts: the texts become one, the images keep their place', async () => {
    const image = { type: 'image', source: { type: 'data', value: 'iVBORw0KGgo=', mimeType: 'image/png' } }
    const parts = [image, { type: 'text', content: bigLog(), metadata: { a: 1 } }, { type: 'text', content: 'end' }]
    const content = await contentOf(...limitTools([define().server(() => parts)], limits(), { runId: 'r' }))
    expect(content).toEqual([image, { type: 'text', content: expect.stringContaining('line 0 '), metadata: { a: 1 } }])
    expect(await stored('r/c1.0')).toBe(`${bigLog()}\nend`)
  })

  it('records that look like parts are data', async () => {
    const rows = Array.from({ length: 1000 }, (_, i) => ({ type: 'text', content: `row ${i}`, score: i }))
    const content = await contentOf(...limitTools([define().server(() => rows)], limits(), { runId: 'r' }))
    expect(content.length).toBeLessThan(3_000)
    expect(await stored('r/c1.0')).toBe(JSON.stringify(rows))
  })

  it('an output schema judges the full result, and a reduced one passes', async () => {
    const outputSchema = z.object({ rows: z.array(z.number()), note: z.string().default('none') })
    const rows = Array.from({ length: 5000 }, (_, i) => i)
    const tools = (value: unknown) =>
      limitTools([define({ outputSchema }).server(() => value)], limits(), { runId: 'r' })
    expect(handleIn(await contentOf(...tools({ rows })))).toBe('r/c1.0')
    expect(JSON.parse(await stored('r/c1.0'))).toEqual({ rows, note: 'none' })
    expect(await contentOf(...tools({ rows: ['x'] }))).toContain('Validation failed')
    expect(await contentOf(...tools({ rows: [1] }))).toBe('{"rows":[1],"note":"none"}')
  })

  it('a limited tool shows its output schema as before', async () => {
    const outputSchema = z.object({ rows: z.array(z.number()) })
    const [limited] = limitTools([define({ outputSchema }).server(() => ({ rows: [] }))], limits())
    const { convertSchemaToJsonSchema } = await import('@tanstack/ai')
    expect(convertSchemaToJsonSchema(limited.outputSchema)).toEqual(convertSchemaToJsonSchema(outputSchema))
  })

  it('tools of the client, and tools that are limited already, are given back as they are', () => {
    const client = define().client()
    const [limited] = limitTools([define().server(() => 'x')], limits())
    expect(limitTools([client], limits())[0]).toBe(client)
    expect(limitTools([limited], limits())[0]).toBe(limited)
  })

  it('a model is asked for summaries only where one is known', async () => {
    const own = limits({ bands: [{ over: 10_000, action: summarize() }] })
    const tool = define().server(() => bigLog())
    expect(await contentOf(...limitTools([tool], own))).toBe(bigLog())
    expect(events).toMatchObject([{ report: { fallbacks: [{ action: 'summarize', reason: 'no_model' }] } }])
    const { adapter } = scriptedAdapter(() => ({ text: 'unused' }))
    expect(await contentOf(...limitTools([tool], own, { model: adapter }))).toBe('SHORT')
    expect(own.usage).toEqual({ requests: 1, inputTokens: 500, outputTokens: 20, totalTokens: 520 })
    await expect(summarizeWith()({ model: 'gpt' } as never)).rejects.toThrow(/text adapter/)
  })

  it('toolFilter sees the metadata of the tool', async () => {
    const tool = define({ metadata: { limited: true } }).server(() => bigLog())
    const small = await contentOf(...limitTools([tool], limits({ toolFilter: { limited: true } })))
    expect(small.length).toBeLessThan(3_000)
    expect(await contentOf(...limitTools([tool], limits({ toolFilter: { limited: false } })))).toBe(bigLog())
  })

  it('the read tool is left out where it is switched off, and not added twice', () => {
    const off = limits({ readTool: { enabled: false } })
    const tool = define().server(() => 'x')
    expect(withToolOutputLimits([tool], off)).toHaveLength(1)
    expect(() => readToolResult(off)).toThrow(TypeError)
    const once = withToolOutputLimits([tool], limits())
    expect(withToolOutputLimits(once, limits()).map(({ name }: any) => name)).toEqual(['t', READ_TOOL])
    expect(() => withToolOutputLimits([{ ...tool, name: READ_TOOL }], limits())).toThrow(/another name/)
  })

  it('scope run: runId may depend on the context of the run, for reading as for spilling', async () => {
    const options = { runId: ({ context }: { context?: any }) => context.user }
    const own = limits({ readTool: { scope: 'run' } })
    const [limited, read] = withToolOutputLimits([define().server(() => bigLog())], own, options) as [any, any]
    const handle = handleIn(await limited.execute({}, { context: { user: 'ann' } }))
    expect(await read.execute({ handle, limit: 1 }, { context: { user: 'ann' } })).toContain('line 0 ')
    expect(await read.execute({ handle, limit: 1 }, { context: { user: 'bob' } })).not.toContain('line 0 ')
  })

  it('what is no tool is refused, naming the supported versions', () => {
    expect(() => limitTools([{}], limits())).toThrow(/@tanstack\/ai >=0\.58/)
  })
})
