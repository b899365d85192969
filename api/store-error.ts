/** What the reasons of a store mean to a person. */
const MESSAGES: Record<string, string> = {
  not_found: 'no stored result has this handle',
  store_denied: 'the store may not be used: no permission, a read-only place, or one that others can write',
  store_full: 'the store is full',
  too_large: 'the result is larger than the store accepts',
  aborted: 'the call was aborted',
}

/** An error of a store. Tells a reason and never a path. */
export class StoreError extends Error {
  /** The `FallbackReason` that a spill gets, or `not_found`. */
  readonly reason: string
  /** `ENOENT` for an unknown handle. */
  readonly code: string | undefined

  constructor(reason: string) {
    super(`tool-output-limits: ${MESSAGES[reason] ?? 'the store failed'}`)
    this.name = 'StoreError'
    this.reason = reason
    this.code = reason === 'not_found' ? 'ENOENT' : undefined
  }
}
