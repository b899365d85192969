import { describe, expect, it } from 'vitest'
import { limitFunction } from '../../adapters/function.js'
import { type ReduceEvent, ToolOutputLimits, truncate } from '../../index.js'
import { warningsOf } from '../support/warnings.js'
import { bigLog, conformance, type Host, handleIn, playByHand, READ_TOOL } from './conformance.js'

const host: Host = {
  name: 'plain functions',
  modes: ['generate'],
  async run(scenario) {
    const { limits, runId, signal } = scenario
    const tools = new Map(
      scenario.tools.map((tool) => {
        const run = (input: unknown, _toolCallId: string): unknown => tool.execute(input, { signal })
        const call = (_input: unknown, toolCallId: string) => ({ toolCallId, runId, signal })
        return [tool.name, limitFunction(run, limits, { toolName: tool.name, call })]
      }),
    )
    const read = limits.readToolResult()
    return playByHand(scenario, [...tools.keys(), read.name], async ({ id, name, input }) => {
      const value = name === READ_TOOL ? await read.execute(input, { runId }) : await tools.get(name)?.(input, id)
      return { text: typeof value === 'string' ? value : JSON.stringify(value), persisted: value }
    })
  },
  exceptions: {
    'a summary is written by the model of the run': 'a function has no model; give the limits one',
    'the tokens of a summary appear in the usage of the run, once': 'there is no run that counts',
  },
}

conformance(host)

describe('limitFunction', () => {
  const limits = new ToolOutputLimits({ bands: [{ over: 10_000, action: truncate({ maxChars: 500 }) }] })

  it('keeps this, arguments and the name', async () => {
    const counter = {
      prefix: 'n=',
      show(this: { prefix: string }, n: number, unit: string) {
        return `${this.prefix}${n}${unit}`
      },
    }
    const limited = limitFunction(counter.show, limits)
    expect(limited.name).toBe('show')
    expect(await limited.call(counter, 3, 'px')).toBe('n=3px')
  })

  it('gives a result below the limit by reference', async () => {
    const value = { rows: [1, 2, 3] }
    expect(await limitFunction(() => value, limits, { toolName: 'rows' })()).toBe(value)
  })

  it('throws on what the function throws, the very error', async () => {
    const error = new Error('x'.repeat(20_000))
    const fail = limitFunction(
      () => {
        throw error
      },
      limits,
      { toolName: 'fail' },
    )
    await expect(fail()).rejects.toBe(error)
  })

  it('limits once, also when it is applied twice', async () => {
    const once = limitFunction(bigLog, limits)
    expect(limitFunction(once, limits)).toBe(once)
    expect((await once())?.length).toBeLessThanOrEqual(500)
  })

  it('takes the ids of what call gives, and nothing else', async () => {
    const events: ReduceEvent[] = []
    const watched = limits.extend({ onReduce: (event) => events.push(event) })
    const request = { toolName: 'other', content: bigLog(), toolCallId: 'c1', runId: 'r', retry: 1 }
    const limited = limitFunction(bigLog, watched, { toolName: 'mine', call: () => request })
    await limited()
    expect(events).toMatchObject([{ toolName: 'mine', toolCallId: 'c1', runId: 'r', retry: 1, part: 'value' }])
  })

  it('takes no retry that is none: the result is not lost for it, nor are the other ids', async () => {
    const events: ReduceEvent[] = []
    const watched = limits.extend({ onReduce: (event) => events.push(event) })
    const retries: unknown[] = [-1, null, 'twice']
    const call = () => ({ toolCallId: 'c', retry: retries.shift() as number })
    const limited = limitFunction(bigLog, watched, { toolName: 'mine', call })
    const told = await warningsOf(async () => {
      for (let n = 0; n < 3; n++) expect((await limited()).length).toBeLessThanOrEqual(500)
    })
    expect(events).toMatchObject(Array.from({ length: 3 }, () => ({ toolCallId: 'c', retry: 0 })))
    expect(told.map(({ message }) => message.replace(/^.*gave a /, ''))).toEqual([
      'retry of -1: it must be a whole number ≥ 0',
      'retry of "twice": it must be a whole number ≥ 0',
    ])
  })

  it('makes handles of their own for calls without ids', async () => {
    const files = new Map<string, Uint8Array>()
    const store = {
      write: (key: string, data: Uint8Array) => (files.set(key, data), key),
      read: (handle: string) => files.get(handle),
    }
    const spilling = new ToolOutputLimits({ store })
    spilling.readToolResult()
    const limited = limitFunction(bigLog, spilling)
    const handles = (await Promise.all([limited(), limited()])).map(handleIn)
    expect(new Set(handles).size).toBe(2)
    expect([...files.keys()].sort()).toEqual(handles.sort())
  })

  it.each([
    ['no function', 3],
    ['a function without a name', () => 1],
  ])('refuses %s', (_comment, fn) => {
    expect(() => limitFunction(fn as () => unknown, limits, { toolName: fn === 3 ? 'x' : undefined })).toThrow(
      TypeError,
    )
  })
})
