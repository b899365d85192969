// Threads, copies, ends in mid-call: whatever happens around a call stays where it happened.
import { AsyncLocalStorage } from 'node:async_hooks'
import { copyFileSync, mkdirSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { LocalFileStore, spill, summarize, ToolOutputLimits, truncate } from '../index.js'
import { setup } from './support/limits.js'
import { beyondBaseline, entry, runNode, underTest } from './support/package.js'
import { keysOf, newRoot, storedText, tempDirectory } from './support/roots.js'
import { numberedLines } from './support/text.js'

const large = numberedLines(3_000)
const lines = (text: string) => text.split('\n').filter(Boolean)

/** What an addon can break in a process or thread, plain JavaScript cannot. */
const describeNative = describe.runIf(underTest === 'native')
if (underTest !== 'native') console.log('skipped: ends, threads and copies, for the baseline has no addon')

/** Limits whose every callback is `hit(name, good answer)`; one of the names is asked for by each call of CALLS. */
const CALLBACKS = `
  const large = 'line of text\\n'.repeat(2_000)
  const { ToolOutputLimits, spill, summarize, truncate } = tol
  const files = new Map()
  const make = (hit, more) => {
    const over = (action) => [{ over: 100, action }]
    const store = {
      write: (key, data) => (files.set(key, data), hit('write', key)), read: (key) => hit('read', files.get(key)),
    }
    const ranged = { ...store, write: (key, data) => (files.set(key, data), key),
      size: (key) => hit('size', files.get(key).length),
      readRange: (key, start, end) => hit('readRange', files.get(key).subarray(start, end)),
      exempts: () => hit('exempts', false), readInstruction: () => hit('readInstruction', 'cat it') }
    const undone = { ...store, write: (key) => key + 'h'.repeat(50_000), delete: () => hit('delete') }
    const cut = truncate({ maxChars: 50 })
    const limits = (options) => new ToolOutputLimits({ onWarning() {}, ...more, ...options })
    const one = (options) => () => limits(options).reduce({ large }, { toolName: 't', runId: 'r', toolCallId: 'c' })
    const read = (store) => () => (files.set('k', Buffer.from(large)), limits({ store }).read({ handle: 'k', limit: 3 }))
    const fast = more?.callbackTimeoutMs === undefined ? {} : { timeoutMs: more.callbackTimeoutMs }
    return {
      tokenizer: one({ overTokens: true, tokenizer: () => hit('tokenizer', 5_000), bands: over(cut) }),
      serializer: one({ serializer: () => hit('serializer', large), bands: over(cut) }),
      toolFilter: one({ toolFilter: () => hit('toolFilter', true), bands: over(cut) }),
      generate: one({ generate: () => hit('generate', 'short'), bands: over(summarize({ ...fast, fallback: cut })) }),
      summarize: one({ bands: over(summarize({ ...fast, summarize: () => hit('summarize', 'short'), fallback: cut })) }),
      journal: one({ generate: () => 'short', journal: () => hit('journal', { text: 'short' }), bands: over(summarize({ ...fast, fallback: cut })) }),
      write: one({ store, bands: over(spill({ fallback: cut })) }),
      exempts: one({ store: ranged, bands: over(cut) }),
      readInstruction: one({ store: ranged, bands: over(spill()) }),
      delete: one({ store: undone, bands: over(spill()) }),
      read: read(store), size: read(ranged), readRange: read(ranged),
      onReduce: one({ onReduce: () => hit('onReduce'), bands: over(cut) }),
      onWarning: one({ onWarning: () => hit('onWarning'), bands: over(summarize()) }),
      onUsage: one({ onUsage: () => hit('onUsage'), generate: () => 'short', bands: over(summarize()) }),
    }
  }`
const NAMES = [
  'tokenizer',
  'serializer',
  'toolFilter',
  'generate',
  'summarize',
  'journal',
  'write',
  'exempts',
  'readInstruction',
  'delete',
  'read',
  'size',
  'readRange',
  'onReduce',
  'onWarning',
  'onUsage',
]

describeNative('ten workers with an instance each and one store', () => {
  it("share results: equal ones once, different ones apart, each read by the others' handles", async () => {
    const root = newRoot()
    const { code, stdout, stderr } = await runNode(
      `import { Worker } from 'node:worker_threads'
       const script = \`(async () => {
         const tol = await import(${JSON.stringify(entry)})
         const { parentPort, workerData: n } = require('node:worker_threads')
         const limits = new tol.ToolOutputLimits({
           store: new tol.LocalFileStore({ root: process.env.ROOT }), overTokens: true, tokenizer: async (text) => text.length,
           toolFilter: async () => true, onReduce() {}, onWarning() {},
         })
         limits.readToolResult()
         const handles = []
         for (let i = 0; i < 10; i++) {
           const same = limits.reduce('same\\\\n'.repeat(4_000), { toolName: 't', runId: 'shared', toolCallId: 'c' + i })
           const other = limits.reduce(('worker ' + n + '\\\\n').repeat(2_000), { toolName: 't', runId: 'contested', toolCallId: 'c' + i })
           handles.push((await same).report.handle, (await other).report.handle)
         }
         parentPort.once('message', async (all) => {
           let read = 0
           for (const handle of all) {
             const page = await limits.read({ handle, limit: 1, from_end: true })
             if (page.found && /^(same|worker \\\\d)\\\\n$/.test(page.text)) read++
           }
           parentPort.postMessage(read)
         })
         parentPort.postMessage(handles)
       })()\`
       const workers = Array.from({ length: 10 }, (_, n) => new Worker(script, { eval: true, execArgv: [], workerData: n }))
       const exits = Promise.all(workers.map((worker) => new Promise((resolve) => worker.once('exit', resolve))))
       const next = (worker) => new Promise((resolve, reject) => { worker.once('message', resolve); worker.once('error', reject) })
       const handles = new Set((await Promise.all(workers.map(next))).flat())
       const answers = workers.map(next)
       for (const worker of workers) worker.postMessage([...handles])
       console.log(handles.size, ...(await Promise.all(answers)))
       console.log(...await exits)`,
      { env: { ROOT: root }, timeoutMs: 90_000 },
    )
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    // 10 shared results, and 10 keys under which ten workers each wrote something else.
    expect(lines(stdout)).toEqual([`110 ${Array(10).fill(110).join(' ')}`, Array(10).fill(0).join(' ')])
    expect(keysOf(root).filter((key) => key.startsWith('shared/'))).toHaveLength(10)
    expect(keysOf(root).filter((key) => key.startsWith('contested/'))).toHaveLength(100)
  }, 100_000)
})

describeNative('a worker terminated in the middle of a callback', () => {
  it.each([
    ['that hangs', 'new Promise(() => {})'],
    ['that never ends', '(() => { for (;;); })()'],
  ])(
    '%s, whichever it is: the main thread goes on',
    async (_, body) => {
      const { code, signal, stdout, stderr } = await runNode(
        `import { Worker } from 'node:worker_threads'
       const script = \`(async () => {
         const tol = await import(${JSON.stringify(entry)})
         const { parentPort, workerData: asked } = require('node:worker_threads')
         ${CALLBACKS.replaceAll('\\', '\\\\')}
         const calls = make((name, answer) => {
           if (name !== asked) return answer
           parentPort.postMessage(name)
           return ${body}
         })
         setInterval(() => {}, 1_000)
         for (let i = 0; i < 5; i++) calls[asked]()
       })()\`
       for (const name of ${JSON.stringify(NAMES)}) {
         const worker = new Worker(script, { eval: true, execArgv: [], workerData: name })
         const asked = await new Promise((resolve, reject) => { worker.once('message', resolve); worker.once('error', reject) })
         await worker.terminate()
         console.log(asked)
       }
       ${CALLBACKS}
       const all = make((name, answer) => answer)
       for (const name in all) await all[name]()
       console.log('end')`,
        { timeoutMs: 90_000 },
      )
      expect({ code, signal, stderr }).toEqual({ code: 0, signal: null, stderr: '' })
      expect(lines(stdout)).toEqual([...NAMES, 'end'])
    },
    100_000,
  )
})

describeNative('a process that exits', () => {
  it.each(NAMES)('in the middle of the callback %s ends with its own code', async (name) => {
    const { code, signal, stderr } = await runNode(
      `${CALLBACKS}
       const calls = make((name, answer) => name === ${JSON.stringify(name)} ? process.exit(7) : answer)
       for (let i = 0; i < 8; i++) calls[${JSON.stringify(name)}]()`,
    )
    expect({ code, signal, stderr }).toEqual({ code: 7, signal: null, stderr: '' })
  })
})

describeNative('under --trace-uncaught --unhandled-rejections=strict', () => {
  it('every callback may do everything, and the process is none the wiser', async () => {
    const { code, signal, stdout, stderr } = await runNode(
      `${CALLBACKS}
       const BEHAVIOURS = [
         () => { throw new Error('x') }, () => { throw 'x' }, () => { throw undefined }, () => { throw Symbol('x') }, () => { throw null },
         () => Promise.reject(new Error('x')), () => Promise.reject(), () => Promise.reject(Symbol('x')),
         () => new Promise(() => {}), () => ({ then() { throw 1 } }), () => ({ get then() { throw 1 } }), () => ({ then() {} }),
         () => ({ then(resolve, reject) { reject(1); reject(2); throw 3 } }),
         () => new Proxy(() => {}, { get() { throw 1 }, has() { throw 1 }, getPrototypeOf() { throw 1 }, ownKeys() { throw 1 } }),
         () => { const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); return proxy },
         () => ({}), () => [], () => Symbol('x'), () => () => 1, () => 5n, () => NaN, () => -1, () => '', () => null, () => true,
         () => new Promise((_, reject) => setTimeout(reject, 40, new Error('late'))), (good) => new Promise((resolve) => setTimeout(resolve, 40, good)),
       ]
       let cells = 0
       for (const behave of BEHAVIOURS) {
         const calls = make((name, good) => behave(good), { callbackTimeoutMs: 20 })
         for (const result of await Promise.all(Object.values(calls).map((call) => call()))) {
           if (typeof (result.report?.action ?? result.found) === 'undefined') throw new Error('no result')
           cells++
         }
       }
       console.log(cells)`,
      {
        nodeOptions: ['--trace-uncaught', '--trace-warnings', '--unhandled-rejections=strict'],
        timeoutMs: 60_000,
      },
    )
    expect({ code, signal, stderr }).toEqual({ code: 0, signal: null, stderr: '' })
    expect(Number(stdout)).toBe(27 * NAMES.length)
  }, 70_000)
})

describeNative('collected in mid-call', () => {
  it('an instance, whichever callback it waits for, finishes its call', async () => {
    const { code, stdout, stderr } = await runNode(
      `${CALLBACKS}
       for (const name of ${JSON.stringify(NAMES)}) {
         let finish = () => {}
         let asked, isAsked = new Promise((resolve) => { asked = resolve })
         const pending = make((hit, answer) => {
           if (hit !== name || asked === undefined) return answer
           asked()
           asked = undefined
           return new Promise((resolve) => { finish = () => resolve(answer) })
         })[name]()
         await isAsked
         for (let i = 0; i < 5; i++) { gc(); await new Promise(setImmediate) }
         finish()
         const { report, found } = await pending
         console.log(name, report?.action ?? found)
       }`,
      { nodeOptions: ['--expose-gc'] },
    )
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const actions: Record<string, string> = {
      generate: 'summarize',
      summarize: 'summarize',
      journal: 'summarize',
      onUsage: 'summarize',
      write: 'spill',
      readInstruction: 'spill',
      delete: 'passthrough',
      onWarning: 'passthrough',
      read: 'true',
      size: 'true',
      readRange: 'true',
    }
    expect(lines(stdout)).toEqual(NAMES.map((name) => `${name} ${actions[name] ?? 'truncate'}`))
  })
})

describeNative('two copies of the addon', () => {
  /** The package once more, at a path of its own, as two versions in one tree would lie. */
  const copy = () => {
    const project = fileURLToPath(new URL('../', import.meta.url))
    const folder = tempDirectory()
    mkdirSync(path.join(folder, 'dist'))
    const addon = readdirSync(project).filter((name) => name.endsWith('.node'))
    for (const file of ['index.cjs', 'native.cjs', 'dist/index.cjs', ...addon]) {
      copyFileSync(path.join(project, file), path.join(folder, file))
    }
    return path.join(folder, 'index.cjs')
  }

  it("at different paths work at once, on each other's stores, with callbacks, in workers too", async () => {
    const root = newRoot()
    const { code, stdout, stderr } = await runNode(
      `import { createRequire } from 'node:module'
       import { Worker } from 'node:worker_threads'
       const two = createRequire(import.meta.url)(process.env.COPY)
       if (two.ToolOutputLimits === tol.ToolOutputLimits) throw new Error('one copy')
       const script = \`
         const { parentPort } = require('node:worker_threads')
         const copies = [require(process.env.COPY)]
         import(${JSON.stringify(entry)}).then(async (first) => {
           copies.push(first)
           const done = copies.map((copy) => new copy.ToolOutputLimits({ toolFilter: async () => true, onWarning() {}, store: new copy.MemoryStore() }).reduce('x'.repeat(20_000), { toolName: 't' }))
           parentPort.postMessage((await Promise.all(done)).map(({ report }) => report.action))
         })\`
       const worker = new Worker(script, { eval: true, execArgv: [] })
       const inWorker = new Promise((resolve, reject) => { worker.once('message', resolve); worker.once('error', reject) })
       const large = 'line\\n'.repeat(4_000)
       const calls = [tol, two, tol, two].map(async (copy, n) => {
         const other = copy === tol ? two : tol
         const stores = [new copy.LocalFileStore({ root: process.env.ROOT }), new other.LocalFileStore({ root: process.env.ROOT }), new other.MemoryStore()]
         for (const store of stores) {
           const limits = new copy.ToolOutputLimits({ store, onWarning() {}, overTokens: true, tokenizer: async (text) => text.length, bands: [{ over: 1, action: other.spill() }] })
           const { report } = await limits.reduce(large, { toolName: 't', runId: 'r', toolCallId: 'c' + n })
           const page = await limits.read({ handle: report.handle, from_end: true, limit: 1 })
           if (report.action !== 'spill' || page.lastLine !== 4_000) throw new Error(JSON.stringify({ report, page }))
         }
         return 'ok'
       })
       console.log(...await Promise.all(calls), ...await inWorker)`,
      { env: { ROOT: root, COPY: copy() }, timeoutMs: 40_000 },
    )
    expect({ code, stderr, stdout }).toEqual({ code: 0, stderr: '', stdout: 'ok ok ok ok spill spill\n' })
    expect(keysOf(root)).toHaveLength(4)
  }, 50_000)
})

describe('bytes', () => {
  it.each<[string, (buffer: ArrayBuffer) => void]>([
    ['transferred', (buffer) => void structuredClone(buffer, { transfer: [buffer] })],
    ['shrunk', (buffer) => (buffer as ArrayBuffer & { resize(length: number): void }).resize(0)],
    ['overwritten', (buffer) => void new Uint8Array(buffer).fill(66)],
  ])('%s right after the call count as they were', async (how, change) => {
    // With a filter that answers later, and without: the copy is made at another place.
    for (const toolFilter of ['all' as const, async () => true]) {
      const root = newRoot()
      const limits = new ToolOutputLimits({ store: new LocalFileStore({ root }), toolFilter, onWarning() {} })
      const resizable = new (ArrayBuffer as unknown as new (length: number, options: object) => ArrayBuffer)(
        200_000,
        how === 'shrunk' ? { maxByteLength: 400_000 } : {},
      )
      new Uint8Array(resizable).fill(65)
      const pending = limits.reduce(resizable, { toolName: 't', runId: 'r', toolCallId: 'c' })
      change(resizable)
      const { report } = await pending
      expect(storedText(root, report.handle!)).toBe('A'.repeat(200_000))
    }
  })

  it('that a store keeps are its own: no later call writes into them', async () => {
    const kept: Uint8Array[] = []
    const store = { write: (key: string, data: Uint8Array) => (kept.push(data), key), read: () => null }
    const { reduce } = setup({ store, bands: [{ over: 10, action: spill() }] })
    for (const letter of 'abc') await reduce(letter.repeat(5_000), { toolCallId: letter })
    expect(kept.map((data) => Buffer.from(data).toString())).toEqual(
      ['a', 'b', 'c'].map((letter) => letter.repeat(5_000)),
    )
  })
})

describe('the async context of a call', () => {
  beyondBaseline('reaches every callback, also where calls overlap', async () => {
    const context = new AsyncLocalStorage<string>()
    const seen: [callback: string, inside: string | undefined][] = []
    const see = <T>(name: string, answer: T): T => {
      seen.push([name, context.getStore()])
      return answer
    }
    const files = new Map<string, Uint8Array>()
    const store = {
      write: (key: string, data: Uint8Array) => (files.set(key, data), see('write', key.replace('/', '_'))),
      read: () => null,
      size: () => see('size', large.length),
      readRange: (_: string, start: number, end: number) => see('readRange', Buffer.from(large).subarray(start, end)),
      readInstruction: () => see('readInstruction', 'cat it'),
      exempts: () => see('exempts', false),
    }
    const summary = summarize({ summarize: () => see('summarize', Promise.reject(new Error('x'))) })
    const limits = new ToolOutputLimits({
      store,
      overTokens: true,
      tokenizer: () => see('tokenizer', 50_000),
      serializer: () => see('serializer', Promise.resolve(large)),
      toolFilter: () => see('toolFilter', Promise.resolve(true)),
      generate: () => see('generate', { text: 'x'.repeat(50_000), usage: { inputTokens: 1 } }),
      journal: (_operation, run) => see('journal', run(null)),
      bands: [
        { over: 10, action: summarize({ timeoutMs: 20_000, fallback: { ...summary, fallback: truncate() } as never }) },
      ],
      perTool: { spilled: [{ over: 10, action: spill() }], nothing: [{ over: 10, action: summary }] },
      onReduce: () => see('onReduce', undefined),
      onUsage: () => see('onUsage', undefined),
      onWarning: () => see('onWarning', undefined),
    })
    await Promise.all(
      Array.from({ length: 10 }, (_, n) =>
        context.run(`call ${n}`, async () => {
          const ids = { runId: 'r', toolCallId: `c${n}` }
          for (const toolName of ['t', 'spilled', 'nothing']) await limits.reduce({ n }, { toolName, ...ids })
          await limits.read({ handle: `x${n}`, limit: 1 })
          see('after', undefined)
        }),
      ),
    )
    const names = [...new Set(seen.map(([name]) => name))].sort()
    expect(names).toEqual(
      [
        ...[
          'after',
          'exempts',
          'generate',
          'journal',
          'onReduce',
          'onUsage',
          'onWarning',
          'readInstruction',
          'readRange',
        ],
        ...['serializer', 'size', 'summarize', 'tokenizer', 'toolFilter', 'write'],
      ].sort(),
    )
    for (const name of names) {
      const inside = seen.filter(([seenName]) => seenName === name).map(([, store]) => store)
      expect(new Set(inside), name).toEqual(new Set(Array.from({ length: 10 }, (_, n) => `call ${n}`)))
    }
  })
})
