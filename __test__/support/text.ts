// Text to reduce, and what is true of text.
export { AWKWARD, anyBytes, anyText, anyValue, asciiText, structured } from '../../bench/random.mjs'

/** Text of `count` numbered lines, `line 1\n`… */
export const numberedLines = (count: number, line: (n: number) => string = (n) => `line ${n}`): string =>
  Array.from({ length: count }, (_, i) => `${line(i + 1)}\n`).join('')
/** A number as notices write it. */
export const grouped = (n: number): string => n.toLocaleString('en-US')
/** Lone surrogates of a text. */
export const loneSurrogates = (text: string): number =>
  [...text].filter((char) => /^[\ud800-\udfff]$/.test(char)).length
export const isWellFormed = (text: string): boolean => loneSurrogates(text) === 0
/** The text with every lone surrogate replaced by U+FFFD. */
export const wellFormed = (text: string): string => Buffer.from(text, 'utf8').toString('utf8')
