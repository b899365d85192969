import type fc from 'fast-check'

/** Single pieces that break naive cutting and counting. */
export const AWKWARD: readonly string[]
/** Random text with awkward pieces; may hold lone surrogates. */
export function anyText(options?: { maxPieces?: number }): fc.Arbitrary<string>
/** Random lines of plain ASCII. */
export function asciiText(options?: { maxPieces?: number }): fc.Arbitrary<string>
/** Random values that are no strings and no bytes. */
export function structured(): fc.Arbitrary<unknown>
/** Random bytes: binary, or text in some encoding. */
export function anyBytes(): fc.Arbitrary<Uint8Array>
/** Any value a tool may return. */
export function anyValue(): fc.Arbitrary<unknown>
