/** Shared by every copy of an adapter in the process, so that CommonJS, ESM and two adapters agree. */
const MARK = Symbol.for('tool-output-limits.protected')

/** What a marked function is: that of a limited tool, or the read tool itself. */
export type Mark = 'limited' | 'read'

/**
 * Marks a function as limited. The mark is on the function and not on the tool, so it goes with a spread of the tool
 * and does not stay when somebody puts another function in its place.
 */
export function mark<F extends object>(execute: F, as: Mark): F {
  return Object.defineProperty(execute, MARK, { value: as })
}

/** How a function is marked; undefined when it is not. */
export function markOf(execute: unknown): Mark | undefined {
  return typeof execute === 'function' ? (execute as { [MARK]?: Mark })[MARK] : undefined
}
