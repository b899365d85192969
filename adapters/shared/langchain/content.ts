import type { ContentBlock, ReduceContext, ToolOutputLimits } from 'tool-output-limits'
import { type BlockKind, type ReducedContent, reduceBlocks, reduceValue } from '../blocks.js'
import { jsonValueOf } from '../json-text.js'

/** The handles in `_meta` of a reduced MCP result, and where they go in the metadata of a message. */
const META_HANDLES = [
  ['tool-output-limits/handle', 'overflow_handle'],
  ['tool-output-limits/structured-handle', 'overflow_structured_handle'],
] as const

/** What content blocks of every kind may carry beside their payload. Any other key makes a record of the block. */
const COMMON_KEYS = [
  'type',
  'id',
  'index',
  'annotations',
  'citations',
  'extras',
  'cache_control',
  'metadata',
  'meta',
  '_meta',
  'providerMetadata',
]
const TEXT_KEYS = new Set([...COMMON_KEYS, 'text', 'structuredContent', 'source_type'])
const MEDIA_KEYS = new Set([
  ...COMMON_KEYS,
  'data',
  'url',
  'uri',
  'source',
  'source_type',
  'file',
  'fileId',
  'file_id',
  'fileData',
  'file_data',
  'file_url',
  'image_url',
  'input_audio',
  'resource',
  'mimeType',
  'mime_type',
  'detail',
  'name',
  'filename',
  'title',
  'description',
  'size',
  'context',
  'text',
])
/** The keys of which a block of that type has at least one, or it is a record that happens to have a `type`. */
const MEDIA_PAYLOADS = new Map<string, readonly string[]>([
  ['image', ['data', 'url', 'source', 'fileId', 'file_id']],
  ['audio', ['data', 'url', 'source', 'fileId', 'file_id']],
  ['video', ['data', 'url', 'source', 'fileId', 'file_id']],
  ['file', ['data', 'source', 'file', 'fileId', 'file_id', 'mimeType', 'mime_type']],
  ['document', ['source']],
  ['text-plain', ['data', 'url', 'fileId']],
  ['image_url', ['image_url']],
  ['input_audio', ['input_audio']],
  ['input_image', ['image_url', 'file_id']],
  ['input_file', ['file_data', 'file_url', 'file_id']],
  ['resource', ['resource']],
  ['resource_link', ['uri']],
])
/** Blocks that only their provider understands: they stay whatever they hold. */
const OPAQUE_TYPES = new Set(['non_standard', 'reasoning', 'tool_reference'])

/**
 * LangChain takes every array whose items have a `type` key for content blocks, rows of a table included. Only what
 * looks like a block throughout counts as one.
 */
function kindOf(block: unknown): BlockKind {
  if (block === null || typeof block !== 'object') return 'data'
  const { type } = block as ContentBlock
  if (type === 'text')
    return typeof (block as ContentBlock).text === 'string' && hasOnly(block, TEXT_KEYS) ? 'text' : 'data'
  if (OPAQUE_TYPES.has(type)) return 'media'
  const payloads = MEDIA_PAYLOADS.get(type)
  return payloads?.some((key) => Object.hasOwn(block, key)) && hasOnly(block, MEDIA_KEYS) ? 'media' : 'data'
}
const hasOnly = (block: object, keys: ReadonlySet<string>): boolean => Object.keys(block).every((key) => keys.has(key))

/**
 * Reduces what a tool message says to the model: a string, structured data that LangChain has made a string of, or
 * content blocks.
 * Gives undefined where everything stays as it is.
 */
export async function reduceContent(
  limits: ToolOutputLimits,
  content: unknown,
  context: ReduceContext,
): Promise<ReducedContent | undefined> {
  if (typeof content === 'string') return reduceValue(limits, jsonValueOf(content) ?? content, context)
  if (!Array.isArray(content)) return undefined
  const blocks = content as ContentBlock[]
  const kinds = blocks.map(kindOf)
  if (kinds.every((kind) => kind === 'data'))
    return blocks.length === 0 ? undefined : reduceValue(limits, blocks, context)
  return blocks.length === 1 && kinds[0] === 'text' && blocks[0]?.structuredContent !== undefined
    ? reduceMcpBlock(limits, blocks[0], context)
    : reduceBlocks(
        limits,
        blocks.map((block, i) => (kinds[i] === 'text' ? withoutMcp(block) : block)),
        kinds,
        context,
      )
}

/** One text block with the structured content of an MCP tool beside it, which often says the same once more. */
async function reduceMcpBlock(
  limits: ToolOutputLimits,
  block: ContentBlock,
  context: ReduceContext,
): Promise<ReducedContent | undefined> {
  const result = { content: [{ type: 'text', text: block.text }], structuredContent: block.structuredContent }
  const reduced: { content?: unknown; structuredContent?: unknown; _meta?: Record<string, unknown> | undefined } =
    await limits.reduceCallToolResult(result, context)
  if (reduced === result || !Array.isArray(reduced.content)) return undefined
  const handles = META_HANDLES.flatMap(([from, to]) =>
    reduced._meta?.[from] === undefined ? [] : [[to, reduced._meta[from]] as const],
  )
  const [first, ...rest] = reduced.content as ContentBlock[]
  const isKept = reduced.structuredContent !== undefined
  if (isKept && handles.length === 0 && first?.text === block.text) return undefined
  return {
    content: [
      {
        ...withoutMcp(block),
        ...first,
        ...(isKept && { structuredContent: reduced.structuredContent }),
      } as ContentBlock,
      ...rest,
    ],
    metadata: { ...(context.metadata as Record<string, unknown> | undefined), ...Object.fromEntries(handles) },
  }
}

function withoutMcp({ structuredContent: _, meta: __, ...block }: ContentBlock): ContentBlock {
  return block as ContentBlock
}
