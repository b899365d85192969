import { types } from 'node:util'
import { isError } from './is-error.js'
import { MAX_DEPTH, MAX_HOLES, type RenderLimits } from './render-limits.js'

/**
 * Whether `JSON.stringify` renders a value as documented and within the limits. Nearly every tool result passes, so this
 * look is written for the compiler: no allocation per value, no callbacks. May throw where a getter or trap does.
 */
export function isPlain(value: object, { values, chars }: RenderLimits): boolean {
  return isPlainContainer(value, 0, { values: values - 1, chars })
}

/** What may still come. Objects that are referred to many times count every time, as they are rendered every time. */
interface Budget {
  values: number
  chars: number
}

// The depth is checked before anything else, so a value can neither exhaust the stack nor go in circles for long.
function isPlainContainer(value: object, depth: number, budget: Budget): boolean {
  if (depth >= MAX_DEPTH || types.isProxy(value)) return false
  const prototype = Object.getPrototypeOf(value)
  if (prototype === Array.prototype) return isPlainArray(value as unknown[], depth, budget)
  if (prototype === Object.prototype || prototype === null) return isPlainRecord(value, depth, budget)
  if (types.isDate(value)) return prototype === Date.prototype && !Object.hasOwn(value, 'toJSON')
  return !isExotic(value) && isPlainInstance(value, depth, budget)
}

function isPlainArray(value: unknown[], depth: number, budget: Budget): boolean {
  if (hasToJson(value)) return false
  budget.values -= value.length
  if (budget.values < 0) return false
  let holes = 0
  for (let i = 0; i < value.length; i++) {
    const item = value[i]
    if (item === undefined) {
      if (++holes > MAX_HOLES) return false
    } else {
      holes = 0
      if (!isPlainMember(item, depth, budget)) return false
    }
  }
  return true
}

function isPlainRecord(value: object, depth: number, budget: Budget): boolean {
  if (hasToJson(value)) return false
  let isEmpty = true
  // The engine turns this loop over a record into loads by shape. Keys that someone added to Object.prototype only
  // make the look stricter.
  for (const key in value) {
    isEmpty = false
    if (--budget.values < 0) return false
    budget.chars -= key.length
    if (!isPlainMember((value as Record<string, unknown>)[key], depth, budget)) return false
  }
  // A Map or an Error can be given this prototype, but hardly ever enumerable properties of its own.
  return budget.chars >= 0 && !(isEmpty && isExotic(value))
}

function isPlainInstance(value: object, depth: number, budget: Budget): boolean {
  if (hasToJson(value)) return false
  const keys = Object.keys(value)
  budget.values -= keys.length
  if (budget.values < 0) return false
  for (const key of keys) {
    budget.chars -= key.length
    if (!isPlainMember((value as Record<string, unknown>)[key], depth, budget)) return false
  }
  return budget.chars >= 0
}

function isPlainMember(item: unknown, depth: number, budget: Budget): boolean {
  switch (typeof item) {
    case 'string':
      budget.chars -= item.length
      return budget.chars >= 0
    case 'object':
      return item === null || isPlainContainer(item, depth + 1, budget)
    case 'bigint':
      return false
    case 'function':
      return !hasToJson(item)
    default:
      return true
  }
}

function hasToJson(value: object): boolean {
  return typeof (value as { toJSON?: unknown }).toJSON === 'function'
}

/** Objects with a content that their properties do not show, or that are shown differently from it. */
function isExotic(value: object): boolean {
  return (
    Array.isArray(value) ||
    ArrayBuffer.isView(value) ||
    types.isAnyArrayBuffer(value) ||
    types.isMap(value) ||
    types.isSet(value) ||
    types.isBoxedPrimitive(value) ||
    isError(value)
  )
}
