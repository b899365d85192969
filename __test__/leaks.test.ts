// Many calls through every kind of callback leave nothing behind: no memory, no handle, no file descriptor.
// TOL_LEAK_CALLS=100000 makes it the full count, which takes minutes with a debug build.
import { expect, it } from 'vitest'
import { runNode } from './support/package.js'

const CALLS = Number(process.env.TOL_LEAK_CALLS ?? 10_000)

it(`${CALLS} calls with JavaScript callbacks leave memory flat and no handle open`, async () => {
  const { code, stderr, stdout } = await runNode(
    `import fs from 'node:fs'
     const { ToolOutputLimits, spill, summarize, truncate } = tol
     const fds = () => process.platform === 'linux' ? fs.readdirSync('/proc/self/fd').length : 0
     const text = 'line of text 漢 \\n'.repeat(50), value = { rows: Array.from({ length: 20 }, (_, n) => ({ n, text: 'x'.repeat(20) })) }
     const files = new Map()
     const store = {
       write: async (key, data) => (files.set(key, data), key), read: (key) => files.get(key), size: (key) => files.get(key).length,
       readRange: async (key, start, end) => files.get(key).subarray(start, end), delete: (key) => void files.delete(key), exempts: () => false,
     }
     const over = (action) => [{ over: 100, action }], cut = truncate({ maxChars: 50 })
     const fail = () => { throw new Error('x') }, reject = () => Promise.reject(new Error('x'))
     const make = () => new ToolOutputLimits({
       store, overTokens: true, tokenizer: async (text) => text.length, serializer: async (value) => JSON.stringify(value),
       toolFilter: async () => true, generate: async () => ({ text: 'short', usage: { inputTokens: 1 } }), journal: (operation, run) => run(operation.input),
       onReduce() {}, onUsage: reject, onWarning: fail, bands: over(cut),
       perTool: {
         spilled: over(spill({ previewChars: 0, fallback: cut })), told: over(summarize({ fallback: cut })),
         own: over(summarize({ summarize: async () => 'short', fallback: cut })),
         failing: over(summarize({ summarize: reject, fallback: spill({ fallback: cut }) })),
       },
     })
     const limits = make()
     limits.readToolResult()
     const broken = make().extend({ tokenizer: fail, serializer: reject, toolFilter: fail, store: { write: reject, read: fail } })
     const { signal } = new AbortController()
     const context = { toolName: 'cut', runId: 'r', signal }
     const one = async (n) => {
       const toolCallId = 'c' + n % 50, own = { ...context, toolCallId, signal: n % 3 ? signal : new AbortController().signal }
       switch (n % 10) {
         case 0: return limits.read({ handle: (await limits.reduce(text, { ...own, toolName: 'spilled' })).report.handle, limit: 2 })
         case 1: return limits.reduce(text, { ...own, toolName: 'told', usage: { requests: 0 }, usageLimits: { requests: 9 } })
         case 2: return limits.reduce(value, { ...own, toolName: 'own', content: text })
         case 3: return limits.reduce(text, { ...own, toolName: 'failing' })
         case 4: return broken.reduce(value, { ...own, toolName: 'spilled' })
         case 5: return make().reduce(value, own)
         case 6: return limits.reduce(Buffer.from(text), { ...own, toolName: 'spilled' })
         case 7: return limits.reduce(value, { ...own, toolName: 'anything' + n % 2_000 })
         case 8: return limits.reduce('small', own)
         default: return limits.reduceCallToolResult({ content: [{ type: 'text', text }], structuredContent: value }, own)
       }
     }
     const calls = async (count) => {
       for (let n = 0; n < count; n += 20) await Promise.all(Array.from({ length: 20 }, (_, k) => one(n + k)))
     }
     const measure = async () => {
       for (let n = 0; n < 6; n++) { gc(); await new Promise(setImmediate) }
       const { heapUsed, rss, external, arrayBuffers } = process.memoryUsage()
       return { heapUsed, rss, external, arrayBuffers, fds: fds() }
     }
     const count = Number(process.env.CALLS)
     // The caches of the engine and of V8 are full, and every thread has had its memory.
     await calls(Math.max(6_000, count / 5))
     const before = await measure()
     await calls(count)
     const after = await measure()
     const open = process.getActiveResourcesInfo().filter((name) => !/^(PipeWrap|TTYWrap|Immediate)$/.test(name))
     console.log(JSON.stringify({ before, after, open }))`,
    { nodeOptions: ['--expose-gc'], env: { CALLS: String(CALLS) }, timeoutMs: 580_000 },
  )
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const { before, after, open } = JSON.parse(stdout) as {
    before: Record<string, number>
    after: Record<string, number>
    open: string[]
  }
  const mib = (bytes = 0) => (bytes / 2 ** 20).toFixed(1)
  console.log(
    `${CALLS} calls: RSS ${mib(before.rss)} → ${mib(after.rss)} MiB, heap ${mib(before.heapUsed)} → ${mib(after.heapUsed)} MiB`,
  )
  expect(open).toEqual([])
  expect(after.rss, 'RSS').toBeLessThan(before.rss! * 1.05)
  expect(after.heapUsed, 'heap').toBeLessThan(before.heapUsed! + 2_000_000)
  expect(after.external, 'external').toBeLessThan(before.external! + 2_000_000)
  expect(after.arrayBuffers, 'array buffers').toBeLessThan(before.arrayBuffers! + 2_000_000)
  expect(after.fds, 'file descriptors').toBeLessThanOrEqual(before.fds! + 1)
}, 600_000)
