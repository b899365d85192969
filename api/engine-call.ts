import type { Action, FallbackReason, Generate, OverflowStore, Usage } from '../index.js'
import type { Answer, NativeOutcome, Question } from '../native.cjs'
import { isAborted, onAbort } from './abort.js'
import type { Call } from './call.js'
import { settle } from './callbacks.js'
import type { CheckedOptions } from './check.js'
import { native } from './native.js'
import { hasReadInstruction, undoWrite, writeTo } from './own-store.js'
import { withCall } from './port.js'
import { builtInStore } from './stores.js'
import { askForSummary, type SummaryContext } from './summary.js'
import type { WarningCode } from './warnings.js'

/**
 * Longer texts stay here while the engine works, and are handed over window by window: `WINDOW` of src/binding/port.rs.
 * Were they not the same, it would cost a turn, and nothing else.
 */
const STAYS = 512 * 1024
/** How many of their last chars go with the call: both ends are looked at nearly always. */
const TAIL = 16 * 1024

/** Which part of a result. */
export type PartName = 'value' | 'content' | 'structured'

/** A part as the engine takes it. */
export type PartInput =
  | { readonly bytes: Uint8Array }
  /** `isJson`: compact JSON of a structured value, `isList`: of a list; `shape`: such JSON, where `text` is another rendering of the value. */
  | {
      readonly text: string
      readonly isJson: boolean
      readonly isList?: boolean | undefined
      readonly shape?: string | undefined
    }

/** What the application is told while the engine works. */
export interface Told {
  spend(usage: Usage): void
  warn(code: WarningCode, message: string): void
  /** Of an action that could not run: what was thrown, as it was thrown. */
  threw(reason: FallbackReason, error: unknown): void
}

/** What an instance brings to a call. */
export interface Instance {
  readonly native: InstanceType<typeof native.NativeLimits>
  readonly options: CheckedOptions
  /** Actions of which the engine holds only a part, by the number that it asks with. */
  readonly slots: readonly Action[]
}

/** Reduces a part in the engine, which asks back for what only JavaScript has. */
export async function reduceInEngine(
  instance: Instance,
  call: Call,
  part: PartName,
  input: PartInput,
  told: Told,
): Promise<NativeOutcome> {
  const { signal } = call.context
  const { local, memory } = builtInStore(call.store)
  const ownStore = local === undefined && memory === undefined ? call.store : undefined
  const texts = 'text' in input ? [input.text, input.shape ?? ''] : []
  const newHandles = new Set<string>()
  const answer = (question: Question) => answerOf(question, instance, call, ownStore, texts, newHandles, told)
  const abort = signal === undefined ? undefined : new native.NativeAbort()
  if (isAborted(signal)) abort?.set()
  const forget = abort && onAbort(signal, () => abort.set())
  try {
    return await withCall({ texts, answer }, (number) => {
      const { toolName, retry } = call.tool
      const { charset } = call.context
      const nativeCall = {
        number,
        toolName,
        retry,
        part,
        ...(typeof charset === 'string' && { charset }),
        ...(ownStore && { ownStore: hasReadInstruction(ownStore) }),
        ...('text' in input && input.text.length > STAYS && { tail: input.text.slice(-TAIL) }),
      }
      const { run, call: callId } = call.keyIds
      return 'bytes' in input
        ? instance.native.reduceBytes(nativeCall, run, callId, input.bytes, abort, local, memory)
        : instance.native.reduceText(
            nativeCall,
            run,
            callId,
            input.text,
            input.isJson,
            input.isList ?? false,
            input.shape,
            abort,
            local,
            memory,
          )
    })
  } finally {
    forget?.()
  }
}

async function answerOf(
  question: Question,
  { options, slots }: Instance,
  call: Call,
  ownStore: OverflowStore | undefined,
  texts: string[],
  newHandles: Set<string>,
  told: Told,
): Promise<Answer> {
  const timeoutMs = options.callbackTimeoutMs
  const { signal } = call.context
  switch (question.kind) {
    case 'tokenize': {
      const text = question.text ?? texts[0] ?? ''
      const outcome = await settle<unknown>(() => options.tokenizer?.(text), timeoutMs)
      return outcome.ok && typeof outcome.value === 'number' ? { tokens: outcome.value } : {}
    }
    case 'summarize': {
      const action = slots[question.slot ?? 0]
      if (action?.type !== 'summarize') return {}
      return askForSummary(question, action, summaryContext(options, call, told), texts)
    }
    case 'write': {
      if (ownStore === undefined || question.key === undefined || question.bytes === undefined) return {}
      const { run: runId } = call.keyIds
      const { threw } = told
      const written = await writeTo(ownStore, question.key, question.bytes, { runId, signal, timeoutMs, threw })
      if (written.isNew && written.answer.handle !== undefined) newHandles.add(written.answer.handle)
      return written.answer
    }
    case 'undo':
      if (ownStore !== undefined && question.handle !== undefined && newHandles.has(question.handle)) {
        await undoWrite(ownStore, question.handle, timeoutMs)
      }
      return {}
    default:
      return {}
  }
}

function summaryContext(options: CheckedOptions, { tool, context }: Call, told: Told): SummaryContext {
  return {
    toolName: tool.toolName,
    model: context.model ?? options.model,
    generate: callable(context.generate) ?? options.generate,
    adapterGenerate: callable(context.adapter?.generate),
    journal: callable(context.journal) ?? options.journal,
    usage: context.usage,
    usageLimits: context.usageLimits,
    signal: context.signal,
    isReplayable: tool.runId !== undefined && tool.toolCallId !== undefined,
    told,
  }
}

function callable<F extends Generate | CheckedOptions['journal']>(value: F): F | undefined {
  return typeof value === 'function' ? value : undefined
}
