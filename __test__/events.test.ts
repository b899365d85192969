import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { WARNING_CODES } from '../api/warnings.js'
import { LocalFileStore, MemoryStore, passthrough, spill, summarize, ToolOutputLimits, truncate } from '../index.js'
import { setup } from './support/limits.js'
import { beyondBaseline, runNode } from './support/package.js'
import { numberedLines } from './support/text.js'

const large = numberedLines(3_000)

describe('onReduce', () => {
  it('tells of every part that reached a band', async () => {
    const { reduce, events } = setup()
    const result = await reduce(large, { content: large, retry: 3 })
    expect(events).toHaveLength(2)
    expect(events[0]).toEqual({
      toolName: 'tool',
      toolCallId: 'call',
      runId: 'run',
      retry: 3,
      part: 'value',
      report: result.report,
      durationMs: expect.any(Number),
    })
    expect(events[1]).toMatchObject({ part: 'content', report: result.contentReport })
    for (const { durationMs } of events) expect(durationMs).toBeGreaterThanOrEqual(0)
  })

  it('does not tell of what is exempt or below every band', async () => {
    const { reduce, events } = setup()
    await reduce('small', { content: 'small' })
    await reduce(large, { toolName: 'read_tool_result' })
    await reduce(new Error(large))
    expect(events).toEqual([])
  })

  it('tells of passthrough and of what could not run', async () => {
    const { reduce, events } = setup({
      perTool: { quiet: [{ over: 0, action: passthrough() }], broken: [{ over: 0, action: summarize() }] },
    })
    await reduce('x', { toolName: 'quiet' })
    await reduce('x', { toolName: 'broken' })
    expect(events.map(({ report }) => [report.action, report.fallbacks.length])).toEqual([
      ['passthrough', 0],
      ['passthrough', 1],
    ])
  })

  it.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('mine')
      },
    ],
    [
      'throws undefined',
      () => {
        throw undefined
      },
    ],
    ['rejects', () => Promise.reject(new Error('mine'))],
    ['never settles', () => new Promise(() => {})],
  ])('that %s changes nothing', async (_, onReduce) => {
    const { reduce } = setup({ onReduce: onReduce as () => void })
    expect((await reduce(large)).report.action).toBe('spill')
  })

  it('holds no text of the output', async () => {
    const { reduce, events, warnings } = setup({
      bands: [{ over: 10, action: spill({ fallback: summarize() }) }],
      readTool: { enabled: false },
    })
    await reduce(`SECRET ${large}`)
    expect(events).toHaveLength(1)
    expect(JSON.stringify([events, warnings])).not.toContain('SECRET')
  })

  beyondBaseline('is also published on the diagnostics channel', async () => {
    const heard: unknown[] = []
    const listener = (message: unknown) => void heard.push(message)
    subscribe('tool-output-limits:reduce', listener)
    try {
      const { reduce, events } = setup()
      await reduce(large, { content: large })
      await reduce('small')
      expect(heard).toHaveLength(2)
      expect(heard).toEqual(events)
    } finally {
      unsubscribe('tool-output-limits:reduce', listener)
    }
  })
})

describe('stats', () => {
  it('count per tool and action', async () => {
    const { limits, reduce } = setup({
      perTool: { cut: [{ over: 10, action: summarize({ fallback: truncate({ maxChars: 5 }) }) }] },
    })
    expect(limits.stats()).toEqual({})
    await reduce('x'.repeat(100), { toolName: 'cut' })
    await reduce('x'.repeat(50), { toolName: 'cut' })
    await reduce('x', { toolName: 'cut' })
    const spilled = await reduce(large)
    expect(limits.stats()).toEqual({
      cut: {
        truncate: { calls: 2, sizeBefore: 150, charsAfter: 10, fallbacks: 2 },
        none: { calls: 1, sizeBefore: 1, charsAfter: 1, fallbacks: 0 },
      },
      tool: { spill: { calls: 1, sizeBefore: large.length, charsAfter: spilled.value.length, fallbacks: 0 } },
    })
  })

  it('are copies', async () => {
    const { limits, reduce } = setup()
    await reduce(large)
    limits.stats().tool!.spill!.calls = 99
    expect(limits.stats().tool!.spill!.calls).toBe(1)
    limits.usage.requests = 99
    expect(limits.usage.requests).toBe(0)
  })

  it('hold the first 1,000 names, then the others together', async () => {
    const { limits, reduce } = setup({ bands: [{ over: 0, action: passthrough() }] })
    for (let i = 0; i < 1_010; i++) await reduce('x', { toolName: `tool_${i}` })
    await reduce('x', { toolName: 'tool_0' })
    const stats = limits.stats()
    expect(Object.keys(stats)).toHaveLength(1_001)
    expect(stats['(other tools)']).toEqual({ passthrough: { calls: 10, sizeBefore: 10, charsAfter: 10, fallbacks: 0 } })
    expect(stats.tool_0!.passthrough!.calls).toBe(2)
  })

  it('take any tool name', async () => {
    const { limits, reduce } = setup({ bands: [{ over: 0, action: passthrough() }] })
    for (const toolName of ['constructor', 'toString', 'a\u0000b']) await reduce('x', { toolName })
    expect(Object.keys(limits.stats()).sort()).toEqual(['a\u0000b', 'constructor', 'toString'])
  })
})

describe('warnings', () => {
  it('have codes that are all in one table, and all of the table are used', () => {
    const project = new URL('../', import.meta.url)
    const codesIn = (folder: string, skip: string) =>
      readdirSync(new URL(folder, project), { recursive: true, encoding: 'utf8' })
        .filter((name) => /\.(ts|rs)$/.test(name) && name !== skip)
        .flatMap((name) => readFileSync(new URL(folder + name, project), 'utf8').match(/\bTOL_[A-Z_]+/g) ?? [])
    // A failure of a call to a model, and a variable of a test.
    const others = ['TOL_NO_MODEL', 'TOL_TEST_PLACE']
    const used = new Set([...codesIn('api/', 'warnings.ts'), ...codesIn('src/', ''), ...codesIn('adapters/', '')])
    expect([...used].filter((code) => !others.includes(code)).sort()).toEqual(Object.keys(WARNING_CODES).sort())
  })

  it('carry a code, the tool, the reason', async () => {
    const { reduce, warnings } = setup({ bands: [{ over: 0, action: summarize() }] })
    await reduce('x', { toolName: 'mine' })
    expect(warnings).toEqual([
      {
        code: expect.stringMatching(/^TOL_[A-Z_]+$/),
        message: expect.any(String),
        toolName: 'mine',
        reason: 'no_model',
      },
    ])
  })

  it('go to process.emitWarning by default, with their code', async () => {
    const { stderr, stdout } = await runNode(
      `process.on('warning', (w) => console.log(w.code))
       const limits = new tol.ToolOutputLimits({ bands: [{ over: 0, action: tol.summarize() }] })
       await limits.reduce('SECRET', { toolName: 'mine' })`,
    )
    expect(stdout).toMatch(/^TOL_[A-Z_]+\n$/)
    expect(stderr).toMatch(/TOL_/)
    expect(stderr).not.toContain('SECRET')
  })

  it.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('mine')
      },
    ],
    [
      'throws a symbol',
      () => {
        throw Symbol('s')
      },
    ],
    ['rejects', () => Promise.reject(new Error('mine'))],
  ])('whose listener %s change nothing', async (_, onWarning) => {
    const { reduce } = setup({ bands: [{ over: 0, action: summarize() }], onWarning: onWarning as () => void })
    expect((await reduce('x')).value).toBe('x')
  })

  it('of one instance do not reach another', async () => {
    const { warnings } = setup()
    const other = new ToolOutputLimits({ bands: [{ over: 0, action: summarize() }], onWarning() {} })
    await other.reduce('x', { toolName: 't' })
    expect(warnings).toEqual([])
  })
})

describe('what is not a result yet', () => {
  it.each([
    ['a promise', Promise.resolve(large), /is a promise: await it$/],
    ['a Response', new Response(large), /is a Response: .*await response\.text\(\)$/],
    ['a stream', new ReadableStream(), /is a stream: read it to its end/],
    ['a generator', (async function* () {})(), /is a generator: collect/],
  ])('is warned of, and stays as it is: %s', async (_, value, message) => {
    const { reduce, warnings } = setup()
    expect((await reduce(value)).value).toBe(value)
    expect(warnings).toEqual([{ code: 'TOL_NOT_AWAITED', message: expect.stringMatching(message), toolName: 'tool' }])
  })

  it('is warned of where an MCP result is expected', async () => {
    const { limits, warnings } = setup()
    const result = Promise.resolve({ content: [{ type: 'text', text: large }] })
    await limits.reduceCallToolResult(result as never, { toolName: 'tool' })
    expect(warnings).toMatchObject([{ code: 'TOL_NOT_AWAITED', message: expect.stringMatching(/promise: await it$/) }])
  })

  it('is told apart from objects that cannot be looked at', async () => {
    const { reduce, warnings } = setup()
    const hostile = {
      get [Symbol.toStringTag](): string {
        throw new Error('of the getter')
      },
    }
    expect((await reduce(hostile)).value).toBe(hostile)
    expect(warnings).toEqual([])
  })
})

it('a process that makes errors of warnings gets its results', async () => {
  const { stdout } = await runNode(
    `process.emitWarning = () => { throw new Error('a warning') }
     const limits = new tol.ToolOutputLimits({ store: new tol.MemoryStore() })
     const { report } = await limits.reduce('x'.repeat(20_000), { toolName: 't' })
     console.log(report.action)`,
  )
  expect(stdout.trim()).toBe('spill')
})

describe('a name in the context that is probably misspelt', () => {
  const told = (warnings: { message: string }[]) => warnings.map(({ message }) => message.replace(/^[^"]*/, ''))

  it.each([
    ['toolcallId', 'toolCallId'],
    ['run_id', 'runId'],
    ['toolMetaData', 'toolMetadata'],
    ['sginal', 'signal'],
  ])('is warned of once: %s', async (name, meant) => {
    const { limits, warnings } = setup()
    for (let n = 0; n < 3; n++) await limits.reduce('x', { toolName: 'tool', [name]: 'id' } as never)
    await limits.extend({ runId: 'other' }).reduceCallToolResult({}, { toolName: 'tool', [name]: 'id' } as never)
    expect(warnings).toEqual([
      {
        code: 'TOL_CONTEXT',
        message: `tool-output-limits: "${name}" in the context of reduce is not known and is ignored: did you mean ${meant}?`,
        toolName: 'tool',
      },
    ])
  })

  it('is seen as long as calls are few, and after that where something is reduced', async () => {
    const { limits, warnings } = setup()
    for (let n = 0; n < 200; n++) await limits.reduce('x', { toolName: 'tool' })
    await limits.reduce('x', { toolName: 'tool', tool_call_id: 'id' } as never)
    expect(warnings).toEqual([])
    await limits.reduce(large, { toolName: 'tool', tool_call_id: 'id' } as never)
    expect(told(warnings)).toEqual([
      '"tool_call_id" in the context of reduce is not known and is ignored: did you mean toolCallId?',
    ])
  })

  it('is none where the right one is given too, or where it is what hosts tell of a call', async () => {
    const { reduce, warnings } = setup()
    await reduce(large, { tool_call_id: 'other' } as never)
    const names =
      'context messages abortSignal experimental_context toolCall state config configurable writer interrupt ' +
      'requestId sessionId authInfo _meta requestContext threadId toolUse tool_use_id tool_input session_id result args'
    await reduce(large, Object.fromEntries(names.split(' ').map((name) => [name, {}])))
    expect(warnings).toEqual([])
  })

  it('never makes a call fail', async () => {
    const { limits, warnings } = setup()
    const hostile = {
      ownKeys(): never {
        throw new Error('of the trap')
      },
    }
    const names = Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [`toolname${n % 10}${'_'.repeat(n)}`, n]))
    await limits.reduce(large, new Proxy({ toolName: 'tool', run_id: 'r' }, hostile))
    await limits.reduce(large, { toolName: 'tool', ...names })
    expect(warnings).toEqual([])
  })
})

it('classes keep their names in a bundle', () => {
  expect([ToolOutputLimits.name, LocalFileStore.name, MemoryStore.name]).toEqual([
    'ToolOutputLimits',
    'LocalFileStore',
    'MemoryStore',
  ])
})
