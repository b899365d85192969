import { types } from 'node:util'

const MAX_CHARS = 100

/** A value as an error message about configuration shows it. Never throws, and never runs code of the value. */
export function describe(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return value.length > MAX_CHARS ? `${JSON.stringify(value.slice(0, MAX_CHARS))}…` : JSON.stringify(value)
    case 'bigint':
      return value > 10n ** 30n || value < -(10n ** 30n) ? 'a bigint' : `${value}n`
    case 'function':
      return 'a function'
    case 'object':
      if (value === null) return 'null'
      return isArray(value) ? 'an array' : (builtIn(value) ?? 'an object')
    case 'symbol':
      return 'a symbol'
    default:
      return Object.is(value, -0) ? '-0' : String(value)
  }
}

/** What an object is whose content is not in its properties; undefined for every other. */
export function builtIn(value: object): string | undefined {
  if (types.isMap(value)) return 'a Map'
  if (types.isSet(value)) return 'a Set'
  if (types.isRegExp(value)) return 'a RegExp'
  if (types.isDate(value)) return 'a Date'
  return types.isPromise(value) ? 'a promise, which has to be awaited' : undefined
}

function isArray(value: object): boolean {
  try {
    return Array.isArray(value)
  } catch {
    return false // a revoked Proxy
  }
}
