import { types } from 'node:util'
import type {
  Action,
  Band,
  Passthrough,
  Spill,
  SpillOptions,
  Summarize,
  SummarizeOptions,
  Truncate,
  TruncateOptions,
} from '../index.js'
import {
  anything,
  arrayOf,
  callable,
  number,
  oneOf,
  options,
  patterns,
  type Rules,
  rangeError,
  typeError,
} from './expect.js'

type ActionType = Action['type']

/** Filled in by `options` with the checked values; the fallback is checked later, for it may be the first of many. */
interface AnyOptions {
  readonly type?: unknown
  readonly fallback?: unknown
}
type RulesOf<A extends Action> = Rules<Omit<A, 'type' | 'fallback'> & AnyOptions>

const TRUNCATE_RULES: RulesOf<Truncate> = {
  type: anything,
  maxChars: number(),
  strategy: oneOf('head', 'tail', 'head-tail'),
  keepTailLines: number({ min: 0, whole: true }),
  json: oneOf('valid', 'text'),
  keepMatching: patterns,
  fallback: anything,
}
const SPILL_RULES: RulesOf<Spill> = {
  type: anything,
  previewChars: number({ min: 0, whole: true }),
  highlights: (path, value) => (value === false ? value : patterns(path, value)),
  fallback: anything,
}
const SUMMARIZE_RULES: RulesOf<Summarize> = {
  type: anything,
  model: anything,
  summarize: callable(),
  maxChars: number({ min: 1 }),
  timeoutMs: number({ above: 0 }),
  fallback: anything,
}

/** How long a summary may take where the action does not say. */
export const SUMMARY_TIMEOUT_MS = 60_000

/** What each type of action takes, what it does where an option is absent, and what of it only this side can hold. */
interface ActionKind {
  readonly rules: object
  readonly defaults: object
  /** Options that the engine does not get; it gets the number of a slot, and asks by it. */
  readonly held?: readonly string[]
}

const TYPES: Readonly<Record<ActionType, ActionKind>> = {
  truncate: { rules: TRUNCATE_RULES, defaults: { maxChars: 4_000, strategy: 'head-tail', keepTailLines: 0 } },
  spill: { rules: SPILL_RULES, defaults: { previewChars: 1_000 } },
  summarize: {
    rules: SUMMARIZE_RULES,
    defaults: { maxChars: 8_000, timeoutMs: SUMMARY_TIMEOUT_MS },
    held: ['model', 'summarize', 'timeoutMs'],
  },
  passthrough: { rules: { type: anything }, defaults: {} },
}

/** Actions that were checked before, and cannot have changed since: they are frozen. */
const checkedActions = new WeakSet<object>()

export function truncate(options: TruncateOptions = {}): Truncate {
  return checkChain('truncate', 'truncate', options) as Truncate
}

export function spill(options: SpillOptions = {}): Spill {
  return checkChain('spill', 'spill', options) as Spill
}

export function summarize(options: SummarizeOptions = {}): Summarize {
  return checkChain('summarize', 'summarize', options) as Summarize
}

/** Takes no options, and says so of those that it is given. */
export function passthrough(options: object = {}): Passthrough {
  return checkChain('passthrough', 'passthrough', options) as Passthrough
}

/** Checks an action, one written by hand as well, and gives it frozen and with its defaults. */
export function checkAction(path: string, value: unknown): Action {
  return checkedBefore(value) ?? checkChain(path, typeOf(path, value), value)
}

/** The action and its fallbacks in the order in which they are tried. */
export function chainOf(action: Action): Action[] {
  const chain: Action[] = []
  for (let link: Action | undefined = action; link !== undefined; ) {
    chain.push(link)
    link = 'fallback' in link ? link.fallback : undefined
  }
  return chain
}

/** The settings of one action as the engine reads them, ready for JSON. What stays here goes into a slot. */
export function settingsOf(action: Action, slots: Action[]): object {
  const held = TYPES[action.type].held ?? []
  const settings: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(action)) {
    if (name !== 'fallback' && !held.includes(name)) settings[name] = plain(value)
  }
  if (held.length > 0) settings.slot = slots.push(action) - 1
  return settings
}

/** A RegExp as data; strings without lone surrogates, which JSON in the engine cannot have. */
function plain(value: unknown): unknown {
  if (types.isRegExp(value)) return { source: plain(value.source), flags: value.flags }
  if (Array.isArray(value)) return value.map(plain)
  return typeof value === 'string' ? Buffer.from(value).toString() : value
}

/** Checks an action and its fallbacks, however many, from the first to the last, and assembles them from the last. */
function checkChain(path: string, type: ActionType, first: unknown): Action {
  const parts: object[] = []
  const seen = new Set<unknown>()
  let last: Action | undefined
  let link: { at: string; type: ActionType; value: unknown } | undefined = { at: path, type, value: first }
  while (link !== undefined) {
    if (seen.has(link.value)) throw rangeError(link.at, 'fallbacks that come to an end', link.value)
    seen.add(link.value)
    const { rules, defaults } = TYPES[link.type]
    const given: AnyOptions = options(link.at, link.value, rules as Rules<AnyOptions>)
    const { type, fallback, ...own } = given
    if (type !== undefined && type !== link.type) throw rangeError(`${link.at}.type`, `'${link.type}'`, type)
    parts.push({ type: link.type, ...defaults, ...own })
    last = checkedBefore(fallback)
    const at = fallbackPath(path, parts.length)
    link =
      fallback === undefined || last !== undefined ? undefined : { at, type: typeOf(at, fallback), value: fallback }
  }
  return parts.reduceRight<Action | undefined>((fallback, part) => frozen(part, fallback), last) as Action
}

function frozen(part: object, fallback: Action | undefined): Action {
  const action = Object.freeze(fallback === undefined ? part : { ...part, fallback })
  checkedActions.add(action)
  return action as Action
}

function typeOf(path: string, value: unknown): ActionType {
  if (typeof value !== 'object' || value === null) throw typeError(path, 'an action such as truncate()', value)
  const { type } = value as AnyOptions
  if (typeof type === 'string' && Object.hasOwn(TYPES, type)) return type as ActionType
  throw rangeError(`${path}.type`, `one of ${Object.keys(TYPES).join(', ')}`, type)
}

function checkedBefore(value: unknown): Action | undefined {
  return typeof value === 'object' && value !== null && checkedActions.has(value) ? (value as Action) : undefined
}

/** The path of the nth fallback; of a long chain only the number, for written out nobody could read it. */
function fallbackPath(path: string, n: number): string {
  return n <= 5 ? path + '.fallback'.repeat(n) : `${path} (fallback ${n})`
}

const over = number({ min: 0 })

/** Checks bands and gives them from the largest `over` to the smallest. */
export function checkBands(path: string, value: unknown): readonly Band[] {
  const bands = arrayOf(value)
  if (bands === undefined) throw typeError(path, 'an array of bands', value)
  const seen = new Set<number>()
  const checked = bands.map((band, index): Band => {
    const at = `${path}[${index}]`
    const given = options<Band>(at, band, { over, action: checkAction })
    const threshold = over(`${at}.over`, given.over)
    if (seen.has(threshold)) throw rangeError(`${at}.over`, 'another threshold than the other bands have', threshold)
    seen.add(threshold)
    return { over: threshold, action: given.action ?? checkAction(`${at}.action`, undefined) }
  })
  return checked.sort((a, b) => b.over - a.over)
}
