import type { ContentBlock } from '../index.js'
import { bytesView, isBytes } from './bytes.js'
import { renderJson } from './render.js'

/** More items are no blocks for a model, and may be an array that only claims to have them. */
const MAX_BLOCKS = 1_000_000

/** Content as it was at the moment of the call. */
export interface ContentParts {
  /** The text, of blocks all of it joined with LF; undefined where there is none, or too much for a string. */
  readonly text: string | undefined
  /** The texts of the blocks, one by one. */
  readonly texts: readonly string[]
  /** What is not text: blocks, or content that is neither text nor blocks. */
  readonly others: readonly unknown[]
  /** The items of a block array, copied; undefined for text and for content that is neither. */
  readonly blocks: readonly unknown[] | undefined
  /** Content with another text in the place of the first text block; the other text blocks go. */
  replaceText(text: string): string | ContentBlock[]
}

/** Takes content apart. Never throws: a block that cannot be looked at is not text. */
export function contentParts(content: unknown): ContentParts {
  if (typeof content === 'string') {
    return { text: content, texts: [content], others: [], blocks: undefined, replaceText: (text) => text }
  }
  const blocks = copyOf(content)
  if (blocks === undefined) {
    return { text: undefined, texts: [], others: [content], blocks, replaceText: () => content as ContentBlock[] }
  }
  const texts = blocks.map(textOf)
  const found = texts.filter((text) => text !== undefined)
  const text = joined(found)
  return {
    text,
    texts: found,
    others: blocks.filter((_, index) => texts[index] === undefined),
    blocks,
    replaceText: (text) => withText(blocks, texts, text),
  }
}

/** The texts as one; undefined where there is none, and where together they are longer than a string can be. */
function joined(texts: readonly string[]): string | undefined {
  try {
    return texts.length > 0 ? texts.join('\n') : undefined
  } catch {
    return undefined
  }
}

/** About how many chars a block has: of media the data, else its JSON. */
export function sizeOfBlock(block: unknown): number {
  try {
    const data = (block as { data?: unknown } | null | undefined)?.data
    if (typeof data === 'string') return data.length
    if (isBytes(data)) return Math.ceil(bytesView(data).length / 3) * 4
  } catch {
    // The renderer says what there is to say.
  }
  return renderJson(block).text.length
}

function withText(blocks: readonly unknown[], texts: readonly (string | undefined)[], text: string): ContentBlock[] {
  const first = texts.findIndex((known) => known !== undefined)
  const replaced: unknown[] = []
  for (const [index, block] of blocks.entries()) {
    if (texts[index] === undefined) replaced.push(block)
    else if (index === first) replaced.push(copyWithText(block as ContentBlock, text))
  }
  return replaced as ContentBlock[]
}

function copyWithText(block: ContentBlock, text: string): ContentBlock {
  try {
    return { ...block, text }
  } catch {
    return { type: 'text', text } // a getter among its other properties throws
  }
}

function copyOf(content: unknown): unknown[] | undefined {
  try {
    return Array.isArray(content) && content.length <= MAX_BLOCKS ? Array.from(content) : undefined
  } catch {
    return undefined
  }
}

function textOf(block: unknown): string | undefined {
  try {
    if (typeof block !== 'object' || block === null) return undefined
    const { type, text } = block as { type?: unknown; text?: unknown }
    return type === 'text' && typeof text === 'string' ? text : undefined
  } catch {
    return undefined
  }
}
