/** Types through the wrapper for TanStack AI; the type checker is the test. */
import { type AnyTextAdapter, chat, type InferToolInput, type InferToolOutput, toolDefinition } from '@tanstack/ai'
import { expectTypeOf } from 'vitest'
import { z } from 'zod'
import { limitTools, readToolResult, summarizeWith, withToolOutputLimits } from '../../adapters/tanstack-ai.js'
import { ToolOutputLimits } from '../../index.js'

const limits = new ToolOutputLimits()
const log = toolDefinition({
  name: 'log',
  description: 'log',
  inputSchema: z.object({ path: z.string() }),
  outputSchema: z.object({ lines: z.number() }),
}).server(async ({ path }) => ({ lines: path.length }))

// Tools keep their types, input and output.
const [limited] = limitTools([log], limits)
expectTypeOf(limited!).toEqualTypeOf(log)
expectTypeOf<InferToolInput<NonNullable<typeof limited>>>().toEqualTypeOf<{ path: string }>()
expectTypeOf<InferToolOutput<NonNullable<typeof limited>>>().toEqualTypeOf<{ lines: number }>()

export const chats = (adapter: AnyTextAdapter) => {
  chat({ adapter, messages: [], tools: withToolOutputLimits([log]) })
  chat({ adapter, messages: [], tools: [...limitTools([log], limits), readToolResult(limits)] })
  withToolOutputLimits([log], limits, { model: adapter, runId: ({ context }) => context.chat })
  new ToolOutputLimits({ generate: summarizeWith(adapter) })
  // @ts-expect-error a model is an adapter, not a name
  withToolOutputLimits([log], limits, { model: 'gpt-5' })
}
