import { describe, expect, it } from 'vitest'
import {
  type Action,
  type Band,
  LocalFileStore,
  passthrough,
  spill,
  summarize,
  ToolOutputLimits,
  truncate,
} from '../index.js'
import { rendered } from './support/limits.js'
import { newRoot } from './support/roots.js'

type Wrong = Error & { message: string }
/** What a constructor or helper throws, if anything. */
function thrown(make: () => unknown): Wrong | undefined {
  try {
    make()
  } catch (error) {
    return error as Wrong
  }
  return undefined
}
const bands = (...overs: unknown[]) => ({ bands: overs.map((over) => ({ over, action: passthrough() })) })
const action = (given: unknown) => ({ bands: [{ over: 1, action: given }] })

describe('wrong options of ToolOutputLimits', () => {
  /** Options, the option that the message must name, the value it must show. */
  const WRONG: [unknown, string, string?][] = [
    [bands(-1), 'over', '-1'],
    [bands(Number.NaN), 'over', 'NaN'],
    [bands(Number.POSITIVE_INFINITY), 'over', 'Infinity'],
    [bands('100'), 'over', '100'],
    [bands(undefined), 'over', 'undefined'],
    [bands(5, 7, 5), 'over', '5'],
    [{ bands: {} }, 'bands'],
    [{ bands: 'all' }, 'bands', 'all'],
    [{ bands: [null] }, 'bands', 'null'],
    [{ bands: [{ over: 1 }] }, 'action', 'undefined'],
    [{ bands: [{ action: passthrough() }] }, 'over', 'undefined'],
    [{ bands: [{ over: 1, action: passthrough(), under: 2 }] }, 'under'],
    [action(null), 'action', 'null'],
    [action('truncate'), 'action', 'truncate'],
    [action(() => 'x'), 'action'],
    [action({}), 'type', 'undefined'],
    [action({ type: 'shorten' }), 'type', 'shorten'],
    [action({ type: 'constructor' }), 'type', 'constructor'],
    [action({ type: 'truncate', maxchars: 5 }), 'maxchars'],
    [action({ type: 'truncate', strategy: 'middle' }), 'strategy', 'middle'],
    [action({ type: 'truncate', strategy: 'toString' }), 'strategy', 'toString'],
    [action({ type: 'truncate', maxChars: '5' }), 'maxChars', '5'],
    [action({ type: 'truncate', maxChars: Number.NaN }), 'maxChars', 'NaN'],
    [action({ type: 'truncate', keepTailLines: -1 }), 'keepTailLines', '-1'],
    [action({ type: 'truncate', keepTailLines: 1.5 }), 'keepTailLines', '1.5'],
    [action({ type: 'truncate', json: 'yes' }), 'json', 'yes'],
    [action({ type: 'truncate', keepMatching: 'error' }), 'keepMatching', 'error'],
    [action({ type: 'truncate', keepMatching: [5] }), 'keepMatching'],
    [action({ type: 'spill', previewChars: -1 }), 'previewChars', '-1'],
    [action({ type: 'spill', previewChars: 0.5 }), 'previewChars', '0.5'],
    [action({ type: 'spill', previewChars: Number.POSITIVE_INFINITY }), 'previewChars', 'Infinity'],
    [action({ type: 'spill', highlights: true }), 'highlights', 'true'],
    [action({ type: 'spill', preview: 5 }), 'preview'],
    [action({ type: 'summarize', timeoutMs: 0 }), 'timeoutMs', '0'],
    [action({ type: 'summarize', timeoutMs: -5 }), 'timeoutMs', '-5'],
    [action({ type: 'summarize', timeoutMs: Number.POSITIVE_INFINITY }), 'timeoutMs', 'Infinity'],
    [action({ type: 'summarize', summarize: 'me' }), 'summarize', 'me'],
    [action({ type: 'summarize', maxChars: Number.NaN }), 'maxChars', 'NaN'],
    [action({ type: 'passthrough', fallback: passthrough() }), 'fallback'],
    [action({ type: 'spill', fallback: 'truncate' }), 'fallback', 'truncate'],
    [action({ type: 'spill', fallback: { type: 'spill', fallback: { type: 'nope' } } }), 'type', 'nope'],
    [action({ type: 'spill', then: passthrough() }), 'then'],
    [{ perTool: [] }, 'perTool'],
    [{ perTool: 'x' }, 'perTool', 'x'],
    [{ perTool: { build: bands(-2).bands } }, 'build', '-2'],
    [{ perTool: { build: passthrough() } }, 'build'],
    [{ perTool: { '[a': [] } }, '[a'],
    [{ perTool: { '{a,b': [] } }, '{a,b'],
    [{ perTool: { 'a[z-a]': [] } }, 'a[z-a]'],
    [{ toolFilter: ['{a'] }, '{a'],
    [{ toolFilter: 'none' }, 'toolFilter', 'none'],
    [{ toolFilter: [5] }, 'toolFilter', '5'],
    [{ toolFilter: 5 }, 'toolFilter', '5'],
    [{ toolFilter: /log/ }, 'toolFilter', 'a RegExp'],
    [{ toolFilter: new Date() }, 'toolFilter', 'a Date'],
    [{ perTool: new Map() }, 'perTool', 'a Map'],
    [{ store: Promise.resolve() }, 'store', 'a promise, which has to be awaited'],
    [action(spill({ highlights: /(a)\1/ })), 'highlights', 'back-reference'],
    [action(truncate({ keepMatching: /(?=x)/ })), 'keepMatching', '/(?=x)/ cannot be used: look-ahead'],
    [{ tokenizer: 'cl100k' }, 'tokenizer', 'cl100k'],
    [{ serializer: 'yaml' }, 'serializer', 'yaml'],
    [{ serializer: 'toString' }, 'serializer', 'toString'],
    [{ serializer: 5 }, 'serializer', '5'],
    [{ overTokens: 'yes' }, 'overTokens', 'yes'],
    [{ stripAnsi: 1 }, 'stripAnsi', '1'],
    [{ terminal: 'xterm' }, 'terminal', 'xterm'],
    [{ store: {} }, 'store'],
    [{ store: { read() {} } }, 'store'],
    [{ store: { write() {} } }, 'store'],
    [{ store: { write: 'x', read: 'y' } }, 'store'],
    [{ store: '/tmp' }, 'store', '/tmp'],
    [{ store: null }, 'store', 'null'],
    [{ generate: {} }, 'generate'],
    [{ journal: true }, 'journal', 'true'],
    [{ onWarning: 'log' }, 'onWarning', 'log'],
    [{ onReduce: {} }, 'onReduce'],
    [{ onUsage: 5 }, 'onUsage', '5'],
    [{ summaryPrompt: 'Summarize {output}' }, '{tool_name}'],
    [{ summaryPrompt: 'Summarize {tool_name}' }, '{output}'],
    [{ summaryPrompt: '' }, 'summaryPrompt'],
    [{ summaryPrompt: 5 }, 'summaryPrompt', '5'],
    [{ callbackTimeoutMs: 0 }, 'callbackTimeoutMs', '0'],
    [{ callbackTimeoutMs: -1 }, 'callbackTimeoutMs', '-1'],
    [{ callbackTimeoutMs: Number.NaN }, 'callbackTimeoutMs', 'NaN'],
    [{ callbackTimeoutMs: Number.POSITIVE_INFINITY }, 'callbackTimeoutMs', 'Infinity'],
    [{ callbackTimeoutMs: '30' }, 'callbackTimeoutMs', '30'],
    [{ readTool: true }, 'readTool', 'true'],
    [{ readTool: { title: 'x' } }, 'title'],
    [{ readTool: { name: '' } }, 'readTool.name'],
    [{ readTool: { name: 5 } }, 'readTool.name', '5'],
    [{ readTool: { enabled: 'no' } }, 'readTool.enabled', 'no'],
    [{ readTool: { maxLines: 0 } }, 'readTool.maxLines', '0'],
    [{ readTool: { maxLines: Number.POSITIVE_INFINITY } }, 'readTool.maxLines', 'Infinity'],
    [{ readTool: { maxChars: 499 } }, 'readTool.maxChars', '499'],
    [{ readTool: { maxChars: Number.NaN } }, 'readTool.maxChars', 'NaN'],
    [{ readTool: { scope: 'all' } }, 'readTool.scope', 'all'],
    [{ id: '' }, 'id'],
    [{ id: 5 }, 'id', '5'],
    [{ runId: '' }, 'runId'],
    [{ band: [] }, 'band'],
    [{ over_tokens: true }, 'over_tokens'],
    [null, 'options', 'null'],
    [5, 'options', '5'],
    [[], 'options'],
  ]
  it.each(WRONG)('%j: the error names %s', (options, name, shown) => {
    const error = thrown(() => new ToolOutputLimits(options as never))
    expect(error, 'throws').toBeDefined()
    expect(error instanceof RangeError || error instanceof TypeError).toBe(true)
    expect(error!.message).toContain(name)
    if (shown !== undefined) expect(error!.message).toContain(shown)
  })

  it('are shown even where they cannot be turned into text', () => {
    for (const value of [
      Symbol('s'),
      {
        toString() {
          throw new Error('x')
        },
      },
      Object.create(null),
      5n,
      () => 1,
    ]) {
      expect(thrown(() => new ToolOutputLimits({ serializer: [value] as never }))?.message).toContain('serializer')
      expect(
        thrown(() => new ToolOutputLimits({ bands: [{ over: value as never, action: passthrough() }] }))?.message,
      ).toContain('over')
    }
  })
})

describe('wrong options of the action helpers', () => {
  it.each<[string, () => unknown, string]>([
    ['an unknown option', () => truncate({ maxLength: 5 } as never), 'maxLength'],
    ['a strategy', () => truncate({ strategy: 'both' as never }), 'strategy'],
    ['a negative preview', () => spill({ previewChars: -1 }), 'previewChars'],
    ['keepTailLines', () => truncate({ keepTailLines: Number.NaN }), 'keepTailLines'],
    ['a fallback that is none', () => summarize({ fallback: 'passthrough' as unknown as Action }), 'fallback'],
    ['no object', () => truncate(5 as never), 'truncate'],
    ['a timeout', () => summarize({ timeoutMs: Number.NaN }), 'timeoutMs'],
  ])('throw at once: %s', (_, make, name) => {
    const error = thrown(make)
    expect(error instanceof RangeError || error instanceof TypeError).toBe(true)
    expect(error!.message).toContain(name)
  })
})

describe('what takes no options says so', () => {
  const withOptions = (take: () => unknown, ...options: unknown[]) => thrown(() => take.apply(undefined, options as []))

  it('passthrough', () => {
    expect(withOptions(passthrough, { over: 5 })?.message).toBe('passthrough: unknown option "over"; known are none')
    expect(withOptions(passthrough, passthrough())).toBeUndefined()
  })

  it('readToolResult, and where those of the read tool go', () => {
    const limits = new ToolOutputLimits()
    const take = limits.readToolResult.bind(limits)
    expect(withOptions(take, { name: 'read', runId: 'r' })?.message).toMatch(
      /^readToolResult takes no options, got "name", "runId"; name, .*ToolOutputLimits\(\{ readTool: .* runId, .*execute\(/,
    )
    expect(withOptions(take, limits)?.message).toMatch(/^readToolResult takes no options, got an object;/)
    expect(withOptions(take, undefined)).toBeUndefined()
  })
})

describe('wrong options of LocalFileStore', () => {
  it.each<[unknown, string, string?]>([
    [{ root: '' }, 'root'],
    [{ root: 5 }, 'root', '5'],
    [{ root: 'a\0b' }, 'root'],
    [{ root: '~/outputs' }, 'root', '~/outputs'],
    [{ root: '~' }, 'root', 'os.homedir()'],
    [{ cleanupAfterMs: 0 }, 'cleanupAfterMs', '0'],
    [{ cleanupAfterMs: -1 }, 'cleanupAfterMs', '-1'],
    [{ cleanupAfterMs: Number.NaN }, 'cleanupAfterMs', 'NaN'],
    [{ cleanupAfterMs: Number.POSITIVE_INFINITY }, 'cleanupAfterMs', 'Infinity'],
    [{ maxBytes: 0 }, 'maxBytes', '0'],
    [{ maxBytes: -1 }, 'maxBytes', '-1'],
    [{ maxBytes: '1MB' }, 'maxBytes', '1MB'],
    [{ maxFileBytes: 0 }, 'maxFileBytes', '0'],
    [{ maxFileBytes: Number.NaN }, 'maxFileBytes', 'NaN'],
    [{ scope: 'a/b' }, 'scope', 'a/b'],
    [{ scope: 5 }, 'scope', '5'],
    [{ directory: 'x' }, 'directory'],
    [null, 'LocalFileStore', 'null'],
    ['/tmp', 'LocalFileStore'],
  ])('%j: the error names %s', (options, name, shown) => {
    const error = thrown(() => new LocalFileStore(options as never))
    expect(error instanceof RangeError || error instanceof TypeError).toBe(true)
    expect(error!.message).toContain(name)
    if (shown !== undefined) expect(error!.message).toContain(shown)
  })
})

describe('options that are right', () => {
  it.each<[string, unknown]>([
    ['none', undefined],
    ['an empty object', {}],
    [
      'undefined for every one',
      Object.fromEntries(
        [
          'bands',
          'perTool',
          'toolFilter',
          'overTokens',
          'tokenizer',
          'serializer',
          'stripAnsi',
          'terminal',
          'store',
          'model',
          'generate',
          'summaryPrompt',
          'journal',
          'readTool',
          'callbackTimeoutMs',
          'id',
          'runId',
          'onWarning',
          'onReduce',
          'onUsage',
        ].map((key) => [key, undefined]),
      ),
    ],
    ['over 0 and fractions', bands(0, 0.5, 1e15)],
    ['a negative maxChars of truncate', action(truncate({ maxChars: -5 }))],
    ['undefined inside actions', action({ type: 'truncate', maxChars: undefined, fallback: undefined })],
    [
      'every read-tool option',
      { readTool: { name: 'a.b-c_D9', enabled: true, maxLines: 1, maxChars: 500, scope: 'run' } },
    ],
    ['globs', { perTool: { '**': [], '?[!a-c]{x,y*}\\[': [] }, toolFilter: ['*', 'a?'] }],
    ['a model of any kind', { model: Symbol('m') }],
    [
      'options of structure and search',
      {
        terminal: true,
        bands: [
          { over: 1, action: truncate({ json: 'valid', keepMatching: [/x/u.source] }) },
          { over: 2, action: spill({ highlights: /x/ }) },
        ],
      },
    ],
    ['a store with only write and read', { store: { write: () => 'h', read: () => null } }],
    [
      'a class instance as store',
      {
        store: new (class {
          write() {
            return 'h'
          }
          read() {
            return null
          }
        })(),
      },
    ],
  ])('construct: %s', (_, options) => {
    expect(thrown(() => new ToolOutputLimits(options as never))).toBeUndefined()
  })

  it('are copied: later changes of the given object have no effect', async () => {
    const list: Band[] = [{ over: 10, action: truncate({ maxChars: 5 }) }]
    const options = { bands: list, store: new LocalFileStore({ root: newRoot() }), onWarning() {} }
    const limits = new ToolOutputLimits(options)
    list.length = 0
    expect((await limits.reduce('x'.repeat(100), { toolName: 't' })).value).toHaveLength(5)
  })

  it('are not touched', () => {
    const options = Object.freeze({
      bands: Object.freeze([Object.freeze({ over: 1, action: Object.freeze({ type: 'truncate' as const }) })]),
      perTool: Object.freeze({}),
    })
    expect(thrown(() => new ToolOutputLimits(options))).toBeUndefined()
  })

  it('for the serializer: every preset', async () => {
    for (const serializer of ['json', 'indented-json', 'json-lines'] as const)
      expect(await rendered({ a: 1 }, { serializer })).toContain('"a"')
  })

  it('construct without touching the file system', () => {
    expect(thrown(() => new LocalFileStore({ root: '/dev/null/x' }))).toBeUndefined()
  })
})

it.each([[undefined], [null], [5], [new Map()]])('extend refuses %o', (options) => {
  expect(() => new ToolOutputLimits().extend(options as never)).toThrow(/^options: expected an object, got /)
})
