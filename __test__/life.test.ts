// Processes, threads, memory: what a host notices of the package beside its results.
import { createRequire } from 'node:module'
import { describe, expect, it } from 'vitest'
import { LocalFileStore, ToolOutputLimits } from '../index.js'
import { cjsEntry, entry, type RunOptions, runNode } from './support/package.js'
import { keysOf, newRoot, storedText } from './support/roots.js'
import { numberedLines } from './support/text.js'

const large = numberedLines(3_000)
/** Runs a script that has `limits` on a root with every kind of callback, and `large`. */
const run = (script: string, options: RunOptions & { root?: string } = {}) =>
  runNode(
    `const { ToolOutputLimits, LocalFileStore, spill, summarize, truncate } = tol
     const large = 'line of text\\n'.repeat(2_000)
     const limits = new ToolOutputLimits({
       store: new LocalFileStore({ root: process.env.ROOT }), overTokens: true, tokenizer: (text) => text.length, generate: () => 'short',
       toolFilter: () => true, onWarning() {}, onReduce() {}, onUsage() {},
     })
     limits.readToolResult()
     ${script}`,
    { ...options, env: { ROOT: options.root ?? newRoot(), ...options.env } },
  )

describe('a process', () => {
  it('that holds an idle instance with callbacks exits by itself', async () => {
    expect(await run(`globalThis.limits = limits; console.log('end')`)).toEqual({
      code: 0,
      signal: null,
      stdout: 'end\n',
      stderr: '',
    })
  })

  it('that has used an instance exits by itself', async () => {
    const { code, stdout } = await run(`
      globalThis.limits = limits
      const { report } = await limits.reduce(large, { toolName: 't' })
      const page = await limits.read({ handle: report.handle })
      console.log(report.action, page.totalLines)`)
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'spill 2000\n' })
  })

  it('that has an instance with a sweep to do exits by itself', async () => {
    const { code } = await run(`
      const swept = new ToolOutputLimits({ store: new LocalFileStore({ root: process.env.ROOT, cleanupAfterMs: 1_000, maxBytes: 1e6 }), callbackTimeoutMs: 3_600_000, onWarning() {} })
      await swept.reduce(large, { toolName: 't' })`)
    expect(code).toBe(0)
  })

  it('stays alive until a pending reduce is settled', async () => {
    const { stdout } = await run(
      `limits.reduce(large, { toolName: 't' }).then(({ report }) => console.log(report.action))`,
    )
    expect(stdout).toBe('spill\n')
  })

  it('stays alive until a pending read is settled', async () => {
    const { stdout } = await run(`
      const { report } = await limits.reduce(large, { toolName: 't' })
      limits.read({ handle: report.handle }).then((page) => console.log(page.totalLines))`)
    expect(stdout).toBe('2000\n')
  })

  it('stays alive until a summarizer that never settles has timed out', async () => {
    const { stdout } = await run(`
      const slow = new ToolOutputLimits({ bands: [{ over: 1, action: summarize({ summarize: () => new Promise(() => {}), timeoutMs: 50 }) }], onWarning() {} })
      slow.reduce(large, { toolName: 't' }).then(({ report }) => console.log(report.fallbacks[0].reason))`)
    expect(stdout).toBe('summary_timeout\n')
  })

  it('ends at once with its own code when it exits with work pending', async () => {
    const { code, signal, stderr } = await run(`
      const huge = 'x'.repeat(50_000_000)
      const hanging = new ToolOutputLimits({ bands: [{ over: 1, action: summarize({ summarize: () => new Promise(() => {}) }) }], onWarning() {} })
      for (let i = 0; i < 8; i++) { limits.reduce(huge + i, { toolName: 't' }); hanging.reduce(large, { toolName: 't' }); limits.reduce(Buffer.alloc(1e6, i), { toolName: 't' }) }
      setImmediate(() => process.exit(7))`)
    expect({ code, signal, stderr }).toEqual({ code: 7, signal: null, stderr: '' })
  })

  it('ends with its own error when it throws with work pending', async () => {
    const { code, signal, stderr } = await run(`
      limits.reduce('x'.repeat(5_000_000), { toolName: 't' })
      setImmediate(() => { throw new Error('of the application') })`)
    expect({ code, signal }).toEqual({ code: 1, signal: null })
    expect(stderr).toContain('of the application')
  })

  it('collects instances in mid-call, and the call is finished', async () => {
    const { stdout, code } = await run(
      `let finish
       const pending = (() => new ToolOutputLimits({ bands: [{ over: 1, action: summarize({ summarize: () => new Promise((resolve) => { finish = resolve }) }) }], onWarning() {} }).reduce(large, { toolName: 't' }))()
       for (let i = 0; i < 20; i++) { gc(); await new Promise(setImmediate) }
       finish('short')
       console.log((await pending).value)`,
      { nodeOptions: ['--expose-gc'] },
    )
    expect({ stdout, code }).toEqual({ stdout: 'short\n', code: 0 })
  })
})

describe('worker threads', () => {
  const worker = `
    import { Worker } from 'node:worker_threads'
    const start = (script) => new Worker(\`(async () => {
      const tol = await import(${JSON.stringify(entry)})
      const { parentPort } = require('node:worker_threads')
      const large = 'line of text\\\\n'.repeat(2_000)
      const limits = new tol.ToolOutputLimits({ store: new tol.LocalFileStore({ root: process.env.ROOT }), overTokens: true, tokenizer: (text) => text.length, onWarning() {} })
      \${script}
    })()\`, { eval: true, execArgv: [] })
    const exit = (worker) => new Promise((resolve, reject) => { worker.on('exit', resolve); worker.on('error', reject) })`

  it('work, several at once beside the main thread, and end', async () => {
    const root = newRoot()
    const { code, stdout, stderr } = await run(
      `${worker}
       const workers = [0, 1, 2].map((n) => start(\`for (let i = 0; i < 20; i++) await limits.reduce(large, { toolName: 't', runId: 'w\${n}', toolCallId: 'c' + i })\`))
       const exits = workers.map(exit)
       for (let i = 0; i < 20; i++) await limits.reduce(large, { toolName: 't', runId: 'main', toolCallId: 'c' + i })
       console.log(await Promise.all(exits))`,
      { root, timeoutMs: 60_000 },
    )
    expect({ code, stderr, stdout }).toEqual({ code: 0, stderr: '', stdout: '[ 0, 0, 0 ]\n' })
    expect(keysOf(root)).toHaveLength(80)
  })

  it('may be terminated with calls and callbacks in flight; the main thread goes on', async () => {
    const { code, signal, stdout } = await run(
      `${worker}
       for (let round = 0; round < 4; round++) {
         const thread = start(\`
           const hanging = new tol.ToolOutputLimits({ bands: [{ over: 1, action: tol.summarize({ summarize: () => new Promise(() => {}) }) }], onWarning() {} })
           hanging.reduce(large, { toolName: 't' })
           for (let i = 0; i < 50; i++) limits.reduce(large + i, { toolName: 't', toolCallId: 'c' + i })
           parentPort.postMessage('busy')
           setInterval(() => {}, 1000)\`)
         await new Promise((resolve) => thread.once('message', resolve))
         await thread.terminate()
       }
       console.log((await limits.reduce(large, { toolName: 't' })).report.action)`,
      { timeoutMs: 60_000 },
    )
    expect({ code, signal, stdout }).toEqual({ code: 0, signal: null, stdout: 'spill\n' })
  })

  it('go on while another one, with more in flight than runs at once, stands still', async () => {
    const { code, stdout } = await run(
      `import { Worker } from 'node:worker_threads'
       const state = new Int32Array(new SharedArrayBuffer(4))
       const other = async ({ entry, state }) => {
         const { ToolOutputLimits, LocalFileStore } = await import(entry)
         const limits = new ToolOutputLimits({ store: new LocalFileStore({ root: process.env.ROOT }), onWarning() {} })
         Atomics.store(state, 0, 1)
         Atomics.notify(state, 0)
         Atomics.wait(state, 0, 1)
         const { report } = await limits.reduce('line\\n'.repeat(400_000), { toolName: 't', runId: 'worker', toolCallId: 'c' })
         await limits.read({ handle: report.handle, offset: 1_000, limit: 1 })
         Atomics.store(state, 0, 3)
         Atomics.notify(state, 0)
       }
       const workerData = { entry: ${JSON.stringify(entry)}, state }
       const worker = new Worker('(' + other + ')(require("node:worker_threads").workerData)', { eval: true, execArgv: [], workerData })
       Atomics.wait(state, 0, 0)
       const long = 'line of text\\n'.repeat(100_000)
       const pending = Array.from({ length: 12 }, (_, i) => limits.reduce(long, { toolName: 't', runId: 'main', toolCallId: 'c' + i }))
       Atomics.store(state, 0, 2)
       Atomics.notify(state, 0)
       // Nothing but the worker ends this; the limit only turns a hang into a failure.
       const waited = Atomics.wait(state, 0, 2, 20_000)
       const actions = new Set((await Promise.all(pending)).map(({ report }) => report.action))
       await worker.terminate()
       console.log(waited === 'timed-out' ? 'hung' : 'went on', ...actions)`,
      { timeoutMs: 60_000 },
    )
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'went on spill\n' })
  }, 60_000)

  it('may change shared memory while it is reduced: nothing breaks', async () => {
    const { code, stdout } = await run(
      `import { Worker } from 'node:worker_threads'
       const shared = new SharedArrayBuffer(4_000_000)
       const writer = new Worker('const { workerData } = require("node:worker_threads"); const bytes = new Uint8Array(workerData); for (let n = 0; ; n++) bytes.fill(n & 255)', { eval: true, execArgv: [], workerData: shared })
       await new Promise((resolve) => writer.once('online', resolve))
       for (let i = 0; i < 10; i++) {
         const { report } = await limits.reduce(new Uint8Array(shared), { toolName: 't', toolCallId: 'c' + i })
         if (report.bytes !== 4_000_000) throw new Error(JSON.stringify(report))
         await limits.read({ handle: report.handle, limit: 5 })
       }
       await writer.terminate()
       console.log('done')`,
      { timeoutMs: 60_000 },
    )
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'done\n' })
  })
})

describe('loading', () => {
  const require = createRequire(import.meta.url)

  it('ESM and CommonJS give the same classes and helpers', async () => {
    const esm = (await import('../index.js')) as unknown as Record<string, unknown>
    const cjs = require(cjsEntry) as Record<string, unknown>
    for (const name of [
      'ToolOutputLimits',
      'LocalFileStore',
      'truncate',
      'spill',
      'summarize',
      'passthrough',
      'indentedJson',
      'jsonLines',
    ]) {
      expect(typeof cjs[name], name).toBe('function')
      expect(esm[name], name).toBe(cjs[name])
    }
  })

  it('works with require alone', async () => {
    const { stdout } = await runNode(
      `import { createRequire } from 'node:module'
       const { ToolOutputLimits } = createRequire(import.meta.url)(${JSON.stringify(cjsEntry)})
       console.log(new ToolOutputLimits().id, ToolOutputLimits === tol.ToolOutputLimits)`,
    )
    expect(stdout).toBe('tool_output_limits true\n')
  })

  it("twice in one process makes two copies that work side by side, and on each other's stores", async () => {
    const { stdout, stderr } = await runNode(
      `import { createRequire } from 'node:module'
       const require = createRequire(import.meta.url)
       const one = require(${JSON.stringify(cjsEntry)})
       for (const key of Object.keys(require.cache)) delete require.cache[key]
       const two = require(${JSON.stringify(cjsEntry)})
       const store = new two.LocalFileStore({ root: process.env.ROOT })
       const large = 'line\\n'.repeat(4_000)
       for (const copy of [one, two]) {
         const limits = new copy.ToolOutputLimits({ store, onWarning() {}, bands: [{ over: 1, action: copy.spill() }] })
         const { report } = await limits.reduce(large, { toolName: 't', runId: 'r', toolCallId: 'c' })
         const page = await limits.read({ handle: report.handle, from_end: true, limit: 1 })
         console.log(report.handle, page.lastLine)
       }
       console.log(one.ToolOutputLimits === two.ToolOutputLimits)`,
      { env: { ROOT: newRoot() } },
    )
    expect(stderr).toBe('')
    expect(stdout).toBe('r/c.0 4000\nr/c.0 4000\nfalse\n')
  })

  it('actions of one copy are plain objects that another takes', () => {
    const action = JSON.parse(JSON.stringify({ type: 'truncate', maxChars: 5 }))
    expect(() => new ToolOutputLimits({ bands: [{ over: 1, action }] })).not.toThrow()
  })
})

describe('what is passed in', () => {
  it.each<[string, (length: number) => ArrayBufferView | ArrayBufferLike]>([
    ['a Uint8Array', (length) => new Uint8Array(length)],
    ['a SharedArrayBuffer', (length) => new SharedArrayBuffer(length)],
    [
      'a resizable ArrayBuffer',
      (length) =>
        new (ArrayBuffer as unknown as new (length: number, options: object) => ArrayBuffer)(length, {
          maxByteLength: length * 2,
        }),
    ],
  ])('may change after the call: %s', async (_, make) => {
    const root = newRoot()
    const limits = new ToolOutputLimits({ store: new LocalFileStore({ root }), onWarning() {} })
    const value = make(200_000)
    const bytes = ArrayBuffer.isView(value) ? new Uint8Array(value.buffer) : new Uint8Array(value)
    bytes.fill(65)
    const pending = limits.reduce(value, { toolName: 't', runId: 'r', toolCallId: 'c' })
    bytes.fill(66)
    const { report } = await pending
    expect(storedText(root, report.handle!)).toBe('A'.repeat(200_000))
  })

  it('is not changed: strings, objects, contexts and options stay as they were', async () => {
    const value = Object.freeze({ list: Object.freeze(Array.from({ length: 3_000 }, (_, i) => i)) })
    const context = Object.freeze({ toolName: 't', metadata: Object.freeze({ a: 1 }), content: large })
    const limits = new ToolOutputLimits(
      Object.freeze({ store: new LocalFileStore({ root: newRoot() }), onWarning() {} }),
    )
    expect((await limits.reduce(value, context)).reduced).toBe(true)
    expect(value.list).toHaveLength(3_000)
  })
})

describe('10,000 calls', () => {
  it('leave heap, memory and file descriptors as they were', async () => {
    const { stdout, stderr } = await run(
      `import fs from 'node:fs'
       const fds = () => { try { return fs.readdirSync('/proc/self/fd').length } catch { return 0 } }
       const mixed = new ToolOutputLimits({
         store: new LocalFileStore({ root: process.env.ROOT }), overTokens: true, tokenizer: (text) => text.length / 4, stripAnsi: true, toolFilter: async () => true, onReduce() {}, onWarning() {},
         bands: [{ over: 100, action: truncate({ maxChars: 200 }) }],
         perTool: { spilled: [{ over: 100, action: spill() }], told: [{ over: 100, action: summarize({ summarize: async () => 'short' }) }] },
       })
       mixed.readToolResult()
       const text = 'line of text 漢 \\x1b[1mbold\\x1b[m\\n'.repeat(100), value = { list: Array.from({ length: 100 }, (_, i) => ({ i, text: 'x'.repeat(20) })) }
       const calls = async (from, to) => {
         for (let i = from; i < to; i += 10) await Promise.all(Array.from({ length: 10 }, async (_, j) => {
           const kind = (i + j) % 10, toolCallId = 'c' + (i + j) % 40
           if (kind === 0) await mixed.read({ handle: (await mixed.reduce(text, { toolName: 'spilled', runId: 'r', toolCallId })).report.handle, limit: 5 })
           else if (kind === 1) await mixed.reduce(text, { toolName: 'told' })
           else if (kind === 2) await mixed.reduce(value, { toolName: 'cut', content: text })
           else if (kind === 3) new ToolOutputLimits({ tokenizer: () => 5, onWarning() {} })
           else if (kind === 4) await mixed.reduce(Buffer.from(text), { toolName: 'cut' })
           else await mixed.reduce(kind < 7 ? 'small' : text, { toolName: 'cut' })
         }))
       }
       const settle = async () => { for (let i = 0; i < 6; i++) { gc(); await new Promise(setImmediate) } }
       const measure = async () => { await settle(); const { heapUsed, rss, external } = process.memoryUsage(); return { heapUsed, rss, external, fds: fds() } }
       await calls(0, 3_000)
       const before = await measure()
       await calls(0, 10_000)
       const after = await measure()
       console.log(JSON.stringify(Object.fromEntries(Object.keys(after).map((key) => [key, after[key] - before[key]]))))`,
      { nodeOptions: ['--expose-gc'], timeoutMs: 120_000 },
    )
    expect(stderr).toBe('')
    const grown = JSON.parse(stdout) as Record<string, number>
    expect(grown.heapUsed).toBeLessThan(4_000_000)
    expect(grown.external).toBeLessThan(4_000_000)
    expect(grown.rss).toBeLessThan(50_000_000)
    expect(grown.fds).toBeLessThanOrEqual(2)
  }, 130_000)
})
