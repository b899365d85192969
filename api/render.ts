import { isPlain } from './plain.js'
import { RENDER_LIMITS, type RenderLimits } from './render-limits.js'
import { Walker } from './walker.js'

export interface Rendered {
  /** Compact JSON on one line, or the text of what JSON has no form for. */
  readonly text: string
  /** False for the text of NaN, undefined, a function or a symbol at top level. */
  readonly isJson: boolean
}

/**
 * Renders any value: as `JSON.stringify` does, made total. Never throws, never hangs and never takes memory out of
 * proportion, short of a getter that does not return.
 */
export function renderJson(value: unknown, limits: RenderLimits = RENDER_LIMITS): Rendered {
  const text = plainJson(value, limits) ?? (isNonFinite(value) ? undefined : new Walker(limits).render(value, '', 0))
  return text === undefined ? { text: textOf(value), isJson: false } : { text, isJson: true }
}

/** What V8 makes of a value that needs no special care; undefined for every other. */
function plainJson(value: unknown, limits: RenderLimits): string | undefined {
  try {
    switch (typeof value) {
      case 'string':
        break
      case 'object':
        if (value !== null && !isPlain(value, limits)) return undefined
        break
      case 'number':
        if (!Number.isFinite(value)) return undefined
        break
      case 'boolean':
        break
      default:
        return undefined
    }
    const text: string | undefined = JSON.stringify(value)
    return text !== undefined && text.length <= limits.chars ? text : undefined
  } catch {
    return undefined
  }
}

/** Whether `json-lines` makes lines of a value. A list that says itself what its JSON is may be anything. */
export function isList(value: unknown): boolean {
  try {
    return Array.isArray(value) && typeof (value as { toJSON?: unknown }).toJSON !== 'function'
  } catch {
    return false
  }
}

function isNonFinite(value: unknown): boolean {
  return typeof value === 'number' && !Number.isFinite(value)
}

function textOf(value: unknown): string {
  try {
    return typeof value === 'function' ? `[function${value.name ? ` ${value.name}` : ''}]` : String(value)
  } catch {
    return `[${typeof value}]`
  }
}
