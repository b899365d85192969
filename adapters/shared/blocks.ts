import type { ContentBlock, PartReport, ReduceContext, ToolOutputLimits } from 'tool-output-limits'

/**
 * What a content block is for the limits. Media are what the model gets as something other than text; data are
 * records, which it gets as JSON.
 */
export type BlockKind = 'text' | 'media' | 'data'

/** What stands in for the content of a message. */
export interface ReducedContent {
  content: string | ContentBlock[]
  /** The tool's own metadata with the handles. */
  metadata: Record<string, unknown> | undefined
  report?: PartReport | undefined
}

/** Reduces one value to a text; undefined where it stays as it is. */
export async function reduceValue(
  limits: ToolOutputLimits,
  value: unknown,
  context: ReduceContext,
): Promise<ReducedContent | undefined> {
  const { reduced, value: text, metadata, report } = await limits.reduce(value, context)
  return reduced ? { content: String(text), metadata, report } : undefined
}

/**
 * Reduces content blocks, text and data as one part: the reduced text takes the place of the first of them, media
 * keep theirs. Undefined where all stay.
 */
export async function reduceBlocks(
  limits: ToolOutputLimits,
  blocks: readonly ContentBlock[],
  kinds: readonly BlockKind[],
  context: ReduceContext,
): Promise<ReducedContent | undefined> {
  const media = blocks.filter((_, i) => kinds[i] === 'media')
  const said = blocks.flatMap((block, i) =>
    kinds[i] === 'text' ? [String(block.text)] : kinds[i] === 'data' ? [compactJson(block)] : [],
  )
  // Media go along as content: the core warns of those that are over the limit, and leaves them.
  const { reduced, value, metadata, report } = await limits.reduce(
    said.join('\n'),
    media.length > 0 ? { ...context, content: media } : context,
  )
  if (!reduced) return undefined
  const first = kinds.findIndex((kind) => kind !== 'media')
  const text = { ...(kinds[first] === 'text' && blocks[first]), type: 'text', text: value }
  return {
    content: blocks.flatMap((block, i) => (i === first ? [text] : kinds[i] === 'media' ? [block] : [])),
    metadata,
    report,
  }
}

function compactJson(record: unknown): string {
  try {
    return JSON.stringify(record) ?? String(record)
  } catch {
    return String(record) // a record that JSON cannot express would not reach the model either
  }
}
