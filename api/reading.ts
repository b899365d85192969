import { describe } from '../common/describe.js'
import type { CamelReadInput, OverflowStore, ReadContext, ReadInput, ReadPage, ReadToolDefinition } from '../index.js'
import type { NativePage, NativeReadInput, Question } from '../native.cjs'
import { idOf } from './call.js'
import type { Instance } from './engine-call.js'
import { known, type Opened, openIn } from './own-store.js'
import { withCall } from './port.js'
import { builtInStore } from './stores.js'

/** What reading needs of an instance. */
export interface Reader extends Instance {
  /** The run of a caller that does not name its own. */
  readonly runId: string
  readonly store: () => OverflowStore
}

/** The arguments, by their names in the engine and in both spellings. */
const ARGUMENTS = {
  handle: ['handle'],
  offset: ['offset'],
  limit: ['limit'],
  fromEnd: ['from_end', 'fromEnd'],
  pattern: ['pattern'],
  charOffset: ['char_offset', 'charOffset'],
  regex: ['regex'],
  ignoreCase: ['ignore_case', 'ignoreCase'],
  context: ['context'],
  pointer: ['pointer'],
} as const

/** Reads a page as data. */
export async function readPage(
  reader: Reader,
  input: ReadInput | CamelReadInput,
  context: ReadContext | undefined,
): Promise<ReadPage> {
  return pageOf(await ask(reader, input, context, (...call) => reader.native.read(...call)))
}

/** Reads a page as the model sees it. */
async function readAnswer(reader: Reader, input: unknown, context: ReadContext | undefined): Promise<string> {
  return ask(reader, input, context, (...call) => reader.native.readAnswer(...call))
}

type Ask<T> = (...call: Parameters<Reader['native']['read']>) => Promise<T>

async function ask<T>(reader: Reader, input: unknown, context: ReadContext | undefined, work: Ask<T>): Promise<T> {
  const store = context?.store ?? reader.store()
  const { local, memory } = builtInStore(store)
  const isOwn = local === undefined && memory === undefined
  const call = { signal: context?.signal, timeoutMs: reader.options.callbackTimeoutMs }
  const runId = idOf(context?.runId) ?? reader.runId
  let opened: Opened | undefined
  const answer = async (question: Question) => {
    const { kind, handle = '', start = 0, end = 0 } = question
    // One result is open at a time: the next candidate for a handle is opened when this one is known to be none.
    if (kind === 'range') return opened?.range(start, end) ?? {}
    if (kind !== 'open') return {}
    const found = await openIn(store, handle, call)
    if ('problem' in found) return { reason: found.problem }
    opened = found
    const { size, identity } = found
    const result = known(store, handle)
    if (result === undefined) return { size, ...identity }
    const { key, runs } = result
    const [another = ''] = runs
    return { key, runId: runs.has(runId) ? runId : another, size, ...identity }
  }
  return withCall({ texts: [], answer }, (number) => work(number, argumentsOf(input), runId, isOwn, local, memory))
}

/** The arguments one by one; whatever a model made up arrives as something that can be judged. */
function argumentsOf(input: unknown): NativeReadInput | undefined {
  if (typeof input !== 'object' || input === null) return undefined
  const found: Record<string, unknown> = {}
  for (const [name, spellings] of Object.entries(ARGUMENTS)) {
    for (const spelling of spellings) {
      const value = argument(input, spelling)
      if (value !== undefined && found[name] === undefined) found[name] = value
    }
  }
  return found
}

function argument(input: object, name: string): NativeReadInput['handle'] {
  let value: unknown
  try {
    value = (input as Record<string, unknown>)[name]
  } catch {
    return { shown: 'something that cannot be read' }
  }
  switch (typeof value) {
    case 'undefined':
    case 'boolean':
    case 'number':
    case 'string':
      return value
    default:
      return value === null ? undefined : { shown: describe(value) }
  }
}

/** A page without the properties that do not apply. */
function pageOf(page: NativePage): ReadPage {
  const { problem, handle, matches, next, notice, ...rest } = page
  return {
    ...rest,
    ...(problem && { problem: problem as NonNullable<ReadPage['problem']> }),
    ...(handle && { handle }),
    ...(matches && { matches }),
    ...(next && { next: JSON.parse(next) as ReadInput }),
    ...(notice && { notice }),
  }
}

/** The definition of the read tool, as plain JSON Schema: ranges are judged by `execute`, so that no host rejects what it answers. */
export function readToolDefinition(reader: Reader): ReadToolDefinition {
  const { name, enabled, maxLines } = reader.options.readTool
  const string = (description: string) => ({ type: 'string', description })
  const integer = (description: string) => ({ type: 'integer', description })
  const boolean = (description: string) => ({ type: 'boolean', description })
  return {
    name,
    enabled,
    description:
      'Reads a tool output that was stored because it was too large to show. Give the handle from the notice in its place. ' +
      `Without pattern it returns lines: "offset" lines are skipped and "limit" returned, at most ${maxLines.toLocaleString('en-US')}. ` +
      'With pattern it returns only the lines that match, with their line numbers. With pointer it returns a part of a JSON document. ' +
      'Every answer ends with the arguments of the next call, or says that it is the end.',
    inputSchema: {
      type: 'object',
      properties: {
        handle: string('Handle of the stored output, as given in the notice.'),
        offset: integer('Lines to skip, from 0; with pattern matches, with pointer items of the array. Default 0.'),
        limit: integer(`Lines to return, 1 to ${maxLines}. Default ${Math.min(200, maxLines)}.`),
        from_end: boolean('Count offset and limit from the end. Default false.'),
        pattern: string('Text to search for; only lines that contain it are returned.'),
        char_offset: integer('Characters to skip inside the first line, from 0. Default 0.'),
        regex: boolean('Take pattern as a regular expression. Default false.'),
        ignore_case: boolean('Search without regard to case. Default false.'),
        context: integer('Lines to show before and after each match, 0 to 20. Default 0.'),
        pointer: string(
          'JSON Pointer (RFC 6901), such as /items/3/name, into a stored JSON document. In JSON Lines the first part is the index of the record.',
        ),
      },
      required: ['handle'],
      additionalProperties: false,
    },
    execute: (input, context) => readAnswer(reader, input, context),
  }
}
