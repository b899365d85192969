import type { ReduceContext, ToolOutputLimits } from 'tool-output-limits'
import { put } from './copy.js'

/** A text inside an output: where it stands, and whether it stands for a list of strings. */
interface Leaf {
  path: (string | number)[]
  text: string
  isList: boolean
}

/** Deeper than any output of a tool; what lies below stays. */
const MAX_DEPTH = 64

/**
 * Reduces the texts inside an output, each in its place, so that the output keeps its shape. A list of strings counts
 * as one text, a line each. The output itself is given back where all stay.
 *
 * The longest text has the handle of the call; others are parts of it, named by their path. One after the other, so
 * that the same output gives the same handles again.
 */
export async function reduceLeaves(
  limits: ToolOutputLimits,
  output: unknown,
  context: ReduceContext,
): Promise<unknown> {
  const leaves = leavesOf(output)
  const longest = leaves.reduce<Leaf | undefined>((a, b) => (a && a.text.length >= b.text.length ? a : b), undefined)
  let copy: unknown = output
  for (const leaf of leaves) {
    const toolCallId =
      leaf === longest || context.toolCallId === undefined
        ? context.toolCallId
        : `${context.toolCallId}:${leaf.path.join('.')}`
    const { reduced, value } = await limits.reduce(leaf.text, { ...context, toolCallId })
    if (reduced) copy = replaced(copy, leaf.path, leaf.isList ? [value] : value)
  }
  return copy
}

/** The texts of an output in the order in which they stand there. Images and other encoded data are none. */
function leavesOf(output: unknown): Leaf[] {
  const leaves: Leaf[] = []
  const open: { value: unknown; path: Leaf['path'] }[] = [{ value: output, path: [] }]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, path } = next
    if (typeof value === 'string') leaves.push({ path, text: value, isList: false })
    else if (isListOfStrings(value)) leaves.push({ path, text: value.join('\n'), isList: true })
    else if (value !== null && typeof value === 'object' && path.length < MAX_DEPTH && !isEncoded(value)) {
      const keys = Array.isArray(value) ? [...value.keys()] : Object.keys(value)
      for (const key of keys.reverse())
        open.push({ value: (value as Record<string | number, unknown>)[key], path: [...path, key] })
    }
  }
  return leaves
}

const isListOfStrings = (value: unknown): value is string[] =>
  Array.isArray(value) && value.length > 1 && value.every((item) => typeof item === 'string')

/** An image or a document: `{ base64, … }` of files, `{ type: 'base64', data }` of blocks, and what Bash prints as one. */
function isEncoded(value: object): boolean {
  const { base64, type, data, blob, mimeType, isImage } = value as Record<string, unknown>
  if (typeof base64 === 'string' || typeof blob === 'string' || isImage === true) return true
  return (
    typeof data === 'string' && (type === 'base64' || type === 'image' || type === 'audio' || mimeType !== undefined)
  )
}

/** A copy with another value at a path; what is not on the way to it is shared. */
function replaced(root: unknown, path: Leaf['path'], value: unknown): unknown {
  const parents: unknown[] = []
  let at = root
  for (const key of path) {
    parents.push(at)
    at = (at as Record<string | number, unknown>)[key]
  }
  let copy = value
  for (let i = path.length - 1; i >= 0; i--) {
    const parent = parents[i]
    const key = path[i] as string | number
    const next = (Array.isArray(parent) ? [...parent] : { ...(parent as object) }) as Record<PropertyKey, unknown>
    put(next, key, copy)
    copy = next
  }
  return copy
}
