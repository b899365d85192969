import type fc from 'fast-check'

/** A random case: what one tool returned, under which options, and how it is read back. */
export const anyCase: fc.Arbitrary<unknown>
/** What a run covered. */
export interface Covered {
  seed: number
  cases: number
  reduced: number
  spilled: number
  cut: number
  pages: number
}
/** Runs random cases on two implementations and throws at the first difference, shrunk to a small case. */
export function differential(options: { candidate: object; baseline: object; cases?: number; seed?: number; path?: string; shrink?: boolean }): Promise<Covered>
