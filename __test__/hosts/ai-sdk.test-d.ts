/** Types through the wrapper, for all three majors; the type checker is the test. */
import * as ai6 from 'ai'
import * as ai5 from 'ai5'
import * as ai7 from 'ai7'
import { expectTypeOf } from 'vitest'
import { z } from 'zod'
import {
  isReducedToolOutput,
  limitTools,
  type ReducedToolOutput,
  readToolResult,
  summarizeWith,
  toolOutputLimitsMiddleware,
  withToolOutputLimits,
} from '../../adapters/ai-sdk.js'
import { ToolOutputLimits } from '../../index.js'

const limits = new ToolOutputLimits()
interface Rows {
  rows: number[]
}

// Each major infers on its own; what is inferred must be the same.
const tools5 = {
  log: ai5.tool({
    description: 'log',
    inputSchema: z.object({ path: z.string() }),
    execute: async ({ path }) => `log of ${path}`,
  }),
  rows: ai5.tool({
    description: 'rows',
    inputSchema: z.object({ n: z.number() }),
    execute: async ({ n }): Promise<Rows> => ({ rows: [n] }),
  }),
  client: ai5.tool({ description: 'client', inputSchema: z.object({ q: z.string() }), outputSchema: z.string() }),
}
const tools6 = {
  log: ai6.tool({
    description: 'log',
    inputSchema: z.object({ path: z.string() }),
    execute: async ({ path }) => `log of ${path}`,
  }),
  rows: ai6.tool({
    description: 'rows',
    inputSchema: z.object({ n: z.number() }),
    execute: async ({ n }): Promise<Rows> => ({ rows: [n] }),
  }),
  client: ai6.tool({ description: 'client', inputSchema: z.object({ q: z.string() }), outputSchema: z.string() }),
}
const tools7 = {
  log: ai7.tool({
    description: 'log',
    inputSchema: z.object({ path: z.string() }),
    execute: async ({ path }) => `log of ${path}`,
  }),
  rows: ai7.tool({
    description: 'rows',
    inputSchema: z.object({ n: z.number() }),
    execute: async ({ n }): Promise<Rows> => ({ rows: [n] }),
  }),
  client: ai7.tool({ description: 'client', inputSchema: z.object({ q: z.string() }), outputSchema: z.string() }),
}
const limited5 = withToolOutputLimits(tools5, limits, { runId: ({ messages }) => String(messages.length) })
const limited6 = withToolOutputLimits(tools6, limits)
const limited7 = withToolOutputLimits(tools7)

// They are tool sets, for every function that takes one.
expectTypeOf(limited5).toExtend<ai5.ToolSet>()
expectTypeOf(limited6).toExtend<ai6.ToolSet>()
expectTypeOf(limited7).toExtend<ai7.ToolSet>()
expectTypeOf({ ...limitTools(tools6, limits), read_tool_result: readToolResult(limits) }).toExtend<ai6.ToolSet>()
export const calls = () => {
  const model = null as never
  ai5.generateText({ model, tools: limited5, prompt: 'x' })
  ai6.generateText({ model, tools: limited6, prompt: 'x' })
  ai7.generateText({ model, tools: limited7, prompt: 'x' })
  ai6.streamText({ model, tools: limited6, prompt: 'x' })
  new ai6.ToolLoopAgent({ model, tools: limited6 })
  new ai7.ToolLoopAgent({ model, tools: limited7 })
  ai5.wrapLanguageModel({ model, middleware: toolOutputLimitsMiddleware(limits) })
  ai6.wrapLanguageModel({ model, middleware: toolOutputLimitsMiddleware(limits, { foldUsage: true }) })
  ai7.wrapLanguageModel({ model, middleware: toolOutputLimitsMiddleware(limits) })
  summarizeWith(null as unknown as Exclude<ai5.LanguageModel, string>)
  summarizeWith(null as unknown as Exclude<ai6.LanguageModel, string>)
  summarizeWith(null as unknown as Exclude<ai7.LanguageModel, string>)
}

// Inputs are inferred through the wrapper.
type Tools5 = ai5.InferUITools<typeof limited5>
type Tools6 = ai6.InferUITools<typeof limited6>
type Tools7 = ai7.InferUITools<typeof limited7>
expectTypeOf<Tools5['log']['input']>().toEqualTypeOf<{ path: string }>()
expectTypeOf<Tools6['log']['input']>().toEqualTypeOf<{ path: string }>()
expectTypeOf<Tools7['log']['input']>().toEqualTypeOf<{ path: string }>()
expectTypeOf<Tools6['client']['input']>().toEqualTypeOf<{ q: string }>()
expectTypeOf<Tools6['read_tool_result']['input']['handle']>().toEqualTypeOf<string>()

// Outputs are widened by what a reduced output becomes; strings stay strings.
expectTypeOf<Tools5['log']['output']>().toEqualTypeOf<string>()
expectTypeOf<Tools6['log']['output']>().toEqualTypeOf<string>()
expectTypeOf<Tools7['log']['output']>().toEqualTypeOf<string>()
expectTypeOf<Tools5['rows']['output']>().toEqualTypeOf<Rows | ReducedToolOutput>()
expectTypeOf<Tools6['rows']['output']>().toEqualTypeOf<Rows | ReducedToolOutput>()
expectTypeOf<Tools7['rows']['output']>().toEqualTypeOf<Rows | ReducedToolOutput>()
expectTypeOf<Tools6['read_tool_result']['output']>().toEqualTypeOf<string>()

// The guard narrows.
export function shown(output: Tools6['rows']['output']): string | number {
  if (isReducedToolOutput(output)) return 'text' in output ? output.text : 0
  expectTypeOf(output).toEqualTypeOf<Rows>()
  return output.rows.length
}
