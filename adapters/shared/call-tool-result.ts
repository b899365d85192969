import type { CallToolResultLike } from 'tool-output-limits'

/** Block types of the Model Context Protocol. A list of anything else is data. */
const BLOCK_TYPES = new Set(['text', 'image', 'audio', 'resource', 'resource_link'])
/** Properties that reducing takes care of or that are always small. Data may hide in any other. */
const RESULT_KEYS = new Set(['content', 'structuredContent', 'isError', '_meta', 'resultType'])

/**
 * Whether a value is an MCP `CallToolResult`, which is then reduced inside and stays one.
 *
 * Judged strictly, for what is taken for one has only its text blocks and structured content limited: records that happen
 * to have a `type`, or an object with a `content` among other things, are data and are reduced as a whole.
 */
export function isCallToolResult(value: unknown): value is CallToolResultLike & { content: { type: string }[] } {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return false
  const { content, isError, structuredContent } = value as CallToolResultLike
  if (!Array.isArray(content) || !content.every(isBlock)) return false
  if (isError === true) return true
  if (content.length === 0 && structuredContent === undefined) return false
  return Object.keys(value).every((key) => RESULT_KEYS.has(key))
}

function isBlock(block: unknown): boolean {
  if (block === null || typeof block !== 'object') return false
  const { type, text } = block as { type?: unknown; text?: unknown }
  return typeof type === 'string' && BLOCK_TYPES.has(type) && (type !== 'text' || typeof text === 'string')
}
