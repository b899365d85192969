/** Containers inside each other; the root is level 1. */
export const MAX_DEPTH = 200
/** Values in one rendering, containers and what `JSON.stringify` leaves out included. */
export const MAX_VALUES = 5_000_000
/** Chars of one rendering: half of what a V8 string can hold. */
export const MAX_CHARS = 256 * 1024 * 1024
/** Missing elements in a row that are still rendered as `null` each. */
export const MAX_HOLES = 1_000
