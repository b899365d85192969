import type { Action, Band } from '../index.js'
import type { NativeBand, NativeConfig } from '../native.cjs'
import { chainOf, settingsOf } from './actions.js'
import type { CheckedOptions } from './check.js'

/** The checked options as the engine takes them, and what of the actions stays here. */
export function nativeConfig(options: CheckedOptions): { config: NativeConfig; slots: Action[] } {
  const slots: Action[] = []
  const bandsOf = (bands: readonly Band[]): NativeBand[] =>
    bands.map(({ over, action }) => ({
      over,
      actions: JSON.stringify(chainOf(action).map((link) => settingsOf(link, slots))),
    }))
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
