import type { ToolOutputLimits } from 'tool-output-limits'

/**
 * Limits as an adapter was given them. Checked by what they can do, for an application may have loaded the package twice.
 *
 * @throws TypeError for anything else, such as their options: at once, and not when the first tool has run.
 */
export function expectLimits(limits: ToolOutputLimits): ToolOutputLimits {
  const { reduce, readToolResult } = (limits ?? {}) as Partial<ToolOutputLimits>
  if (typeof reduce === 'function' && typeof readToolResult === 'function') return limits
  const got = limits === null ? 'null' : typeof limits === 'object' ? 'another object' : typeof limits
  throw new TypeError(`limits must be a ToolOutputLimits, got ${got}; options go to new ToolOutputLimits({ … })`)
}

/** @throws TypeError for tools that are no list. */
export function expectToolList(tools: unknown): void {
  if (Array.isArray(tools)) return
  throw new TypeError('tools must be an array of tools')
}

/** @throws TypeError for tools that are no record of tools by name, such as a list, or one tool alone. */
export function expectToolRecord(tools: unknown): void {
  const isRecord = typeof tools === 'object' && tools !== null && !Array.isArray(tools)
  const isOneTool = isRecord && typeof (tools as { execute?: unknown }).execute === 'function'
  if (isRecord && !isOneTool) return
  throw new TypeError('tools must be an object of tools by their names, { name: tool }')
}
