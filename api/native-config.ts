import type { Action, Band } from '../index.js'
import type { NativeBand, NativeConfig, NativeLines, NativeStep } from '../native.cjs'
import type { CheckedOptions } from './check.js'
import type { SummarySlot } from './summary.js'

/** The checked options as the engine takes them, and what of the actions stays here. */
export function nativeConfig(options: CheckedOptions): { config: NativeConfig; slots: SummarySlot[] } {
  const slots: SummarySlot[] = []
  const bandsOf = (bands: readonly Band[]): NativeBand[] =>
    bands.map(({ over, action }) => ({ over, steps: stepsOf(action, slots) }))
  const config = {
    id: options.id,
    bands: bandsOf(options.bands),
    perTool: options.perTool.map(([name, bands]) => ({ name, bands: bandsOf(bands) })),
    overTokens: options.overTokens,
    hasTokenizer: options.tokenizer !== undefined,
    layout: typeof options.serializer === 'string' ? options.serializer : 'json',
    cleaning: options.terminal ? 'terminal' : options.stripAnsi ? 'ansi' : 'nothing',
    readTool: {
      name: options.readTool.name,
      enabled: options.readTool.enabled,
      maxLines: options.readTool.maxLines,
      maxChars: options.readTool.maxChars,
      ownRunOnly: options.readTool.scope === 'run',
    },
    ...(options.summaryPrompt !== undefined && { summaryPrompt: options.summaryPrompt }),
  }
  return { config, slots }
}

/** An action and its fallbacks as a list. */
function stepsOf(action: Action, slots: SummarySlot[]): NativeStep[] {
  const steps: NativeStep[] = []
  for (
    let next: Action | undefined = action;
    next !== undefined;
    next = 'fallback' in next ? next.fallback : undefined
  ) {
    steps.push(stepOf(next, slots))
  }
  return steps
}

function stepOf(action: Action, slots: SummarySlot[]): NativeStep {
  switch (action.type) {
    case 'truncate':
      return {
        kind: 'truncate',
        maxChars: action.maxChars ?? 0,
        strategy: action.strategy ?? 'head-tail',
        keepTailLines: action.keepTailLines ?? 0,
        validJson: action.json !== 'text',
        ...(action.keepMatching !== undefined && { lines: linesOf(action.keepMatching) }),
      }
    case 'spill':
      return {
        kind: 'spill',
        previewChars: action.previewChars ?? 0,
        ...(action.highlights !== false && { lines: linesOf(action.highlights) }),
      }
    case 'summarize':
      slots.push({ model: action.model, summarize: action.summarize, timeoutMs: action.timeoutMs ?? 60_000 })
      return { kind: 'summarize', maxChars: action.maxChars ?? 0, slot: slots.length - 1 }
    case 'passthrough':
      return { kind: 'passthrough' }
  }
}

/** Absent: lines that look like errors. */
function linesOf(patterns: RegExp | readonly string[] | undefined): NativeLines {
  if (patterns === undefined) return {}
  return patterns instanceof RegExp ? { source: patterns.source, flags: patterns.flags } : { literals: [...patterns] }
}
