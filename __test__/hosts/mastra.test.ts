import { Agent } from '@mastra/core/agent'
import { MockMemory } from '@mastra/core/memory'
import type { OutputProcessor } from '@mastra/core/processors'
import { createTool } from '@mastra/core/tools'
import { simulateReadableStream } from 'ai'
import { MockLanguageModelV3 } from 'ai/test'
import { summarize } from 'tool-output-limits'
import { readToolResult, ToolOutputLimitsProcessor } from 'tool-output-limits/mastra'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
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

type Part = { type: 'text'; text: string } | { type: 'tool-call'; toolCallId: string; toolName: string; input: string }
type StreamPart =
  Awaited<ReturnType<MockLanguageModelV3['doStream']>>['stream'] extends ReadableStream<infer P> ? P : never
type Prompt = Parameters<MockLanguageModelV3['doGenerate']>[0]['prompt']

/** A model that asks a script for every turn; a request without tools is one for a summary. */
function scriptedModel(script: Scenario['script'], summary = { text: 'SHORT', inputTokens: 500, outputTokens: 20 }) {
  const requests: ModelRequest[] = []
  const toolNames: string[] = []
  const answer = (prompt: Prompt, tools: { name: string }[] | undefined) => {
    if (!tools?.length)
      return {
        content: [{ type: 'text' as const, text: summary.text }],
        finishReason: { unified: 'stop' as const, raw: 'stop' },
        usage: usage(summary.inputTokens, summary.outputTokens),
        warnings: [],
      }
    if (requests.length === 0) toolNames.push(...tools.map(({ name }) => name))
    const request = { text: JSON.stringify(prompt), results: resultsOf(prompt) }
    requests.push(request)
    const turn = script(request, requests.length - 1)
    const content =
      'text' in turn
        ? [{ type: 'text' as const, text: turn.text }]
        : turn.calls.map(({ id, name, input = {} }) => ({
            type: 'tool-call' as const,
            toolCallId: id,
            toolName: name,
            input: JSON.stringify(input),
          }))
    const unified = 'text' in turn ? ('stop' as const) : ('tool-calls' as const)
    return {
      content,
      finishReason: { unified, raw: unified },
      usage: usage(TURN_USAGE.inputTokens, TURN_USAGE.outputTokens),
      warnings: [],
    }
  }
  const model: MockLanguageModelV3 = new MockLanguageModelV3({
    doGenerate: async ({ prompt, tools }) => answer(prompt, tools),
    doStream: async ({ prompt, tools }) => {
      const { content, finishReason, usage } = answer(prompt, tools)
      const parts = (content as Part[]).flatMap((part): StreamPart[] =>
        part.type === 'text'
          ? [
              { type: 'text-start', id: 't' },
              { type: 'text-delta', id: 't', delta: part.text },
              { type: 'text-end', id: 't' },
            ]
          : [part],
      )
      const chunks: StreamPart[] = [
        { type: 'stream-start', warnings: [] },
        ...parts,
        { type: 'finish', finishReason, usage },
      ]
      return { stream: simulateReadableStream({ chunks, initialDelayInMs: null, chunkDelayInMs: null }) }
    },
  })
  return { model, requests, toolNames }
}
const usage = (input: number, output: number) => ({
  inputTokens: { total: input, noCache: input, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: output, text: output, reasoning: 0 },
})
function resultsOf(prompt: Prompt): Map<string, string> {
  const results = new Map<string, string>()
  for (const message of prompt)
    if (message.role === 'tool')
      for (const part of message.content)
        if (part.type === 'tool-result')
          results.set(part.toolCallId, 'value' in part.output ? textOf(part.output.value) : '')
  return results
}
const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

async function run(scenario: Scenario): Promise<Outcome> {
  const { model, requests, toolNames } = scriptedModel(scenario.script, scenario.summary)
  const processor = new ToolOutputLimitsProcessor(scenario.limits)
  const memory = new MockMemory()
  const agent = new Agent({
    id: 'agent',
    name: 'agent',
    instructions: 'Answer.',
    model,
    memory,
    tools: Object.fromEntries(
      scenario.tools.map(({ name, execute }) => [
        name,
        createTool({
          id: name,
          description: name,
          inputSchema: z.object({}),
          execute: async (input, context) => execute(input, { signal: context.abortSignal }),
        }),
      ]),
    ),
    inputProcessors: [processor],
    outputProcessors: [processor],
  })
  const options = {
    maxSteps: 6,
    memory: { thread: scenario.runId, resource: 'user' },
    ...(scenario.signal && { abortSignal: scenario.signal }),
  }
  const persisted: Record<string, string> = {}
  if (scenario.mode === 'generate') {
    const result = await agent.generate('go', options)
    persisted.steps = JSON.stringify(result.steps.map(({ toolResults }) => toolResults))
    persisted.messages = JSON.stringify(result.response.messages)
  } else {
    const stream = await agent.stream('go', options)
    const chunks: unknown[] = []
    for await (const chunk of stream.fullStream) if (chunk.type === 'tool-result') chunks.push(chunk)
    persisted.chunks = JSON.stringify(chunks)
  }
  const { messages } = await memory.recall({ threadId: scenario.runId, resourceId: 'user' })
  persisted.memory = JSON.stringify(messages)
  return { requests, toolNames, persisted }
}

conformance({
  name: 'mastra',
  modes: ['generate', 'stream'],
  run,
  exceptions: {
    'the tokens of a summary appear in the usage of the run, once': 'Mastra has no way to add to the usage of a run',
    'tools named like members of Object.prototype are limited as any other':
      'Mastra itself fails on tool-call ids with such names; a test of its own has the names alone',
  },
})

describe('mastra', () => {
  const host = hostLimits('mastra')
  beforeEach(host.open)
  afterEach(host.close)
  const { limits, events, stored } = host
  const agentOf = (fields: object) =>
    new Agent({ id: 'agent', name: 'agent', instructions: 'Answer.', ...fields } as ConstructorParameters<
      typeof Agent
    >[0])
  const callOnce = (_: ModelRequest, n: number): Turn =>
    n === 0 ? { calls: [{ id: 'c1', name: 't' }] } : { text: 'done' }
  const toolOf = (fields: object) =>
    createTool({ id: 't', description: 't', inputSchema: z.object({}), ...fields } as Parameters<typeof createTool>[0])

  it('a Mastra that cannot replace a tool result is refused, naming the supported versions', async () => {
    const call = { toolName: 't', toolCallId: 'c', result: bigLog(), messageList: {} as never }
    await expect(new ToolOutputLimitsProcessor(limits()).processToolResult(call)).rejects.toThrow(
      /@mastra\/core >=1\.71/,
    )
  })

  it('the read tool is left out where it is switched off', () => {
    const off = limits({ readTool: { enabled: false } })
    expect(new ToolOutputLimitsProcessor(off).processInputStep({ tools: {} })).toBeUndefined()
    expect(() => readToolResult(off)).toThrow(TypeError)
  })

  it('only among the output processors, with the read tool among the tools', async () => {
    const own = limits()
    const { model, requests } = scriptedModel(({ results }, n) => {
      if (n === 0) return { calls: [{ id: 'c1', name: 't' }] }
      return n === 1
        ? {
            calls: [
              { id: 'c2', name: READ_TOOL, input: { handle: handleIn(results.get('c1')), offset: '1000', limit: 1 } },
            ],
          }
        : { text: 'done' }
    })
    const processor: OutputProcessor = new ToolOutputLimitsProcessor(own)
    const tools = { t: toolOf({ execute: async () => bigLog() }), [READ_TOOL]: readToolResult(own) }
    const agent = new Agent({
      id: 'agent',
      name: 'agent',
      instructions: 'Answer.',
      model,
      tools,
      outputProcessors: [processor],
    })
    await agent.generate('go', { maxSteps: 5 })
    expect(requests[2]?.results.get('c2')).toContain('line 1000 ')
  })

  it('what toModelOutput has made of the full result is reduced too, and kept nowhere', async () => {
    const own = limits()
    const { model, requests } = scriptedModel(callOnce)
    const processor = new ToolOutputLimitsProcessor(own)
    const memory = new MockMemory()
    const t = toolOf({
      execute: async () => ({ log: bigLog() }),
      toModelOutput: ({ log }: { log: string }) => ({ type: 'content', value: [{ type: 'text', text: `LOG ${log}` }] }),
    })
    const agent = agentOf({ model, memory, tools: { t }, inputProcessors: [processor], outputProcessors: [processor] })
    const result = await agent.generate('go', { maxSteps: 5, memory: { thread: 'th', resource: 'user' } })
    expect(requests[1]?.text.length).toBeLessThan(6_000)
    expect(requests[1]?.results.get('c1')).toContain('LOG line 0 ')
    expect(JSON.stringify((await memory.recall({ threadId: 'th', resourceId: 'user' })).messages).length).toBeLessThan(
      12_000,
    )
    expect(JSON.stringify(result.steps.map((step) => step.toolResults)).length).toBeLessThan(6_000)
    expect(await stored('th/c1.0')).toBe(JSON.stringify({ log: bigLog() }))
    expect(await stored('th/c1.0.content')).toBe(`LOG ${bigLog()}`)
  })

  it('an MCP result stays one and is reduced inside; one that is an error stays whole', async () => {
    const results = {
      t: { content: [{ type: 'text', text: bigLog() }], structuredContent: { result: bigLog() } },
      e: { isError: true, content: [{ type: 'text', text: bigLog() }] },
    }
    const { model } = scriptedModel((_, n) =>
      n === 0
        ? {
            calls: [
              { id: 'c1', name: 't' },
              { id: 'c2', name: 'e' },
            ],
          }
        : { text: 'done' },
    )
    const processor = new ToolOutputLimitsProcessor(limits())
    const tools = {
      t: toolOf({ execute: async () => results.t }),
      e: toolOf({ id: 'e', execute: async () => results.e }),
    }
    const { steps } = await agentOf({
      model,
      tools,
      inputProcessors: [processor],
      outputProcessors: [processor],
    }).generate('go', { maxSteps: 5 })
    const [t, e] = steps.flatMap((step) =>
      step.toolResults.map(({ payload }) => payload.result as Record<string, unknown>),
    )
    expect(t).toEqual({
      content: [{ type: 'text', text: expect.stringContaining('line 0 ') }],
      _meta: { 'tool-output-limits/handle': expect.any(String) },
    })
    expect(e).toEqual(results.e)
  })

  it('what an earlier processor has made of a result is what is reduced', async () => {
    const { model } = scriptedModel(callOnce)
    const own = limits()
    const redact: OutputProcessor = {
      id: 'redact',
      processToolResult: ({ messageList, toolCallId, toolName, args, result }) => {
        messageList.updateToolInvocation({
          type: 'tool-invocation',
          toolInvocation: {
            state: 'result',
            toolCallId,
            toolName,
            args: args as object,
            result: String(result).replaceAll('line', 'LINE'),
          },
        })
      },
    }
    const agent = agentOf({
      model,
      tools: { t: toolOf({ execute: async () => bigLog() }) },
      outputProcessors: [redact, new ToolOutputLimitsProcessor(own, { runId: 'r' })],
    })
    await agent.generate('go', { maxSteps: 5 })
    expect(await stored('r/c1.0')).toBe(bigLog().replaceAll('line', 'LINE'))
  })

  it('tools named like members of Object.prototype are limited as any other', async () => {
    const { model, requests } = scriptedModel((_, n) =>
      n === 0
        ? {
            calls: [
              { id: 'c1', name: 'constructor' },
              { id: 'c2', name: 'toString' },
            ],
          }
        : { text: 'done' },
    )
    const processor = new ToolOutputLimitsProcessor(limits())
    const tools = Object.fromEntries(
      ['constructor', 'toString'].map((id) => [id, toolOf({ id, execute: async () => bigLog(id) })]),
    )
    await agentOf({ model, tools, inputProcessors: [processor], outputProcessors: [processor] }).generate('go', {
      maxSteps: 5,
    })
    for (const [id, name] of [
      ['c1', 'constructor'],
      ['c2', 'toString'],
    ] as const)
      expect(await stored(handleIn(requests[1]?.results.get(id)))).toBe(bigLog(name))
  })

  it('results of tools that the provider executes are not touched', async () => {
    const processor = new ToolOutputLimitsProcessor(limits())
    const messageList = { get: { all: { db: () => [] } }, updateToolInvocation: () => expect.unreachable() }
    await processor.processToolResult({
      toolName: 'web_search',
      toolCallId: 'c1',
      result: bigLog(),
      providerExecuted: true,
      messageList,
    })
    expect(events).toEqual([])
  })

  it('summaries use the model of the options first', async () => {
    const own = scriptedModel(callOnce, { text: 'OWN SUMMARY', inputTokens: 1, outputTokens: 1 })
    const { model, requests } = scriptedModel(callOnce)
    const processor = new ToolOutputLimitsProcessor(limits({ bands: [{ over: 10_000, action: summarize() }] }), {
      model: own.model,
    })
    await agentOf({
      model,
      tools: { t: toolOf({ execute: async () => bigLog() }) },
      inputProcessors: [processor],
      outputProcessors: [processor],
    }).generate('go', { maxSteps: 5 })
    expect(requests[1]?.results.get('c1')).toBe('OWN SUMMARY')
  })

  it('scope run: the thread is the run, for spilling and for reading', async () => {
    const own = limits({ readTool: { scope: 'run' } })
    const reading = (id: string) => ({ calls: [{ id, name: READ_TOOL, input: { handle: 'th/c1.0', limit: 1 } }] })
    const pages: (string | undefined)[] = []
    for (const thread of ['th', 'other']) {
      const { model, requests } = scriptedModel((_, n) =>
        n === 0 ? { calls: [{ id: 'c1', name: 't' }] } : n === 1 ? reading('c2') : { text: 'done' },
      )
      const processor = new ToolOutputLimitsProcessor(own)
      const agent = agentOf({
        model,
        memory: new MockMemory(),
        tools: { t: toolOf({ execute: async () => bigLog() }) },
        inputProcessors: [processor],
        outputProcessors: [processor],
      })
      await agent.generate('go', { maxSteps: 5, memory: { thread, resource: 'user' } })
      pages.push(requests[2]?.results.get('c2'))
    }
    expect(pages[0]).toContain('line 0 ')
    expect(pages[1]).not.toContain('line 0 ')
  })
})
