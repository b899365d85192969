import type { ContentBlock, PartReport, ReduceContext, Reduction } from '../index.js'
import { type Bytes, bytesView, isBytes } from './bytes.js'
import type { ContentParts } from './content.js'
import { untouchedReport } from './events.js'
import { mergeMetadata } from './metadata.js'

/** What became of a part. */
export interface DonePart {
  /** Undefined where the original stays. */
  readonly text: string | undefined
  readonly report: PartReport
}

/** The result of a call that the limits do not apply to. */
export function exempt<T>(value: T, context: ReduceContext): Reduction<T> {
  const isText = typeof value === 'string'
  const size = isText ? value.length : isBytes(value) ? bytesView(value as Bytes).byteLength : 0
  const unit = !isText && isBytes(value) ? 'bytes' : 'chars'
  const report = untouchedReport(size, unit, isText ? size : 0)
  return { reduced: false, value, ...passedOn(context.content, context.metadata), report }
}

/** The result of a call, put together from its parts. What was not reduced is the very object passed in. */
export function assemble<T>(
  value: T,
  context: ReduceContext,
  done: DonePart,
  content: ContentParts | undefined,
  contentDone: DonePart | undefined,
): Reduction<T> {
  const newContent =
    content === undefined || contentDone?.text === undefined ? context.content : content.replaceText(contentDone.text)
  const metadata = mergeMetadata(context.metadata, done.report, contentDone?.report)
  const rest = {
    ...passedOn(newContent, metadata),
    report: done.report,
    ...(contentDone !== undefined && { contentReport: contentDone.report }),
  }
  if (done.text === undefined && contentDone?.text === undefined) return { reduced: false, value, ...rest }
  return { reduced: true, value: done.text ?? value, ...rest }
}

function passedOn(content: ReduceContext['content'], metadata: unknown) {
  return {
    // What the caller passed in is the caller's own, read-only or not.
    ...(content !== undefined && { content: content as string | ContentBlock[] }),
    ...(metadata !== undefined && { metadata: metadata as Record<string, unknown> }),
  }
}
