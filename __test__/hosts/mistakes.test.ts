// What a newcomer hands to an adapter by mistake is a TypeError at once that says what to do, and not a surprise when the
// first tool has run.
import { tool as lcTool } from '@langchain/core/tools'
import { FakeListChatModel } from '@langchain/core/utils/testing'
import * as ai from 'ai'
import * as ai5 from 'ai5'
import * as ai7 from 'ai7'
import { createAgent } from 'langchain'
import * as aiSdk from 'tool-output-limits/ai-sdk'
import * as anthropic from 'tool-output-limits/anthropic'
import * as claude from 'tool-output-limits/claude-agent-sdk'
import { limitFunction } from 'tool-output-limits/function'
import * as langchain from 'tool-output-limits/langchain'
import { readToolResult as mastraReadTool, ToolOutputLimitsProcessor } from 'tool-output-limits/mastra'
import * as mcp from 'tool-output-limits/mcp'
import * as agents from 'tool-output-limits/openai-agents'
import * as tanstack from 'tool-output-limits/tanstack-ai'
import { describe, expect, it } from 'vitest'
import { ToolOutputLimits } from '../../index.js'
import { warningsOf } from '../support/warnings.js'

const work = () => ''
const client = { callTool: work, listTools: work }
const limits = new ToolOutputLimits()

const TAKE_LIMITS: Record<string, (limits: never) => unknown> = {
  'ai-sdk limitTools': (limits) => aiSdk.limitTools({}, limits),
  'ai-sdk withToolOutputLimits': (limits) => aiSdk.withToolOutputLimits({}, limits),
  'ai-sdk readToolResult': (limits) => aiSdk.readToolResult(limits),
  'ai-sdk toolOutputLimitsMiddleware': (limits) => aiSdk.toolOutputLimitsMiddleware(limits),
  'anthropic limitTools': (limits) => anthropic.limitTools([], limits),
  'anthropic withToolOutputLimits': (limits) => anthropic.withToolOutputLimits([], limits),
  'claude-agent-sdk toolOutputLimitsHook': (limits) => claude.toolOutputLimitsHook(limits),
  limitFunction: (limits) => limitFunction(work, limits),
  'langchain toolOutputLimitsMiddleware': (limits) => langchain.toolOutputLimitsMiddleware(limits),
  'langchain limitTools': (limits) => langchain.limitTools([], limits),
  'langchain readToolResult': (limits) => langchain.readToolResult(limits),
  'mastra ToolOutputLimitsProcessor': (limits) => new ToolOutputLimitsProcessor(limits),
  'mastra readToolResult': (limits) => mastraReadTool(limits),
  'mcp limitMcpClient': (limits) => mcp.limitMcpClient(client, limits),
  'mcp limitToolHandler': (limits) => mcp.limitToolHandler(work, limits, { toolName: 'log' }),
  'mcp registerReadTool': (limits) => mcp.registerReadTool({ registerTool: work }, limits),
  'openai-agents limitToolOptions': (limits) => agents.limitToolOptions({ execute: work }, limits),
  'openai-agents limitMcpServer': (limits) => agents.limitMcpServer(client, limits),
  'openai-agents readToolResult': (limits) => agents.readToolResult(limits),
  'tanstack-ai limitTools': (limits) => tanstack.limitTools([], limits),
  'tanstack-ai withToolOutputLimits': (limits) => tanstack.withToolOutputLimits([], limits),
}
it.each(Object.entries(TAKE_LIMITS))('%s takes no options for limits', (_, call) => {
  for (const wrong of [{ bands: [] }, null, 'limits', () => {}]) {
    expect(() => call(wrong as never)).toThrow(/^limits must be a ToolOutputLimits, got .*new ToolOutputLimits\(/)
  }
})

const TAKE_OPTIONS: Record<string, (options: never) => unknown> = {
  'ai-sdk limitTools': (options) => aiSdk.limitTools({}, limits, options),
  'ai-sdk withToolOutputLimits': (options) => aiSdk.withToolOutputLimits({}, limits, options),
  'ai-sdk readToolResult': (options) => aiSdk.readToolResult(limits, options),
  'ai-sdk toolOutputLimitsMiddleware': (options) => aiSdk.toolOutputLimitsMiddleware(limits, options),
  'anthropic withToolOutputLimits': (options) => anthropic.withToolOutputLimits([], limits, options),
  'anthropic readToolResult': (options) => anthropic.readToolResult(limits, options),
  'claude-agent-sdk toolOutputLimitsHook': (options) => claude.toolOutputLimitsHook(limits, options),
  limitFunction: (options) => limitFunction(work, limits, options),
  'langchain toolOutputLimitsMiddleware': (options) => langchain.toolOutputLimitsMiddleware(limits, options),
  'langchain withToolOutputLimits': (options) => langchain.withToolOutputLimits([], limits, options),
  'langchain readToolResult': (options) => langchain.readToolResult(limits, options),
  'mastra ToolOutputLimitsProcessor': (options) => new ToolOutputLimitsProcessor(limits, options),
  'mastra readToolResult': (options) => mastraReadTool(limits, options),
  'mcp limitMcpClient': (options) => mcp.limitMcpClient(client, limits, options),
  'mcp limitToolHandler': (options) => mcp.limitToolHandler(work, limits, Object.assign({ toolName: 'log' }, options)),
  'mcp registerReadTool': (options) => mcp.registerReadTool({ registerTool: work }, limits, options),
  'openai-agents limitToolOptions': (options) => agents.limitToolOptions({ execute: work }, limits, options),
  'openai-agents limitMcpServer': (options) => agents.limitMcpServer(client, limits, options),
  'openai-agents readToolResult': (options) => agents.readToolResult(limits, options),
  'tanstack-ai withToolOutputLimits': (options) => tanstack.withToolOutputLimits([], limits, options),
  'tanstack-ai readToolResult': (options) => tanstack.readToolResult(limits, options),
}
it.each(Object.entries(TAKE_OPTIONS))('%s knows its options by name', (_, call) => {
  expect(() => call({ zone: 'a' } as never)).toThrow(/^unknown option "zone"; known are \w/)
  expect(() => call({} as never)).not.toThrow()
})

// One needs a name beside what is tried here.
const TAKE_ANY = Object.entries(TAKE_OPTIONS).filter(([name]) => name !== 'mcp limitToolHandler')
it.each(TAKE_ANY)('%s takes an object of options', (_, call) => {
  expect(() => call('run' as never)).toThrow(/^options must be an object, got a string$/)
  // Their options are not among their properties, so that none would be found.
  for (const wrong of [Promise.resolve({ runId: 'a' }), new Map([['runId', 'a']]), new Date()])
    expect(() => call(wrong as never)).toThrow(/^options must be an object, got a \w+/)
})

/** Functions that have no option for the run. */
const WITHOUT_RUN = ['ai-sdk toolOutputLimitsMiddleware', 'limitFunction']
const TAKE_RUN = Object.entries(TAKE_OPTIONS).filter(([name]) => !WITHOUT_RUN.includes(name))
it.each(TAKE_RUN)('%s says which option was meant, and what runId must be', (_, call) => {
  expect(() => call({ run_id: 'a' } as never)).toThrow(/; did you mean runId\?$/)
  expect(() => call({ runId: {} } as never)).toThrow(/^runId must be a string or a function, got an object$/)
  expect(() => call({ runId: Promise.resolve('a') } as never)).toThrow(/^runId must .*, got a promise, .* awaited$/)
  for (const runId of [undefined, '', 'a', 5, () => 'a']) expect(() => call({ runId } as never)).not.toThrow()
})

it.each<[string, object, string]>([
  ['ai-sdk withToolOutputLimits', { preliminary: 'hold' }, "preliminary must be 'pass' or 'hold-last', got \"hold\""],
  [
    'ai-sdk withToolOutputLimits',
    { model: Promise.resolve() },
    'model must be a model, got a promise, which has to be',
  ],
  ['ai-sdk toolOutputLimitsMiddleware', { foldUsage: 'yes' }, 'foldUsage must be a boolean, got a string'],
  ['anthropic withToolOutputLimits', { model: {} }, 'model must be a string, got an object'],
  ['anthropic withToolOutputLimits', { client: {} }, 'client must be a client of @anthropic-ai/sdk, .*, got an object'],
  ['anthropic readToolResult', { client: 'sk-key' }, 'client must be .*, got a string$'],
  ['limitFunction', { toolName: 5 }, 'toolName must be a string, got 5'],
  ['limitFunction', { call: 'id' }, 'call must be a function, got a string'],
  ['langchain toolOutputLimitsMiddleware', { store: '/tmp' }, 'store must be a store .*, got a string'],
  ['langchain withToolOutputLimits', { store: { write: work } }, 'store must be a store with write and read functions'],
  ['langchain readToolResult', { store: null }, 'store must be a store .*, got null'],
  ['mcp limitMcpClient', { toolCallId: 'x' }, 'toolCallId must be a function, got a string'],
  ['tanstack-ai withToolOutputLimits', { model: 'gpt-5' }, 'model must be a text adapter of TanStack AI, got a string'],
])('%s judges the values of its options: %o', (name, options, message) => {
  const call = TAKE_OPTIONS[name] as (options: never) => unknown
  expect(() => call(options as never)).toThrow(new RegExp(`^${message}`))
})

it('the server of the read tool judges its options', async () => {
  const server = (options: object) => claude.readToolResultServer(limits, options)
  await expect(server({ title: 'x' })).rejects.toThrow(/^unknown option "title"; known are name, runId$/)
  await expect(server({ name: 5 })).rejects.toThrow(/^name must be a string, got 5$/)
  await expect(server({ runId: () => 'a' })).rejects.toThrow(/^runId must be a string, got a function$/)
  await expect(claude.readToolResultServer({} as never)).rejects.toThrow(/^limits must be/)
})

function throwIt(): never {
  throw new Error('asked')
}

describe('an id that a function does not give at once is warned of, once, and never makes a tool fail', () => {
  const toldOnce = (name: string) => [
    {
      code: 'TOL_CALL_ID',
      message: expect.stringMatching(
        `the ${name} function gave a promise: it must not be async; the default id is used$`,
      ),
    },
  ]

  it('runId', async () => {
    const runId = async () => Promise.reject(new Error('nobody waits for it'))
    const tools = aiSdk.limitTools({ log: { execute: () => 'ok' } }, limits, { runId: runId as never })
    const results: unknown[] = []
    const told = await warningsOf(async () => {
      for (let n = 0; n < 2; n++) results.push(await tools.log.execute.call(tools.log))
    })
    expect(results).toEqual(['ok', 'ok'])
    expect(told).toMatchObject(toldOnce('runId'))
  })

  it('toolCallId of an MCP client', async () => {
    const server = { callTool: async () => ({ content: [] }), listTools: work }
    const limited = mcp.limitMcpClient(server, limits, { toolCallId: (async () => 'id') as never })
    const call = limited.callTool as (params: object) => Promise<unknown>
    const results: unknown[] = []
    const told = await warningsOf(async () => void results.push(await call({ name: 'log' })))
    expect(told).toMatchObject(toldOnce('toolCallId'))
    expect(results).toEqual([{ content: [] }])
  })

  it.each<[string, () => unknown]>([
    ['gave "id"', () => 'id'],
    ['threw', () => Object.defineProperty({}, 'then', { get: throwIt })],
  ])('the call of a function: it %s', async (what, call) => {
    const limited = limitFunction(() => 'ok', limits, { toolName: 'log', call: call as never })
    const results: unknown[] = []
    const told = await warningsOf(async () => void results.push(await limited()))
    expect(results).toEqual(['ok'])
    expect(told).toMatchObject([{ code: 'TOL_CALL_ID', message: expect.stringContaining(`function ${what};`) }])
  })

  it('the call of a function', async () => {
    const call = async () => ({ toolCallId: 'id' })
    const limited = limitFunction(() => 'ok', limits, { toolName: 'log', call: call as never })
    expect(await warningsOf(async () => expect(await limited()).toBe('ok'))).toMatchObject(toldOnce('call'))
  })
})

it('tools that are still a promise are to be awaited', () => {
  const all = [aiSdk.limitTools, anthropic.limitTools, langchain.limitTools, tanstack.limitTools]
  for (const limit of all as ((tools: never) => unknown)[])
    expect(() => limit(Promise.resolve([]) as never)).toThrow(/^tools is a promise: await it$/)
})

it.each([
  ['nothing', undefined],
  ['a list', [{ execute: work }]],
  ['one tool', { description: 'd', inputSchema: {}, execute: work }],
])('the AI SDK has tools by name, not %s', (_, tools) => {
  for (const limit of [aiSdk.limitTools, aiSdk.withToolOutputLimits])
    expect(() => limit(tools as never)).toThrow(/^tools must be an object of tools by their names/)
})

it.each([
  ['langchain', langchain],
  ['anthropic', anthropic],
  ['tanstack-ai', tanstack],
])('%s has a list of tools, not a record, and nothing else in it', (_, { limitTools, withToolOutputLimits }) => {
  for (const limit of [limitTools, withToolOutputLimits] as ((tools: unknown) => unknown)[]) {
    expect(() => limit({ log: { execute: work } })).toThrow(/^tools must be an array/)
    for (const none of [null, undefined, false, 'log'])
      expect(() => limit([none])).toThrow(/^tools\[0\] must be a tool, got /)
  }
})

it('a handler of an MCP server needs its name, after the limits', () => {
  const limit = mcp.limitToolHandler as (...parameters: unknown[]) => unknown
  expect(() => limit(work)).toThrow(/toolName must be the name of the tool/)
  expect(() => limit(work, { toolName: 'log' })).toThrow(/^limits must be/)
  expect(() => limit('log', undefined, { toolName: 'log' })).toThrow(/first argument must be the handler/)
})

it('the tool list of LangChain that is limited twice has one read tool', () => {
  const tools = langchain.withToolOutputLimits(langchain.withToolOutputLimits([]))
  expect(tools).toHaveLength(1)
})

it('an MCP client that is still being connected is to be awaited', () => {
  expect(() => mcp.limitMcpClient(Promise.resolve(client))).toThrow(/^the client is a promise: await it$/)
  expect(() => mcp.limitMcpClient(undefined as never)).toThrow(/without callTool\(\) or tools\(\)/)
})

describe('a tool that the adapter has nothing to wrap of', () => {
  const langChainTool = lcTool(() => '', { name: 'log', description: 'd', schema: { type: 'object', properties: {} } })
  const agentsTool = { type: 'function', name: 'log', parameters: {}, invoke: work }
  const anthropicTool = { name: 'log', input_schema: {}, run: work }
  const aiTool = { description: 'd', inputSchema: {}, execute: work }
  const tanStackTool = { name: 'log', description: 'd', inputSchema: {}, execute: work }
  const claudeTool = { name: 'log', description: 'd', inputSchema: {}, handler: work }
  const mastraTool = { id: 'log', inputSchema: {}, execute: work, [Symbol.for('mastra.core.tool.Tool')]: true }
  type Foreign = [wrap: string, tool: object, looksMadeFor: string]
  const wraps: Record<string, (tool: never) => unknown> = {
    'ai-sdk': (tool) => aiSdk.limitTools({ log: tool }),
    anthropic: (tool) => anthropic.limitTools([tool]),
    langchain: (tool) => langchain.limitTools([tool]),
    'tanstack-ai': (tool) => tanstack.limitTools([tool]),
  }

  it.each<Foreign>([
    ['ai-sdk', langChainTool, 'langchain'],
    ['ai-sdk', agentsTool, 'openai-agents'],
    ['ai-sdk', anthropicTool, 'anthropic'],
    ['ai-sdk', claudeTool, 'claude-agent-sdk'],
    ['ai-sdk', function log() {}, 'function'],
    ['anthropic', langChainTool, 'langchain'],
    ['anthropic', { ...aiTool }, 'ai-sdk'],
    ['anthropic', { ...tanStackTool }, 'tanstack-ai'],
    ['anthropic', { name: 'log', parameters: {}, execute: work }, 'openai-agents'],
    ['anthropic', mastraTool, 'mastra'],
    ['langchain', anthropicTool, 'anthropic'],
    ['langchain', { ...aiTool }, 'ai-sdk'],
    ['langchain', function log() {}, 'function'],
    ['tanstack-ai', langChainTool, 'langchain'],
    ['tanstack-ai', anthropicTool, 'anthropic'],
  ])('%s warns of %o as one for %s, once', async (adapter, tool, other) => {
    const told = await warningsOf(() => {
      for (let n = 0; n < 2; n++) wraps[adapter]?.(tool as never)
    })
    expect(told).toMatchObject([
      {
        code: 'TOL_FOREIGN_TOOL',
        message: expect.stringMatching(
          `the tool "(log|\\(unnamed\\))" is not limited: .*/${adapter} knows, .* for tool-output-limits/${other}$`,
        ),
      },
    ])
  })

  it.each<[string, object]>([
    ['ai-sdk', { description: 'run by the client', inputSchema: {}, outputSchema: {}, toModelOutput: work }],
    ['ai-sdk', { type: 'provider', id: 'openai.web_search', args: {}, isProviderExecuted: true, inputSchema: work }],
    ['ai-sdk', aiSdk.readToolResult(limits)],
    ['anthropic', { type: 'web_search_20250305', name: 'web_search' }],
    ['anthropic', { name: 'run_by_the_application', input_schema: {} }],
    ['anthropic', anthropic.readToolResult(limits)],
    ['langchain', { type: 'web_search_preview' }],
    ['langchain', { type: 'function', function: { name: 'f', parameters: {} } }],
    ['langchain', langchain.readToolResult(limits)],
    ['tanstack-ai', { __toolSide: 'client', name: 'run_by_the_client', inputSchema: {} }],
    ['tanstack-ai', tanstack.readToolResult(limits)],
  ])('is no mistake where the client or the provider runs it: %s %o', async (adapter, tool) => {
    expect(await warningsOf(() => wraps[adapter]?.(tool as never))).toEqual([])
  })
})

describe('an agent of LangChain that has the read tool twice', () => {
  const run = (tools: ReturnType<typeof langchain.readToolResult>[]) =>
    createAgent({
      model: new FakeListChatModel({ responses: ['hello'] }),
      tools,
      middleware: [langchain.toolOutputLimitsMiddleware(limits)],
    }).invoke({
      messages: 'hello',
    })
  const other = lcTool(() => '', {
    name: 'read_tool_result',
    description: 'd',
    schema: { type: 'object', properties: {} },
  })

  it('is told to leave one out', async () => {
    for (const tools of [langchain.withToolOutputLimits([], limits), [langchain.readToolResult(limits)]])
      await expect(run(tools)).rejects.toThrow(/"read_tool_result" twice: .* leave it out of tools.*limitTools\(\)/)
  })

  it('is told to rename ours where the other is its own', async () => {
    await expect(run([other])).rejects.toThrow(/"read_tool_result" is there already; .*readTool: \{ name \}/)
    expect(() => langchain.withToolOutputLimits([other], limits)).toThrow(/is there already; .*readTool: \{ name \}/)
  })

  it('of another name, has the one of its limits as well', () => {
    const renamed = new ToolOutputLimits({ readTool: { name: 'other' } })
    const tools = langchain.withToolOutputLimits([langchain.readToolResult(renamed)], limits)
    expect(tools.map(({ name }) => name)).toEqual(['other', 'read_tool_result'])
  })
})

describe('a function in place of what it makes', () => {
  const message = (right: RegExp) => new RegExp(`^a function was given that has to be called first: ${right.source}`)

  it('is refused by createAgent', () => {
    const middleware = [langchain.toolOutputLimitsMiddleware as never]
    expect(() =>
      createAgent({ model: new FakeListChatModel({ responses: ['hello'] }), tools: [], middleware }),
    ).toThrow(message(/middleware: \[toolOutputLimitsMiddleware\(limits\)\]/))
  })

  it.each([
    [5, ai5],
    [6, ai],
    [7, ai7],
  ])('is refused by wrapLanguageModel of ai %i', (_, { wrapLanguageModel }) => {
    const options = { model: {}, middleware: aiSdk.toolOutputLimitsMiddleware } as never
    expect(() => wrapLanguageModel(options)).toThrow(message(/middleware: toolOutputLimitsMiddleware\(limits\)/))
  })

  it('is refused by a hook that Claude Code calls', () => {
    const hook = claude.toolOutputLimitsHook as (...event: unknown[]) => unknown
    expect(() => hook({ hook_event_name: 'PostToolUse' }, 'id', {})).toThrow(
      message(/hooks: \[toolOutputLimitsHook\(limits\)\]/),
    )
  })
})
