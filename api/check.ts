import { builtIn, describe } from '../common/describe.js'
import { hasTilde } from '../common/tilde.js'
import type {
  Band,
  Generate,
  Journal,
  LocalFileStoreOptions,
  MemoryStoreOptions,
  OverflowStore,
  PruneOptions,
  ReadToolOptions,
  ToolFilter,
  ToolOutputLimitsOptions,
} from '../index.js'
import { checkBands, spill, truncate } from './actions.js'
import {
  anything,
  arrayOf,
  boolean,
  callable,
  nonEmptyString,
  number,
  oneOf,
  options,
  plainObject,
  type Rules,
  rangeError,
  typeError,
} from './expect.js'

/** The options of an instance, every one checked and with its default. */
export interface CheckedOptions {
  /** From the largest `over` to the smallest. */
  readonly bands: readonly Band[]
  /** In the order given; a name that is a glob stands for itself as well. */
  readonly perTool: readonly (readonly [name: string, bands: readonly Band[]])[]
  readonly toolFilter: ToolFilter
  readonly overTokens: boolean
  readonly tokenizer: ToolOutputLimitsOptions['tokenizer']
  readonly serializer: NonNullable<ToolOutputLimitsOptions['serializer']>
  readonly stripAnsi: boolean
  readonly terminal: boolean
  /** Absent: the store in the default place, made when it is first needed. */
  readonly store: OverflowStore | undefined
  readonly model: unknown
  readonly generate: Generate | undefined
  readonly summaryPrompt: string | undefined
  readonly journal: Journal | undefined
  readonly readTool: CheckedReadTool
  readonly callbackTimeoutMs: number
  readonly id: string
  /** Absent: random per instance. */
  readonly runId: string | undefined
  readonly onWarning: ToolOutputLimitsOptions['onWarning']
  readonly onReduce: ToolOutputLimitsOptions['onReduce']
  readonly onUsage: ToolOutputLimitsOptions['onUsage']
}

export interface CheckedReadTool {
  readonly name: string
  readonly enabled: boolean
  readonly maxLines: number
  readonly maxChars: number
  readonly scope: 'store' | 'run'
}

/** Tells why a glob does not parse; undefined where it does. */
export type GlobCheck = (glob: string) => string | undefined

const SERIALIZERS = ['json', 'indented-json', 'json-lines']
const PLACEHOLDERS = ['{tool_name}', '{output}']
const TOOL_NAME = /^[A-Za-z0-9_.-]{1,128}$/
const SCOPE = /^[a-z0-9_-]{1,40}$/
/** Names that Windows keeps for devices, whatever follows the dot. */
const DEVICE = /^(con|prn|aux|nul|com[0-9]|lpt[0-9]|conin|conout)$/
const GLOB_CHARS = /[*?[\]{}\\]/

/** Whether a name of a tool is a pattern for many names. */
function isGlob(name: string): boolean {
  return GLOB_CHARS.test(name)
}

/** Checks the options of `new ToolOutputLimits()`; throws a RangeError or TypeError that names the option and its value. */
export function checkOptions(given: ToolOutputLimitsOptions | undefined, checkGlob: GlobCheck): CheckedOptions {
  const checked = options<RawOptions>('options', given === undefined ? {} : given, {
    ...RULES,
    ...nameRules(checkGlob),
  })
  const readTool = checked.readTool ?? {}
  return {
    bands: checked.bands ?? [{ over: 10_000, action: spill({ fallback: truncate() }) }],
    perTool: checked.perTool ?? [],
    toolFilter: checked.toolFilter ?? 'all',
    overTokens: checked.overTokens ?? false,
    tokenizer: checked.tokenizer,
    serializer: checked.serializer ?? 'json',
    stripAnsi: checked.stripAnsi ?? false,
    terminal: checked.terminal ?? false,
    store: checked.store,
    model: checked.model,
    generate: checked.generate,
    summaryPrompt: checked.summaryPrompt,
    journal: checked.journal,
    readTool: {
      name: readTool.name ?? 'read_tool_result',
      enabled: readTool.enabled ?? true,
      maxLines: readTool.maxLines ?? 1_000,
      maxChars: readTool.maxChars ?? 50_000,
      scope: readTool.scope ?? 'store',
    },
    callbackTimeoutMs: checked.callbackTimeoutMs ?? 30_000,
    id: checked.id ?? 'tool_output_limits',
    runId: checked.runId,
    onWarning: checked.onWarning,
    onReduce: checked.onReduce,
    onUsage: checked.onUsage,
  }
}

/** Checks the options of `new LocalFileStore()` in the same way; what is absent stays absent. */
export function checkStoreOptions(given: LocalFileStoreOptions | undefined): LocalFileStoreOptions {
  return options<LocalFileStoreOptions>('LocalFileStore', given === undefined ? {} : given, STORE_RULES)
}

/** Checks the options of `new MemoryStore()` in the same way. */
export function checkMemoryStoreOptions(given: MemoryStoreOptions | undefined): MemoryStoreOptions {
  return options<MemoryStoreOptions>('MemoryStore', given === undefined ? {} : given, {
    maxBytes: number({ above: 0 }),
  })
}

const PRUNE_RULES: Rules<PruneOptions> = {
  olderThanMs: number({ min: 0 }),
  runId(path, value) {
    if (typeof value === 'number') return String(value)
    if (typeof value === 'string') return value
    throw typeError(path, 'a string', value)
  },
}

/**
 * Checks the options of `prune()` in the same way. One that is there but undefined is refused: whoever meant to name a
 * run would delete those of all.
 */
export function checkPruneOptions(given: PruneOptions | undefined): PruneOptions {
  const checked = options<PruneOptions>('prune', given === undefined ? {} : given, PRUNE_RULES)
  for (const [name, value] of Object.entries(given ?? {})) {
    if (value === undefined) throw typeError(`prune.${name}`, 'a value; leave it out to delete of all', value)
  }
  return checked
}

/** Checks that a store given with a call can be used; throws a TypeError that names `path`. */
function checkStore(path: string, value: unknown): OverflowStore {
  if (isStore(value)) return value
  const made = typeof value === 'function' ? ', made with new' : ''
  throw typeError(path, `a store with write and read functions${made}`, value)
}

type RawOptions = Omit<ToolOutputLimitsOptions, 'perTool'> & { perTool?: CheckedOptions['perTool'] | undefined }
type OptionWithNames = 'perTool' | 'toolFilter'

const READ_TOOL_RULES: Rules<ReadToolOptions> = {
  name(path, value) {
    if (typeof value === 'string' && TOOL_NAME.test(value)) return value
    throw rangeError(path, 'a tool name of 1 to 128 chars of A-Z, a-z, 0-9, _, . and -', value)
  },
  enabled: boolean,
  maxLines: number({ min: 1, whole: true }),
  maxChars: number({ min: 500, whole: true }),
  scope: oneOf('store', 'run'),
}

const RULES: Omit<Rules<RawOptions>, OptionWithNames> = {
  bands: checkBands,
  overTokens: boolean,
  tokenizer: callable(),
  serializer(path, value) {
    const isName = typeof value === 'string'
    if (typeof value === 'function' || (isName && SERIALIZERS.includes(value))) {
      return value as CheckedOptions['serializer']
    }
    throw (isName ? rangeError : typeError)(path, `${SERIALIZERS.map(describe).join(', ')} or a function`, value)
  },
  stripAnsi: boolean,
  terminal: boolean,
  store: checkStore,
  model: anything,
  generate: callable(),
  summaryPrompt(path, value) {
    const template = nonEmptyString(path, value)
    for (const placeholder of PLACEHOLDERS) {
      if (!template.includes(placeholder)) throw rangeError(path, `a template with ${placeholder}`, value)
    }
    return template
  },
  journal: callable(),
  readTool: (path, value) => options(path, value, READ_TOOL_RULES),
  callbackTimeoutMs: number({ above: 0 }),
  id: nonEmptyString,
  runId: nonEmptyString,
  onWarning: callable(),
  onReduce: callable(),
  onUsage: callable(),
}

const STORE_RULES: Rules<LocalFileStoreOptions> = {
  root(path, value) {
    const root = nonEmptyString(path, value)
    if (root.includes('\0')) throw typeError(path, 'a path without NUL', value)
    // Only a shell knows what it stands for; here it would make a directory of that name.
    if (hasTilde(root)) throw typeError(path, 'a path that spells ~ out, as os.homedir() does', value)
    return root
  },
  cleanupAfterMs: number({ above: 0 }),
  maxBytes: number({ above: 0 }),
  maxFileBytes: number({ above: 0 }),
  scope(path, value) {
    if (typeof value !== 'string') throw typeError(path, 'a string', value)
    if (SCOPE.test(value) && !DEVICE.test(value)) return value
    throw rangeError(path, '1 to 40 chars of a-z, 0-9, _ and - that are no device name', value)
  },
}

/** The rules for options that hold names of tools, which may be globs. */
function nameRules(checkGlob: GlobCheck): Pick<Rules<RawOptions>, OptionWithNames> {
  const toolName = (path: string, name: string): string => {
    const problem = isGlob(name) ? checkGlob(name) : undefined
    if (problem === undefined) return name
    throw rangeError(path, `a tool name or a glob that parses (${problem})`, name)
  }
  return {
    perTool(path, value) {
      const given = plainObject(path, value)
      return Object.keys(given).map((name) => {
        const at = `${path}[${describe(name)}]`
        return [toolName(at, name), checkBands(at, given[name])] as const
      })
    },
    toolFilter(path, value) {
      if (value === 'all' || typeof value === 'function') return value as ToolFilter
      const names = arrayOf(value)
      if (names !== undefined) {
        return names.map((name, index) => {
          if (typeof name === 'string') return toolName(path, name)
          throw typeError(`${path}[${index}]`, 'a tool name or a glob', name)
        })
      }
      if (typeof value === 'object' && value !== null && builtIn(value) === undefined) return plainObject(path, value)
      throw typeError(path, "'all', an array of names, an object or a predicate", value)
    },
  }
}

function isStore(value: unknown): value is OverflowStore {
  if (typeof value !== 'object' || value === null) return false
  const { write, read } = value as Partial<OverflowStore>
  return typeof write === 'function' && typeof read === 'function'
}
