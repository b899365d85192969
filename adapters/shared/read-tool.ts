import type { ReadToolDefinition, ToolOutputLimits } from 'tool-output-limits'

/** The read tool of these limits, or undefined where it is switched off (`readTool: { enabled: false }`). */
export function readToolOf(limits: ToolOutputLimits): ReadToolDefinition | undefined {
  const definition: ReadToolDefinition & { enabled?: boolean } = limits.readToolResult()
  return definition.enabled === false ? undefined : definition
}
