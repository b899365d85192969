import { native } from './native.js'
import { isList, renderJson } from './render.js'

/** Any value as JSON with a two-space indent, one field per line. */
export function indentedJson(value: unknown): string {
  return laidOut(value, 'indented-json')
}

/** An array as one compact JSON value per line; anything else as `indentedJson`. */
export function jsonLines(value: unknown): string {
  return laidOut(value, 'json-lines')
}

function laidOut(value: unknown, layout: 'indented-json' | 'json-lines'): string {
  const { text, isJson } = renderJson(value)
  return isJson ? native.layOut(text, isList(value) ? layout : 'indented-json') : text
}
