/** Messages that were told. Bounded, for they name tools, which may be made anew for every request. */
const told = new Set<string>()
const MAX_TOLD = 1_000

/** Warns the process, of each thing once: adapters wrap the same tools over and over. */
export function warnOnce(code: string, message: string): void {
  if (told.has(message) || told.size >= MAX_TOLD) return
  told.add(message)
  try {
    process.emitWarning(`tool-output-limits: ${message}`, { type: 'ToolOutputLimitsWarning', code })
  } catch {
    // Some test set-ups make an error of every warning; a tool that worked must not fail for one.
  }
}
