/** Summaries of a run that its own usage may not count yet. */
const summaries = new WeakMap<object, number>()

/**
 * Whether one more request leaves one for the parent request that is pending while its tool runs. Summaries finished
 * and in flight for the same `usage` object count, for they may be reported to it later.
 */
export function mayRequest(
  usage: { requests?: unknown } | undefined,
  limits: { requests?: unknown } | undefined,
): boolean {
  const limit = count(limits?.requests)
  if (limit === undefined) return true
  const known = isObject(usage) ? (summaries.get(usage) ?? 0) : 0
  return (count(usage?.requests) ?? 0) + known + 2 <= limit
}

/** Counts a summary for a run; to be called before it starts. */
export function noteSummary(usage: unknown): void {
  if (isObject(usage)) summaries.set(usage, (summaries.get(usage) ?? 0) + 1)
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

function count(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}
