// Two machines: one reduces, the other reads by the handle alone, through each store that both reach. In the middle the
// backend is killed and comes back.
import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, it } from 'vitest'
import { tempDirectory } from '../support/roots.js'
import { numberedLines } from '../support/text.js'
import { type Backend, startBackends } from './services.js'

interface Machine {
  ask(work: string, input?: object): Promise<any>
}
const children: ChildProcess[] = []
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
})

async function machine(kind: Backend['kind'], url: string): Promise<Machine> {
  const place = tempDirectory()
  const child = fork(fileURLToPath(new URL('machine.mjs', import.meta.url)), {
    cwd: place,
    env: { ...process.env, TMPDIR: place, BACKEND: JSON.stringify({ kind, url }) },
    execArgv: [],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  children.push(child)
  const waiting = new Map<number, { done(value: unknown): void; failed(error: Error): void }>()
  const ask = (number: number, message?: object) =>
    new Promise((done, failed) => {
      waiting.set(number, { done, failed })
      if (message !== undefined) child.send(message)
    })
  const ready = ask(0)
  child.on('message', ({ number, answer, error }: { number: number; answer: unknown; error?: string }) => {
    if (error === undefined) waiting.get(number)?.done(answer)
    else waiting.get(number)?.failed(new Error(error))
  })
  // Not at its exit, which may come before its last answer does.
  child.on('disconnect', () => {
    for (const { failed } of waiting.values()) failed(new Error('the machine ended'))
  })
  await ready
  let count = 0
  return { ask: (work, input = {}) => ask(++count, { number: count, work, ...input }) }
}

/** Asks until it is so: reconnecting is the client's business, and takes it a moment. */
async function until<T>(ask: () => Promise<T>, isSo: (answer: T) => boolean): Promise<T> {
  const deadline = Date.now() + 60_000
  for (;;) {
    const answer = await ask()
    if (isSo(answer) || Date.now() > deadline) return answer
    await new Promise((go) => setTimeout(go, 50))
  }
}

for (const { kind, service } of await startBackends()) {
  const title = `two machines over ${kind}`
  if (service.skipped !== undefined) {
    describe.skip(`${title} (${service.skipped})`, () => it('share what they store'))
    continue
  }
  describe(title, () => {
    it('share what they store, and live through the death of the backend', async () => {
      // One after the other: two that set up the tables of one database at once may fail at it.
      const a = await machine(kind, service.url)
      const b = await machine(kind, service.url)
      const text = numberedLines(60_000, (n) => `line ${n} 한`)
      const first = await a.ask('reduce', { id: `${kind}-first`, text })
      expect(first).toMatchObject({ action: 'spill', fallbacks: [] })
      expect((await b.ask('readAll', { handle: first.handle })).text === text).toBe(true)

      await service.kill()
      const without = await a.ask('reduce', { id: `${kind}-without`, text })
      expect(without).toMatchObject({ action: 'truncate', fallbacks: [{ action: 'spill' }] })
      expect(without.fallbacks[0].reason).toMatch(/^store_(failed|timeout)$/)
      // One that this process never read: what it keeps in memory does not answer for the backend.
      expect(await a.ask('read', { input: { handle: first.handle } })).toMatchObject({ problem: 'unavailable' })

      await service.start()
      const again = await until(
        () => a.ask('reduce', { id: `${kind}-again`, text }),
        ({ action }) => action === 'spill',
      )
      expect(again).toMatchObject({ action: 'spill', fallbacks: [] })
      for (const handle of [first.handle, again.handle]) {
        const read = await until(
          () => b.ask('readAll', { handle }),
          ({ found }) => found,
        )
        expect(read.text === text).toBe(true)
      }
      expect(await b.ask('read', { input: { handle: 'shared/nothing.0' } })).toMatchObject({ problem: 'unknown' })
      for (const each of [a, b]) expect(await each.ask('end')).toEqual({ unhandled: [] })
    })
  })
}
