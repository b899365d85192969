import type { ReadToolDefinition, ToolOutputLimits } from 'tool-output-limits'
import { expectLimits } from './expect.js'

/** The read tool of these limits, or undefined where it is switched off (`readTool: { enabled: false }`). */
export function readToolOf(limits: ToolOutputLimits): ReadToolDefinition | undefined {
  const definition = expectLimits(limits).readToolResult()
  return definition.enabled === false ? undefined : definition
}

/**
 * The read tool of these limits, for who asks for it by name.
 *
 * @throws TypeError where it is switched off.
 */
export function requireReadTool(limits: ToolOutputLimits): ReadToolDefinition {
  const definition = readToolOf(limits)
  if (definition) return definition
  throw new TypeError('the read tool of these limits is switched off (readTool: { enabled: false })')
}
