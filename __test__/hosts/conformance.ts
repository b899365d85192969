/**
 * What every host adapter must do, written once.
 *
 * A host registers how to run "these tools, this model script" with its real package; the suite plays the scenarios
 * and judges what the model got, what the host keeps and what was stored:
 *
 * ```ts
 * conformance({
 *   name: 'ai 6',
 *   modes: ['generate', 'stream'],
 *   async run(scenario) { … return { requests, toolNames, persisted, usage } },
 * })
 * ```
 *
 * In `run` a host
 * 1. makes its own tools of `scenario.tools`, protects them with `scenario.limits` through the adapter under test, and
 *    registers the read tool the way a user would;
 * 2. gives the agent a mock model which asks `scenario.script` for every turn, answers any request without tools (that
 *    is a summary) with `scenario.summary`, and bills `TURN_USAGE` for a turn;
 * 3. returns what the model got in each request, and every form in which the host keeps the conversation.
 *
 * A host without a loop of its own (MCP, plain functions) uses `playByHand`. A behaviour that a host cannot show is named in
 * `exceptions` with the reason, and appears as skipped under that reason. Wrong names in `exceptions` fail.
 */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ReduceEvent, ToolOutputLimitsOptions, Warning } from '../../index.js'
import { summarize, type ToolOutputLimits, truncate } from '../../index.js'
import { hostLimits } from './limits.js'

/** A tool of the scenario, before the host's own wrapping. It takes no required arguments. */
export interface ScenarioTool {
  name: string
  /** May answer at once or later, throw, or never answer until `signal` fires. */
  execute(input: unknown, options: { signal?: AbortSignal | undefined }): unknown
}

/** What the model wants next: tool calls, all at once, or a text, which ends the run. */
export type Turn = { calls: ScenarioCall[] } | { text: string }
export interface ScenarioCall {
  id: string
  name: string
  input?: Record<string, unknown>
}

/** One request as the model got it. */
export interface ModelRequest {
  /** The whole request, serialised; its length is what the model is billed for. */
  text: string
  /** Text of every tool result in the request, errors too, by tool-call id; nothing escaped, nothing added. */
  results: Map<string, string>
}

export interface Scenario {
  limits: ToolOutputLimits
  tools: ScenarioTool[]
  /** The model: the turn that follows the `n`-th request, counted from 0. */
  script: (request: ModelRequest, n: number) => Turn
  /** Whether the run streams, for hosts with both modes. */
  mode: 'generate' | 'stream'
  /** To be used as the run's id where the host lets the user choose one. */
  runId: string
  /** Aborts the run. */
  signal?: AbortSignal
  /** What the mock model answers to a request without tools, and what that costs. */
  summary: { text: string; inputTokens: number; outputTokens: number }
}

export interface Outcome {
  /** The requests of the agent itself, without those for summaries. */
  requests: ModelRequest[]
  /** Tools offered to the model in the first request. */
  toolNames: string[]
  /** Everything the host keeps or emits, serialised, by what it is: `history`, `ui messages`, `checkpoint`, `chunks`, … */
  persisted: Record<string, string>
  /** Tokens of the run as the host reports them; undefined where it reports none. */
  usage?: { inputTokens: number; outputTokens: number } | undefined
}

export interface Host {
  name: string
  modes: Scenario['mode'][]
  run(scenario: Scenario): Promise<Outcome>
  /** What the host calls a tool of the scenario. Default: its name. */
  nameOf?(tool: string): string
  /** Behaviours this host cannot show, by name, with the reason. */
  exceptions?: Partial<Record<Behaviour, string>>
}

/** What a mock model bills for one turn of the agent. */
export const TURN_USAGE = { inputTokens: 10, outputTokens: 1 }

/** The read tool's name in every scenario: the default. */
export const READ_TOOL = 'read_tool_result'

/** 4,000 numbered lines, 200 KB: `line 0 …` to `line 3999 …`, so line N of a page is known by its text. */
export function bigLog(label = 'log'): string {
  return Array.from({ length: 4000 }, (_, n) => `line ${n} ${label} ${'.'.repeat(40 - label.length)}\n`).join('')
}

/** A log on which nobody could have agreed by chance: for a second result under the same ids. */
const otherLog = (): string => bigLog('other')

/** The handle in the text that the model got in place of a spilled result. */
export function handleIn(text: string | undefined): string {
  const found = /"handle":\s*("(?:[^"\\]|\\.)*")/.exec(text ?? '')
  if (!found?.[1]) throw new Error(`no handle in what the model got: ${text?.slice(0, 300)}`)
  return JSON.parse(found[1]) as string
}

/**
 * The agent loop of a host that has none: asks the script, calls the tools of a turn in parallel, and hands the
 * results back. `callTool` gives the text the model would see; what it throws becomes the result as `String(error)`.
 */
export async function playByHand(
  scenario: Scenario,
  toolNames: string[],
  callTool: (call: ScenarioCall) => Promise<{ text: string; persisted: unknown }>,
): Promise<Outcome> {
  const requests: ModelRequest[] = []
  const history: unknown[] = [{ role: 'user', content: 'go' }]
  const results = new Map<string, string>()
  for (;;) {
    scenario.signal?.throwIfAborted()
    const request = { text: JSON.stringify(history), results: new Map(results) }
    requests.push(request)
    const turn = scenario.script(request, requests.length - 1)
    history.push({ role: 'assistant', ...turn })
    if ('text' in turn) return { requests, toolNames, persisted: { history: JSON.stringify(history) } }
    const answers = await Promise.all(
      turn.calls.map(async (call) => {
        try {
          return await callTool(call)
        } catch (error) {
          return { text: String(error), persisted: String(error) }
        }
      }),
    )
    for (const [index, call] of turn.calls.entries()) {
      const answer = answers[index]
      if (answer === undefined) continue
      results.set(call.id, answer.text)
      history.push({ role: 'tool', id: call.id, result: answer.persisted })
    }
  }
}

/** What one behaviour works with. */
interface Bench {
  /** Runs a scenario; by default with limits of its own. */
  play(scenario: Partial<Scenario> & Pick<Scenario, 'tools' | 'script'>): Promise<Outcome>
  /** What the host calls a tool. */
  nameOf(tool: string): string
  /** Limits over the test's own store, watched. */
  limits(options?: ToolOutputLimitsOptions): ToolOutputLimits
  /** What was reduced so far by any limits of this test. */
  events: ReduceEvent[]
  warnings: Warning[]
  /** The text stored under a handle. */
  stored(handle: string): Promise<string>
}

const SUMMARY = { text: 'SHORT SUMMARY', inputTokens: 500, outputTokens: 20 }
const call = (id: string, name: string, input: Record<string, unknown> = {}): ScenarioCall => ({ id, name, input })
/** The end of a run, whichever it is; a run that does not end fails by the time limit of the test. */
const settled = (run: Promise<unknown>): Promise<unknown> => Promise.allSettled([run])
const once = (...turns: Turn[]) => {
  return (_request: ModelRequest, n: number): Turn => turns[n] ?? { text: 'done' }
}

const behaviours = {
  'a tool returning 200 KB runs once, is reduced once, and every later request carries the reduced form': async ({
    play,
    events,
    warnings,
    nameOf,
  }) => {
    let executed = 0
    const tools = [
      { name: 'fetch_log', execute: () => (executed++, bigLog()) },
      { name: 'ping', execute: () => 'pong' },
    ]
    const script = once(
      { calls: [call('c1', 'fetch_log')] },
      { calls: [call('c2', 'ping')] },
      { calls: [call('c3', 'ping')] },
    )
    const { requests } = await play({ tools, script })
    expect(executed).toBe(1)
    expect(
      events.filter((event) => event.toolName === nameOf('fetch_log') && event.report.action !== 'none'),
    ).toHaveLength(1)
    expect(requests).toHaveLength(4)
    const first = requests[1]?.results.get('c1')
    expect(first).toContain('line 0 ')
    for (const request of requests.slice(1)) {
      expect(request.results.get('c1')).toBe(first)
      expect(request.text.length).toBeLessThan(12_000)
    }
    expect(requests[3]?.results.get('c2')).toBe('pong')
    expect(warnings).toEqual([]) // a spill warns where nobody registered the read tool
  },

  'everything the host keeps or emits holds the reduced form': async ({ play }) => {
    const tools = [{ name: 'fetch_log', execute: () => bigLog() }]
    const { persisted } = await play({ tools, script: once({ calls: [call('c1', 'fetch_log')] }) })
    expect(Object.keys(persisted)).not.toHaveLength(0)
    for (const [what, text] of Object.entries(persisted)) {
      expect(text.length, what).toBeLessThan(12_000)
      expect(text, what).toContain('line 0 ')
      expect(text, what).not.toContain('line 2000 ')
    }
  },

  'the model reads lines 1,000 to 1,002 back through the registered tool': async ({ play, events, nameOf }) => {
    const tools = [{ name: 'fetch_log', execute: () => bigLog() }]
    const { requests, toolNames } = await play({
      tools,
      script: ({ results }, n) => {
        if (n === 0) return { calls: [call('c1', 'fetch_log')] }
        if (n > 1) return { text: 'done' }
        return { calls: [call('c2', READ_TOOL, { handle: handleIn(results.get('c1')), offset: 1000, limit: 3 })] }
      },
    })
    expect(toolNames).toContain(READ_TOOL)
    const page = requests[2]?.results.get('c2') ?? ''
    for (const line of ['line 1000 ', 'line 1001 ', 'line 1002 ']) expect(page).toContain(line)
    expect(page).not.toContain('line 999 ')
    expect(page).not.toContain('line 1003 ')
    expect(events.map((event) => event.toolName)).toEqual([nameOf('fetch_log')])
  },

  'a page larger than the limit comes back whole': async ({ play }) => {
    const tools = [{ name: 'fetch_log', execute: () => bigLog() }]
    const { requests } = await play({
      tools,
      script: ({ results }, n) => {
        if (n === 0) return { calls: [call('c1', 'fetch_log')] }
        if (n > 1) return { text: 'done' }
        return { calls: [call('c2', READ_TOOL, { handle: handleIn(results.get('c1')), limit: 500 })] }
      },
    })
    const page = requests[2]?.results.get('c2') ?? ''
    expect(page.length).toBeGreaterThan(20_000)
    expect(page).toContain('line 499 ')
  },

  'a result below the limit arrives as it was': async ({ play, events }) => {
    const text = 'x'.repeat(9_000)
    const { requests } = await play({
      tools: [{ name: 'small', execute: () => text }],
      script: once({ calls: [call('c1', 'small')] }),
    })
    expect(requests[1]?.results.get('c1')).toBe(text)
    expect(events).toEqual([])
  },

  'a structured result is reduced, its records being data even where they have a type': async ({
    play,
    events,
    stored,
  }) => {
    const rows = Array.from({ length: 3000 }, (_, id) => ({ type: 'row', id, name: `name ${id}` }))
    const { requests } = await play({
      tools: [{ name: 'rows', execute: () => rows }],
      script: once({ calls: [call('c1', 'rows')] }),
    })
    expect(requests[1]?.text.length).toBeLessThan(12_000)
    const handle = handleIn(requests[1]?.results.get('c1'))
    expect(events).toHaveLength(1)
    expect(JSON.parse(await stored(handle))).toEqual(rows)
  },

  'a tool that throws 20 KB of error text: the model gets all of it': async ({ play, events }) => {
    const trace = `${'at frame\n'.repeat(2_500)}last frame`
    const fail = {
      name: 'fail',
      execute: (): never => {
        throw new Error(trace)
      },
    }
    const { requests } = await play({ tools: [fail], script: once({ calls: [call('c1', 'fail')] }) })
    expect(requests[1]?.results.get('c1')).toContain(trace)
    expect(events).toEqual([])
  },

  'ten parallel calls of one tool get ten handles, each with its own text': async ({ play, stored }) => {
    let n = 0
    const tools = [{ name: 'fetch_log', execute: () => bigLog(`part${n++}`) }]
    const ids = Array.from({ length: 10 }, (_, index) => `p${index}`)
    const { requests } = await play({ tools, script: once({ calls: ids.map((id) => call(id, 'fetch_log')) }) })
    const handles = ids.map((id) => handleIn(requests[1]?.results.get(id)))
    expect(new Set(handles).size).toBe(10)
    const texts = await Promise.all(handles.map(stored))
    expect(new Set(texts)).toEqual(new Set(ids.map((_, index) => bigLog(`part${index}`))))
  },

  'a call made again under the same ids gets a second handle and leaves the first intact': async ({
    play,
    stored,
    limits,
  }) => {
    let n = 0
    const tools = [{ name: 'fetch_log', execute: () => (n++ === 0 ? bigLog() : otherLog()) }]
    const shared = limits()
    const script = once({ calls: [call('same', 'fetch_log')] })
    const first = await play({ tools, script, limits: shared })
    const second = await play({ tools, script, limits: shared })
    const [one, two] = [first, second].map((outcome) => handleIn(outcome.requests[1]?.results.get('same')))
    expect(one).not.toBe(two)
    expect(await stored(one as string)).toBe(bigLog())
    expect(await stored(two as string)).toBe(otherLog())
  },

  'tool-call ids of 1,500 chars make short handles of their own': async ({ play, stored }) => {
    const ids = [`call_${'x'.repeat(1_495)}`, `call_${'x'.repeat(1_494)}y`]
    let n = 0
    const tools = [{ name: 'fetch_log', execute: () => bigLog(`id${n++}`) }]
    const { requests } = await play({ tools, script: once({ calls: ids.map((id) => call(id, 'fetch_log')) }) })
    const handles = ids.map((id) => handleIn(requests[1]?.results.get(id)))
    expect(new Set(handles).size).toBe(2)
    for (const handle of handles) {
      expect(handle.length).toBeLessThan(120)
      expect((await stored(handle)).length).toBe(bigLog('id0').length)
    }
  },

  'tools named like members of Object.prototype are limited as any other': async ({ play }) => {
    const names = ['constructor', 'toString']
    const tools = names.map((name) => ({ name, execute: () => bigLog(name) }))
    const { requests } = await play({ tools, script: once({ calls: names.map((name) => call(`id-${name}`, name)) }) })
    for (const name of names) expect(handleIn(requests[1]?.results.get(`id-${name}`))).toBeTruthy()
  },

  'a run aborted while its tool works ends, and the model is not asked again': async ({ play }) => {
    const controller = new AbortController()
    let isStarted = false
    let turns = 0
    const wait = {
      name: 'wait',
      execute: (_input: unknown, { signal = controller.signal }: { signal?: AbortSignal | undefined }) => {
        isStarted = true
        return new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
          controller.abort()
        })
      },
    }
    const script = (): Turn => (turns++ === 0 ? { calls: [call('c1', 'wait')] } : { text: 'done' })
    await settled(play({ tools: [wait], script, signal: controller.signal }))
    expect(isStarted).toBe(true)
    expect(turns).toBe(1)
  },

  'a run aborted during a summary falls back, and nothing is left hanging': async ({ play, limits, events }) => {
    const controller = new AbortController()
    const never = summarize({
      summarize: () => {
        queueMicrotask(() => controller.abort())
        return new Promise<string>(() => undefined)
      },
      fallback: truncate({ maxChars: 1_000 }),
    })
    const tools = [{ name: 'fetch_log', execute: () => bigLog() }]
    const run = play({
      tools,
      limits: limits({ bands: [{ over: 10_000, action: never }] }),
      script: once({ calls: [call('c1', 'fetch_log')] }),
      signal: controller.signal,
    })
    await settled(run)
    await expect
      .poll(() => events.map((event) => event.report.fallbacks))
      .toEqual([[{ action: 'summarize', reason: 'aborted' }]])
  },

  'a summary is written by the model of the run': async ({ play, limits, events }) => {
    const tools = [{ name: 'fetch_log', execute: () => bigLog() }]
    const { requests } = await play({
      tools,
      limits: limits({ bands: [{ over: 10_000, action: summarize() }] }),
      script: once({ calls: [call('c1', 'fetch_log')] }),
    })
    expect(requests[1]?.results.get('c1')).toBe(SUMMARY.text)
    expect(requests).toHaveLength(2)
    expect(events[0]?.report.usage).toMatchObject({ requests: 1, inputTokens: 500, outputTokens: 20 })
  },

  'the tokens of a summary appear in the usage of the run, once': async ({ play, limits }) => {
    const tools = [
      { name: 'fetch_log', execute: () => bigLog() },
      { name: 'ping', execute: () => 'pong' },
    ]
    const { usage, requests } = await play({
      tools,
      limits: limits({ bands: [{ over: 10_000, action: summarize() }] }),
      script: once({ calls: [call('c1', 'fetch_log')] }, { calls: [call('c2', 'ping')] }),
    })
    expect(requests).toHaveLength(3)
    expect(usage).toEqual({
      inputTokens: 3 * TURN_USAGE.inputTokens + SUMMARY.inputTokens,
      outputTokens: 3 * TURN_USAGE.outputTokens + SUMMARY.outputTokens,
    })
  },

  'ids of the host arrive in the events, with the run': async ({ play, events, nameOf }) => {
    const tools = [{ name: 'fetch_log', execute: () => bigLog() }]
    await play({ tools, script: once({ calls: [call('c1', 'fetch_log')] }), runId: 'run-7' })
    expect(events).toHaveLength(1)
    expect(events[0]).toMatchObject({ toolName: nameOf('fetch_log'), toolCallId: 'c1', runId: 'run-7', retry: 0 })
    expect(events[0]?.report.handle).toBe('run-7/c1.0')
  },
} satisfies Record<string, (bench: Bench) => Promise<void>>

/** The name of a behaviour in the suite. */
export type Behaviour = keyof typeof behaviours

/** Runs every behaviour against a host, in each of its modes. */
export function conformance(host: Host): void {
  describe.each(host.modes)(`${host.name}, %s`, (mode) => {
    const { limits, events, warnings, stored, open, close } = hostLimits('host')
    beforeEach(open)
    afterEach(close)
    const bench = (): Bench => ({
      nameOf: (tool) => host.nameOf?.(tool) ?? tool,
      limits,
      events,
      warnings,
      play: (scenario) =>
        host.run({ mode, runId: 'run', summary: SUMMARY, limits: scenario.limits ?? limits(), ...scenario }),
      stored,
    })

    for (const [name, behave] of Object.entries(behaviours)) {
      const reason = host.exceptions?.[name as Behaviour]
      if (reason === undefined) it(name, () => behave(bench()))
      else it.skip(`${name} [${reason}]`, () => behave(bench()))
    }
  })

  it(`${host.name}: exceptions name behaviours of the suite`, () => {
    for (const name of Object.keys(host.exceptions ?? {})) expect(behaviours).toHaveProperty([name])
  })
}
