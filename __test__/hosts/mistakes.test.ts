// What a newcomer hands to an adapter by mistake is a TypeError at once that says what to do, and not a surprise when the
// first tool has run.
import * as aiSdk from 'tool-output-limits/ai-sdk'
import * as anthropic from 'tool-output-limits/anthropic'
import * as claude from 'tool-output-limits/claude-agent-sdk'
import { limitFunction } from 'tool-output-limits/function'
import * as langchain from 'tool-output-limits/langchain'
import { readToolResult as mastraReadTool, ToolOutputLimitsProcessor } from 'tool-output-limits/mastra'
import * as mcp from 'tool-output-limits/mcp'
import * as agents from 'tool-output-limits/openai-agents'
import * as tanstack from 'tool-output-limits/tanstack-ai'
import { expect, it } from 'vitest'
import { ToolOutputLimits } from '../../index.js'

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
  'ai-sdk toolOutputLimitsMiddleware': (options) => aiSdk.toolOutputLimitsMiddleware(limits, options),
  'anthropic withToolOutputLimits': (options) => anthropic.withToolOutputLimits([], limits, options),
  'claude-agent-sdk toolOutputLimitsHook': (options) => claude.toolOutputLimitsHook(limits, options),
  limitFunction: (options) => limitFunction(work, limits, options),
  'langchain toolOutputLimitsMiddleware': (options) => langchain.toolOutputLimitsMiddleware(limits, options),
  'langchain withToolOutputLimits': (options) => langchain.withToolOutputLimits([], limits, options),
  'mastra ToolOutputLimitsProcessor': (options) => new ToolOutputLimitsProcessor(limits, options),
  'mcp limitMcpClient': (options) => mcp.limitMcpClient(client, limits, options),
  'mcp limitToolHandler': (options) => mcp.limitToolHandler(work, limits, Object.assign({ toolName: 'log' }, options)),
  'openai-agents limitToolOptions': (options) => agents.limitToolOptions({ execute: work }, limits, options),
  'openai-agents limitMcpServer': (options) => agents.limitMcpServer(client, limits, options),
  'tanstack-ai withToolOutputLimits': (options) => tanstack.withToolOutputLimits([], limits, options),
}
it.each(Object.entries(TAKE_OPTIONS))('%s knows its options by name', (_, call) => {
  expect(() => call({ run_id: 'a' } as never)).toThrow(/^unknown option "run_id"; known are .*\w/)
  expect(() => call({} as never)).not.toThrow()
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
])('%s has a list of tools, not a record', (_, { limitTools, withToolOutputLimits }) => {
  for (const limit of [limitTools, withToolOutputLimits] as ((tools: unknown) => unknown)[])
    expect(() => limit({ log: { execute: work } })).toThrow(/^tools must be an array/)
})

it('a handler of an MCP server needs its name, after the limits', () => {
  const limit = mcp.limitToolHandler as (...parameters: unknown[]) => unknown
  expect(() => limit(work)).toThrow(/toolName must be the name of the tool/)
  expect(() => limit(work, { toolName: 'log' })).toThrow(/^limits must be/)
  expect(() => limit('log', undefined, { toolName: 'log' })).toThrow(/first argument must be the handler/)
})

it('the ids of a function are told by a function', () => {
  expect(() => limitFunction(work, undefined, { call: 'id' as never })).toThrow(/call must be a function/)
})

it('the tool list of LangChain that is limited twice has one read tool', () => {
  const tools = langchain.withToolOutputLimits(langchain.withToolOutputLimits([]))
  expect(tools).toHaveLength(1)
})

it('an MCP client that is still being connected is to be awaited', () => {
  expect(() => mcp.limitMcpClient(Promise.resolve(client))).toThrow(/^the client is a promise: await it$/)
  expect(() => mcp.limitMcpClient(undefined as never)).toThrow(/without callTool\(\) or tools\(\)/)
})
