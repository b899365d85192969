import { types } from 'node:util'
import { builtIn, describe } from '../common/describe.js'
import { unknownOption } from '../common/unknown-option.js'

/** Checks a value of the configuration and gives it as the package uses it. `path` names it in the error. */
export type Rule<T> = (path: string, value: unknown) => T

/** A rule for every option of an object. */
export type Rules<T> = { readonly [K in keyof T]-?: Rule<Exclude<T[K], undefined>> }

export function typeError(path: string, expected: string, value: unknown): TypeError {
  return new TypeError(`${path}: expected ${expected}, got ${describe(value)}`)
}

export function rangeError(path: string, expected: string, value: unknown): RangeError {
  return new RangeError(`${path}: expected ${expected}, got ${describe(value)}`)
}

export const anything: Rule<unknown> = (_path, value) => value

export const boolean: Rule<boolean> = (path, value) => {
  if (typeof value !== 'boolean') throw typeError(path, 'a boolean', value)
  return value
}

export const nonEmptyString: Rule<string> = (path, value) => {
  if (typeof value !== 'string' || value === '') throw typeError(path, 'a non-empty string', value)
  return value
}

/** A function of whatever signature: what it returns is judged when it is called. */
export function callable<F>(): Rule<F> {
  return (path, value) => {
    if (typeof value !== 'function') throw typeError(path, 'a function', value)
    return value as F
  }
}

interface NumberBounds {
  readonly min?: number
  readonly above?: number
  readonly whole?: boolean
}

/** A finite number within bounds. */
export function number({ min, above, whole = false }: NumberBounds = {}): Rule<number> {
  const bound = min !== undefined ? ` ≥ ${min}` : above !== undefined ? ` > ${above}` : ''
  const expected = `a ${whole ? 'whole' : 'finite'} number${bound}`
  return (path, value) => {
    if (typeof value !== 'number') throw typeError(path, expected, value)
    const isInBounds = (min === undefined || value >= min) && (above === undefined || value > above)
    if (!Number.isFinite(value) || !isInBounds || (whole && !Number.isInteger(value))) {
      throw rangeError(path, expected, value)
    }
    return value
  }
}

export function oneOf<const N extends string>(...names: N[]): Rule<N> {
  return (path, value) => {
    if (!names.includes(value as N)) throw rangeError(path, `one of ${names.map(describe).join(', ')}`, value)
    return value as N
  }
}

/** A RegExp, or strings to be found literally; the strings are copied. */
export const patterns: Rule<RegExp | readonly string[]> = (path, value) => {
  if (types.isRegExp(value)) return value
  const strings = arrayOf(value)
  if (strings?.every((item) => typeof item === 'string' && item !== '')) return Object.freeze(strings as string[])
  throw typeError(path, 'a RegExp or an array of non-empty strings', value)
}

/** A copy of an array, holes filled with undefined; undefined for anything else. */
export function arrayOf(value: unknown): unknown[] | undefined {
  return Array.isArray(value) ? Array.from(value) : undefined
}

/** An object of options: no array, Map, RegExp or the like, in which every option would be overlooked. */
export function plainObject(path: string, value: unknown): Readonly<Record<string, unknown>> {
  const isObject = typeof value === 'object' && value !== null
  if (!isObject || Array.isArray(value) || builtIn(value) !== undefined) throw typeError(path, 'an object', value)
  return value as Record<string, unknown>
}

/**
 * Checks every option against its rule. An option that is undefined is absent from the result; one without a rule is
 * a TypeError that says which was probably meant.
 */
export function options<T>(path: string, value: unknown, rules: Rules<T>): Partial<T> {
  const given = plainObject(path, value)
  // Which action it is was told already.
  const known = Object.keys(rules).filter((name) => name !== 'type')
  for (const key of Object.keys(given)) if (!Object.hasOwn(rules, key)) throw unknownOption(`${path}: `, key, known)
  const checked: Partial<T> = {}
  for (const key of Object.keys(rules) as (keyof T & string)[]) {
    const option = given[key]
    if (option !== undefined) checked[key] = rules[key](path === 'options' ? key : `${path}.${key}`, option)
  }
  return checked
}
