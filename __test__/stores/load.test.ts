// Eight processes that spill into one root with a quota and a short life of results, while others read. All 8 × 1,000
// spills: TOL_FULL=1 npx vitest run __test__/stores/load.test.ts
import { readdirSync, statSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { runNode } from '../support/package.js'
import { bytesIn, keysOf, newRoot } from '../support/roots.js'

const PROCESSES = 8
const SPILLS = process.env.TOL_FULL === '1' ? 1_000 : 100
// 50 MB for all of them: an eighth of what is spilled.
const QUOTA = SPILLS * 50_000

const script = `
  const { ROOT, NAME } = process.env, SPILLS = ${SPILLS}
  const store = new tol.LocalFileStore({ root: ROOT, maxBytes: ${QUOTA}, cleanupAfterMs: 1_000 })
  const limits = new tol.ToolOutputLimits({ store, onWarning() {} })
  limits.readToolResult()
  const counts = { spilled: 0, reasons: {}, read: 0, gone: 0, torn: 0, slowest: 0 }
  // Every line of a result is the same, so that a torn or mixed one shows.
  const textOf = (id) => (id + '.'.repeat(99 - id.length) + '\\n').repeat(300 + (id.length * 37) % 100)
  const check = async (runId, id) => {
    try {
      const text = Buffer.from(await store.read(runId + '/' + id + '.0')).toString()
      counts.read++
      if (text !== textOf(runId + id)) counts.torn++
    } catch (error) {
      if (error.code !== 'ENOENT') throw error
      counts.gone++
    }
  }
  for (let n = 0; n < SPILLS; n += 4) {
    await Promise.all([0, 1, 2, 3].map(async (at) => {
      const id = 'c' + (n + at), start = performance.now()
      const { report } = await limits.reduce(textOf(NAME + id), { toolName: 't', runId: NAME, toolCallId: id })
      counts.slowest = Math.max(counts.slowest, performance.now() - start)
      if (report.action === 'spill') counts.spilled++
      for (const { reason } of report.fallbacks) counts.reasons[reason] = (counts.reasons[reason] ?? 0) + 1
    }))
    const other = 'p' + Math.floor(Math.random() * ${PROCESSES})
    await check(NAME, 'c' + n)
    await check(other, 'c' + Math.floor(Math.random() * (n + 4)))
  }
  console.log(JSON.stringify(counts))`

/** Bytes of the results below a root; what is deleted while it is looked at is not there. */
function publishedBytes(root: string): number {
  const below = (directory: string) => {
    try {
      return readdirSync(directory)
        .filter((name) => !name.startsWith('.'))
        .map((name) => path.join(directory, name))
    } catch {
      return []
    }
  }
  const sizes = below(root)
    .flatMap(below)
    .map((file) => statSync(file, { throwIfNoEntry: false })?.size ?? 0)
  return sizes.reduce((sum, size) => sum + size, 0)
}

it(`${PROCESSES} processes × ${SPILLS} spills keep one quota, and no reader sees a torn result`, {
  timeout: 1_200_000,
}, async () => {
  const root = newRoot()
  let isDone = false
  let most = 0
  const watch = async () => {
    while (!isDone) {
      most = Math.max(most, publishedBytes(root))
      await new Promise((go) => setTimeout(go, 50))
    }
  }
  const watching = watch()
  const runs = Array.from({ length: PROCESSES }, (_, n) =>
    runNode(script, { env: { ROOT: root, NAME: `p${n}` }, timeoutMs: 1_200_000 }),
  )
  const counts = (await Promise.all(runs)).map(({ stdout, stderr }) => {
    expect(stderr).toBe('')
    return JSON.parse(stdout) as {
      spilled: number
      reasons: Record<string, number>
      read: number
      gone: number
      torn: number
      slowest: number
    }
  })
  isDone = true
  await watching
  const sum = (of: (count: (typeof counts)[number]) => number) => counts.reduce((total, count) => total + of(count), 0)
  console.log(
    `${sum(({ spilled }) => spilled)} spilled, ${JSON.stringify(counts.map(({ reasons }) => reasons))} fell back, ` +
      `${sum(({ read }) => read)} read whole, ${sum(({ gone }) => gone)} gone, ${most} bytes at most, ` +
      `slowest ${Math.max(...counts.map(({ slowest }) => slowest)).toFixed(0)} ms`,
  )
  expect(sum(({ torn }) => torn)).toBe(0)
  expect(sum(({ read }) => read)).toBeGreaterThan(0)
  // One look takes a while: what goes and what comes in that time may both be counted, once for each process.
  expect(most).toBeLessThanOrEqual(QUOTA + PROCESSES * 40_000)
  // Whoever found no room within half a second fell back; that is the exception.
  expect(sum(({ spilled }) => spilled)).toBeGreaterThan(PROCESSES * SPILLS * 0.9)
  expect(bytesIn(root)).toBeLessThanOrEqual(QUOTA)
  expect(keysOf(root).filter((key) => key.startsWith('.'))).toEqual([])
})
