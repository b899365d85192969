/** Types through the wrappers for LangChain; the type checker is the test. */
import type { StructuredTool } from '@langchain/core/tools'
import { ToolNode } from '@langchain/langgraph/prebuilt'
import { createAgent, tool } from 'langchain'
import { expectTypeOf } from 'vitest'
import { z } from 'zod'
import {
  limitTools,
  readToolResult,
  toolOutputLimitsMiddleware,
  withToolOutputLimits,
} from '../../adapters/langchain.js'
import { ToolOutputLimits } from '../../index.js'

const limits = new ToolOutputLimits()
const log = tool(async ({ path }) => path.length, {
  name: 'log',
  description: 'log',
  schema: z.object({ path: z.string() }),
})

// Tools keep their types, input and output.
expectTypeOf(limitTools([log], limits)[0]).toEqualTypeOf(log)
expectTypeOf(limitTools([log], limits)[0].invoke).toEqualTypeOf(log.invoke)
expectTypeOf(withToolOutputLimits([log])).toEqualTypeOf<[typeof log, StructuredTool]>()

export const agents = () => {
  createAgent({ model: 'openai:gpt-5', tools: [log], middleware: [toolOutputLimitsMiddleware()] })
  createAgent({ model: 'openai:gpt-5', tools: withToolOutputLimits([log], limits) })
  new ToolNode([...limitTools([log], limits), readToolResult(limits)])
  toolOutputLimitsMiddleware(limits, { toolErrors: 'rethrow', runId: ({ configurable }) => String(configurable?.user) })
  // @ts-expect-error no such way
  toolOutputLimitsMiddleware(limits, { toolErrors: 'hide' })
}
