/** Whether a value is a promise, or would be waited for like one. */
export function isThenable(value: unknown): boolean {
  return typeof (value as { then?: unknown } | null | undefined)?.then === 'function'
}
