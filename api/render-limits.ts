/** What one rendering may cost. Tests use smaller ones. */
export interface RenderLimits {
  /** Values, containers and what `JSON.stringify` leaves out included. */
  readonly values: number
  /** Chars of the text. */
  readonly chars: number
}

/** Half of what a V8 string can hold, and a few seconds of work in the worst case. */
export const RENDER_LIMITS: RenderLimits = { values: 5_000_000, chars: 256 * 1024 * 1024 }

/** Containers inside each other; the root is level 1. */
export const MAX_DEPTH = 200

/** Missing elements in a row that are still rendered as `null` each. */
export const MAX_HOLES = 1_000
