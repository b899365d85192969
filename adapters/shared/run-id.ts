/** A run id as an option: the id itself, or a function of what the host tells about one call. */
export type RunIdOption<Execution> = string | ((execution: Execution) => string | undefined)

let warned = false

/**
 * The id of the run that a call belongs to; undefined leaves it to the limits.
 *
 * A function that throws counts as one without an answer: the tool has worked, and must not fail for want of an id.
 */
export function runIdOf<Execution>(
  option: RunIdOption<Execution> | undefined,
  execution: Execution,
): string | undefined {
  if (typeof option !== 'function') return option
  try {
    return option(execution)
  } catch {
    if (!warned) {
      warned = true
      process.emitWarning('tool-output-limits: the runId function threw; the default run id is used', {
        type: 'ToolOutputLimitsWarning',
        code: 'TOL_RUN_ID',
      })
    }
    return undefined
  }
}
