import type { ToolOutputLimits } from 'tool-output-limits'

/**
 * Limits as an adapter was given them. Checked by what they can do, for an application may have loaded the package twice.
 *
 * @throws TypeError for anything else, such as their options: at once, and not when the first tool has run.
 */
export function expectLimits(limits: ToolOutputLimits): ToolOutputLimits {
  const { reduce, readToolResult } = (limits ?? {}) as Partial<ToolOutputLimits>
  if (typeof reduce === 'function' && typeof readToolResult === 'function') return limits
  const got = limits === null ? 'null' : typeof limits === 'object' ? 'another object' : typeof limits
  throw new TypeError(`limits must be a ToolOutputLimits, got ${got}; options go to new ToolOutputLimits({ … })`)
}

/**
 * The options of an adapter or a store as they were given. `names` has every name there is; the compiler sees to it that
 * none is missing. `owner`: who takes them, for the message.
 *
 * @throws TypeError for what is no object, and for a name that no option has.
 */
export function expectOptions<Options extends object>(
  options: Options,
  names: Record<keyof Options, true>,
  owner = '',
): Options {
  const by = owner === '' ? '' : `${owner}: `
  if (typeof options !== 'object' || options === null || Array.isArray(options))
    throw new TypeError(`${by}options must be an object`)
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(names, name))
  if (unknown === undefined) return options
  throw new TypeError(`${by}unknown option ${JSON.stringify(unknown)}; known are ${Object.keys(names).join(', ')}`)
}

function expectAwaited(tools: unknown): void {
  if (typeof (tools as { then?: unknown } | null | undefined)?.then === 'function')
    throw new TypeError('tools is a promise: await it')
}

/** @throws TypeError for tools that are no list. */
export function expectToolList(tools: unknown): void {
  if (Array.isArray(tools)) return
  expectAwaited(tools)
  throw new TypeError('tools must be an array of tools')
}

/** @throws TypeError for tools that are no record of tools by name, such as a list, or one tool alone. */
export function expectToolRecord(tools: unknown): void {
  const isRecord = typeof tools === 'object' && tools !== null && !Array.isArray(tools)
  const isOneTool = isRecord && typeof (tools as { execute?: unknown }).execute === 'function'
  expectAwaited(tools)
  if (isRecord && !isOneTool) return
  throw new TypeError('tools must be an object of tools by their names, { name: tool }')
}
