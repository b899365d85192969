import type { Action, Band, Reduction, ToolOutputLimits, ToolOutputLimitsOptions } from '../../index.js'

// The compiler is what tests here: `tsc` fails where a line below does not, or does, type-check as it says.

declare const limits: ToolOutputLimits

export async function aReductionNarrows(): Promise<number> {
  const reduction: Reduction<{ rows: number }> = await limits.reduce({ rows: 1 }, { toolName: 'query' })
  if (!reduction.reduced) return reduction.value.rows
  // @ts-expect-error a reduced value may be text
  return reduction.value.rows
}

export async function anMcpResultKeepsItsType(): Promise<string> {
  const result = await limits.reduceCallToolResult({ content: [], own: 'kept' }, { toolName: 'query' })
  return result.own
}

export function actionsAreToldApart(action: Action): number | undefined {
  if (action.type === 'truncate' || action.type === 'summarize') return action.maxChars
  if (action.type === 'spill') return action.previewChars
  // @ts-expect-error a passthrough has no options
  return action.maxChars
}

export const undefinedIsAbsent: ToolOutputLimitsOptions = {
  bands: undefined,
  perTool: undefined,
  readTool: { name: undefined },
  generate: async () => ({ text: '', usage: { inputTokens: undefined } }),
  onReduce: undefined,
}

// @ts-expect-error no such action
export const wrongAction: Action = { type: 'cut' }
// @ts-expect-error no such option
export const wrongOption: ToolOutputLimitsOptions = { band: [] }
// @ts-expect-error no such strategy
export const wrongBand: Band = { over: 1, action: { type: 'truncate', strategy: 'middle' } }
