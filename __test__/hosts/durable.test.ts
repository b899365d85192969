// Journals against real durable engines: on resume a summary is taken from the record, and no model is called.
import { InngestTestEngine } from '@inngest/test'
import {
  Annotation,
  Command,
  END,
  entrypoint,
  interrupt,
  MemorySaver,
  START,
  StateGraph,
  task,
} from '@langchain/langgraph'
import { Inngest } from 'inngest'
import {
  type Journal,
  type SummaryRequest,
  type SummaryResponse,
  summarize,
  ToolOutputLimits,
  truncate,
} from 'tool-output-limits'
import { describe, expect, it } from 'vitest'

const log = Array.from({ length: 3_000 }, (_, n) => `line ${n}\n`).join('')
const SUMMARY = { text: 'SHORT', usage: { requests: 1, inputTokens: 100, outputTokens: 5 } }

/** A model that counts, and limits whose summaries it makes. */
function counted() {
  const asked: SummaryRequest[] = []
  const usages: number[] = []
  const make = (journal?: Journal) =>
    new ToolOutputLimits({
      generate: (request): SummaryResponse => {
        asked.push(request)
        return SUMMARY
      },
      ...(journal && { journal }),
      bands: [{ over: 1_000, action: summarize({ fallback: truncate() }) }],
      onUsage: ({ usage }) => void usages.push(usage.requests),
      onWarning: ({ message }) => {
        throw new Error(message)
      },
    })
  return { asked, usages, make }
}

describe('LangGraph', () => {
  const journal: Journal = (operation, run) => task(operation.id, run)(operation.input)
  const ids = { toolName: 'logs', runId: 'thread', toolCallId: 'call' }
  const State = Annotation.Root({ output: Annotation<string>, approved: Annotation<boolean> })

  it.each([
    ['interrupted after the summary', 1],
    ['interrupted three times', 3],
  ])('a node %s takes it from the checkpoint when it runs again', async (_, interrupts) => {
    const { asked, usages, make } = counted()
    const checkpointer = new MemorySaver()
    let runs = 0
    // Nothing but the checkpoint outlives the interrupt: as in another process, all else is made anew.
    const graphOf = (limits: ToolOutputLimits) =>
      new StateGraph(State)
        .addNode('tools', async () => {
          runs++
          const { value } = await limits.reduce(log, ids)
          let approved = true
          for (let n = 0; n < interrupts; n++) approved = interrupt<string, boolean>(`ok ${n}?`) && approved
          return { output: value, approved }
        })
        .addEdge(START, 'tools')
        .addEdge('tools', END)
        .compile({ checkpointer })
    const config = { configurable: { thread_id: 'thread' } }
    const first = make(journal)
    await graphOf(first).invoke({ output: '', approved: false }, config)
    expect(asked).toHaveLength(1)
    expect(first.usage.requests).toBe(1)
    for (let n = 0; n < interrupts; n++) {
      const again = make(journal)
      const state = await graphOf(again).invoke(new Command({ resume: true }), config)
      expect(again.usage.requests).toBe(0)
      if (n === interrupts - 1) expect(state).toMatchObject({ output: 'SHORT', approved: true })
    }
    expect(runs).toBe(interrupts + 1)
    expect(asked).toHaveLength(1)
    expect(usages).toEqual([1])
  })

  it('an entrypoint with several calls keeps their summaries apart', async () => {
    const { asked, make } = counted()
    const checkpointer = new MemorySaver()
    const flowOf = (limits: ToolOutputLimits) =>
      entrypoint({ name: 'flow', checkpointer }, async (count: number) => {
        const results: string[] = []
        for (let n = 0; n < count; n++) {
          const { value, report } = await limits.reduce(`${n} ${log}`, { ...ids, toolCallId: `call${n}` })
          results.push(`${report.action} ${value}`)
        }
        return { results, answer: interrupt<string, string>('go on?') }
      })
    const config = { configurable: { thread_id: 'flow' } }
    await flowOf(make(journal)).invoke(3, config)
    const done = await flowOf(make(journal)).invoke(new Command({ resume: 'yes' }), config)
    expect(done).toEqual({ results: Array(3).fill('summarize SHORT'), answer: 'yes' })
    expect(asked).toHaveLength(3)
  })

  it('without a journal the model is called again', async () => {
    const { asked, make } = counted()
    const flow = entrypoint({ name: 'flow', checkpointer: new MemorySaver() }, async (_: number) => {
      const { value } = await make().reduce(log, ids)
      return { value, answer: interrupt<string, string>('go on?') }
    })
    const config = { configurable: { thread_id: 'flow' } }
    await flow.invoke(1, config)
    await flow.invoke(new Command({ resume: 'yes' }), config)
    expect(asked).toHaveLength(2)
  })
})

describe('Inngest', () => {
  const inngest = new Inngest({ id: 'durable', isDev: true })

  /** A function with a summary between two steps, and how often each of its parts ran. */
  function flow() {
    const { asked, usages, make } = counted()
    const ran = { function: 0, before: 0, after: 0 }
    const instances: ToolOutputLimits[] = []
    const durable = inngest.createFunction({ id: 'flow', triggers: [{ event: 'go' }] }, async ({ step }) => {
      ran.function++
      const journal: Journal = async (operation, run) =>
        (await step.run(operation.id, () => run(operation.input))) as SummaryResponse
      const limits = make(journal)
      instances.push(limits)
      const output = await step.run('before', () => {
        ran.before++
        return log
      })
      const { value, report } = await limits.reduce(output, { toolName: 'logs', runId: 'run', toolCallId: 'call' })
      await step.run('after', () => {
        ran.after++
      })
      return { value, action: report.action, spent: limits.usage.requests }
    })
    return { asked, usages, ran, instances, durable }
  }

  it('runs the function again for every step, and calls the model once', async () => {
    const { asked, usages, ran, durable } = flow()
    const { result, error } = await new InngestTestEngine({ function: durable }).execute()
    expect(error).toBeUndefined()
    // The last execution took the summary from the record: it spent nothing.
    expect(result).toEqual({ value: 'SHORT', action: 'summarize', spent: 0 })
    expect(ran).toMatchObject({ before: 1, after: 1 })
    expect(ran.function).toBeGreaterThan(2)
    expect(asked).toHaveLength(1)
    expect(usages).toEqual([1])
  })

  it('resumed from its record calls the model zero more times', async () => {
    const { asked, usages, durable } = flow()
    const steps = [
      { id: 'before', handler: () => log },
      { id: await idOfOperation(), handler: () => SUMMARY },
    ]
    const { result } = await new InngestTestEngine({ function: durable, steps }).execute()
    expect(result).toEqual({ value: 'SHORT', action: 'summarize', spent: 0 })
    expect(asked).toHaveLength(0)
    expect(usages).toEqual([])
  })

  it('records plain JSON: what the model was asked without the output twice, and its answer', async () => {
    const operations: Parameters<Journal>[0][] = []
    const { make } = counted()
    const limits = make((operation, run) => {
      operations.push(operation)
      return run(operation.input)
    })
    await limits.reduce(log, { toolName: 'logs', runId: 'run', toolCallId: 'call' })
    expect(JSON.parse(JSON.stringify(operations))).toEqual(operations)
    expect(Object.keys(operations[0]!.input as object).sort()).toEqual(['maxChars', 'prompt', 'toolName'])
  })

  async function idOfOperation(): Promise<string> {
    const ids: string[] = []
    const { make } = counted()
    const limits = make((operation) => {
      ids.push(operation.id)
      return Promise.resolve(SUMMARY)
    })
    await limits.reduce(log, { toolName: 'logs', runId: 'run', toolCallId: 'call' })
    return ids[0]!
  }
})
