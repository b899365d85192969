/** Types through the wrapper for Anthropic's tool runner; the type checker is the test. */
import type Anthropic from '@anthropic-ai/sdk'
import { betaZodTool } from '@anthropic-ai/sdk/helpers/beta/zod'
import type { BetaRunnableTool } from '@anthropic-ai/sdk/lib/tools/BetaRunnableTool'
import { expectTypeOf } from 'vitest'
import { z } from 'zod'
import {
  limitTools,
  type ReadToolResultTool,
  readToolResult,
  summarizeWith,
  withToolOutputLimits,
} from '../../adapters/anthropic.js'
import { ToolOutputLimits } from '../../index.js'

const limits = new ToolOutputLimits()
const log = betaZodTool({
  name: 'log',
  description: 'log',
  inputSchema: z.object({ path: z.string() }),
  run: ({ path }) => `log of ${path}`,
})

// Tools keep their types, input and output, and the read tool is one.
expectTypeOf(limitTools([log], limits)).toEqualTypeOf<BetaRunnableTool<{ path: string }>[]>()
expectTypeOf(limitTools([log], limits)[0]!.run)
  .parameter(0)
  .toEqualTypeOf<{ path: string }>()
expectTypeOf(limitTools([log], limits)[0]!.run).returns.toEqualTypeOf<ReturnType<typeof log.run>>()
expectTypeOf(withToolOutputLimits([log])).toEqualTypeOf<(BetaRunnableTool<{ path: string }> | ReadToolResultTool)[]>()
expectTypeOf(readToolResult(limits)).toExtend<BetaRunnableTool>()

export const runners = (client: Anthropic) => {
  const params = { model: 'm', max_tokens: 1, messages: [] }
  const search = { type: 'web_search_20250305' as const, name: 'web_search' as const }
  client.beta.messages.toolRunner({
    ...params,
    tools: withToolOutputLimits([log, search], limits, { client, model: 'm' }),
  })
  client.beta.messages.toolRunner({ ...params, tools: [...limitTools([log], limits), readToolResult(limits)] })
  new ToolOutputLimits({ generate: summarizeWith(client, 'm') })
  withToolOutputLimits([log], limits, { runId: ({ id }) => id })
  // @ts-expect-error a run id is a string
  withToolOutputLimits([log], limits, { runId: 7 })
}
