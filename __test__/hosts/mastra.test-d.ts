/** Types of the processor and the read tool for Mastra; the type checker is the test. */
import { Agent } from '@mastra/core/agent'
import type { InputProcessor, OutputProcessor } from '@mastra/core/processors'
import { createTool } from '@mastra/core/tools'
import { expectTypeOf } from 'vitest'
import { z } from 'zod'
import { readToolResult, ToolOutputLimitsProcessor } from '../../adapters/mastra.js'
import { ToolOutputLimits } from '../../index.js'

const limits = new ToolOutputLimits()
const processor = new ToolOutputLimitsProcessor(limits, { runId: ({ threadId }) => threadId })
expectTypeOf(processor).toExtend<InputProcessor>()
expectTypeOf(processor).toExtend<OutputProcessor>()

// Tools are not wrapped, so they keep every type they have.
const log = createTool({
  id: 'log',
  description: 'log',
  inputSchema: z.object({ path: z.string() }),
  execute: async ({ path }) => path.length,
})
export const agent = () =>
  new Agent({
    id: 'a',
    name: 'a',
    instructions: 'x',
    model: 'openai/gpt-5',
    tools: { log, read_tool_result: readToolResult(limits) },
    inputProcessors: [processor],
    outputProcessors: [processor],
  })
// @ts-expect-error a run id is a string
new ToolOutputLimitsProcessor(limits, { runId: ({ threadId }) => [threadId] })
