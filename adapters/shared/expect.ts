import { types } from 'node:util'
import type { ToolOutputLimits } from 'tool-output-limits'
import { builtIn, describe } from '../../common/describe.js'
import { unknownOption } from '../../common/unknown-option.js'
import { isThenable } from './thenable.js'

/**
 * Limits as an adapter was given them. Checked by what they can do, for an application may have loaded the package twice.
 *
 * @throws TypeError for anything else, such as their options: at once, and not when the first tool has run.
 */
export function expectLimits(limits: ToolOutputLimits): ToolOutputLimits {
  const { reduce, readToolResult } = (limits ?? {}) as Partial<ToolOutputLimits>
  if (typeof reduce === 'function' && typeof readToolResult === 'function') return limits
  throw new TypeError(
    `limits must be a ToolOutputLimits, got ${kindOf(limits)}; options go to new ToolOutputLimits({ … })`,
  )
}

/** What the value of an option may be. */
export interface Rule {
  /** In words that follow "must be". */
  readonly expected: string
  readonly allows: (value: unknown) => boolean
  /** Strings are names, and shown as they are. Any other may be a secret, such as a key where its client is wanted. */
  readonly areNames?: boolean
}

/** A rule for each option; `true` where whoever takes the options judges the value. */
export type Rules<Options extends object> = Record<keyof Options, true | Rule>

export const aBoolean: Rule = { expected: 'a boolean', allows: (value) => typeof value === 'boolean' }
export const aFunction: Rule = { expected: 'a function', allows: (value) => typeof value === 'function' }
export const aNumber: Rule = { expected: 'a number', allows: (value) => typeof value === 'number' }
export const aString: Rule = { expected: 'a string', allows: (value) => typeof value === 'string' }
/** Models of any kind, for the application may call them itself; many are made by an async function. */
export const aModel: Rule = { expected: 'a model', allows: (value) => !types.isPromise(value) }

export function oneOf(...names: string[]): Rule {
  const expected = names.map((name) => `'${name}'`).join(' or ')
  return { expected, allows: (value) => names.includes(value as string), areNames: true }
}

/** Whether a value is an object that has all these methods. */
export function hasMethods(value: unknown, ...names: string[]): boolean {
  if (typeof value !== 'object' || value === null) return false
  return names.every((name) => typeof (value as Record<string, unknown>)[name] === 'function')
}

/**
 * The options of an adapter or a store as they were given. `rules` has every name there is; the compiler sees to it that
 * none is missing. `owner`: who takes them, for the message.
 *
 * @throws TypeError for what is no object, for a name that no option has, and for a value that its rule does not allow.
 */
export function expectOptions<Options extends object>(options: Options, rules: Rules<Options>, owner = ''): Options {
  const by = owner === '' ? '' : `${owner}: `
  if (typeof options !== 'object' || options === null || Array.isArray(options) || builtIn(options) !== undefined)
    throw new TypeError(`${by}options must be an object, got ${kindOf(options)}`)
  const known = Object.keys(rules)
  for (const name of Object.keys(options)) {
    if (!Object.hasOwn(rules, name)) throw unknownOption(by, name, known)
  }
  for (const name of known as (keyof Options & string)[]) {
    const rule = rules[name]
    const value: unknown = options[name]
    if (rule === true || value === undefined || rule.allows(value)) continue
    const got = rule.areNames ? describe(value) : kindOf(value)
    throw new TypeError(`${by}${name} must be ${rule.expected}, got ${got}`)
  }
  return options
}

function kindOf(value: unknown): string {
  return typeof value === 'string' ? 'a string' : describe(value)
}

function expectAwaited(tools: unknown): void {
  if (isThenable(tools)) throw new TypeError('tools is a promise: await it')
}

/** @throws TypeError for tools that are no list, or hold what is no object. */
export function expectToolList(tools: unknown): void {
  if (!Array.isArray(tools)) {
    expectAwaited(tools)
    throw new TypeError(`tools must be an array of tools, got ${kindOf(tools)}`)
  }
  for (const [place, tool] of tools.entries()) {
    // Functions are passed on, with a warning: they are tools of another kind.
    if ((typeof tool === 'object' && tool !== null) || typeof tool === 'function') continue
    throw new TypeError(`tools[${place}] must be a tool, got ${kindOf(tool)}`)
  }
}

/** @throws TypeError for tools that are no record of tools by name, such as a list, or one tool alone. */
export function expectToolRecord(tools: unknown): void {
  const isRecord = typeof tools === 'object' && tools !== null && !Array.isArray(tools)
  const isOneTool = isRecord && typeof (tools as { execute?: unknown }).execute === 'function'
  expectAwaited(tools)
  if (isRecord && !isOneTool) return
  const got = isOneTool ? 'one tool' : kindOf(tools)
  throw new TypeError(`tools must be an object of tools by their names, { name: tool }, got ${got}`)
}
