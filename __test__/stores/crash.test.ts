// A process that is killed in the middle of a spill of 200 MB, again and again. All 200 kills: TOL_FULL=1 npx vitest run
// __test__/stores/crash.test.ts
import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync, readSync, rmSync, statSync, utimesSync } from 'node:fs'
import path from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { LocalFileStore } from '../../index.js'
import { entry } from '../support/package.js'
import { keysOf, newRoot } from '../support/roots.js'

const KILLS = process.env.TOL_FULL === '1' ? 200 : 10
const LINE =
  'a line of one hundred bytes, so that two million of them make the two hundred million of this spill.\n'.slice(-100)
const SIZE = 200_000_000

const children: ChildProcess[] = []
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
})

/** Spills until it is killed; writes a byte as each spill begins. */
const script = `
  import * as tol from ${JSON.stringify(entry)}
  const store = new tol.LocalFileStore({ root: process.env.ROOT })
  const limits = new tol.ToolOutputLimits({ store, onWarning() {} })
  limits.readToolResult()
  const text = ${JSON.stringify(LINE)}.repeat(${SIZE / LINE.length})
  for (let n = 0; ; n++) {
    process.stdout.write('.')
    await limits.reduce(text, { toolName: 't', runId: process.env.RUN, toolCallId: 'c' + n })
  }`

/** → whether a file is the text, whole */
function isWhole(file: string): boolean {
  if (statSync(file).size !== SIZE) return false
  const expected = Buffer.from(LINE.repeat(100_000))
  const buffer = Buffer.alloc(expected.length)
  const descriptor = openSync(file, 'r')
  try {
    for (let read = 0; read < SIZE; read += buffer.length) {
      if (readSync(descriptor, buffer, 0, buffer.length, read) !== buffer.length || !buffer.equals(expected))
        return false
    }
    return true
  } finally {
    closeSync(descriptor)
  }
}

it(`${KILLS} kills leave no half result under a handle, and what they leave is swept`, {
  timeout: 3_600_000,
}, async () => {
  const root = newRoot()
  let whole = 0
  let leftovers = 0
  for (let kill = 0; kill < KILLS; kill++) {
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      env: { ...process.env, NODE_OPTIONS: '', ROOT: root, RUN: `r${kill}` },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    children.push(child)
    const ended = new Promise<NodeJS.Signals | null>((done) => child.once('exit', (_, signal) => done(signal)))
    await new Promise((begun) => child.stdout.once('data', begun))
    // Somewhere in the first spill or the one after it.
    setTimeout(() => child.kill('SIGKILL'), Math.random() * 1_500)
    expect(await ended).toBe('SIGKILL')
    const files = keysOf(root)
    for (const file of files.filter((key) => !key.startsWith('.') && !key.endsWith('/'))) {
      expect(isWhole(path.join(root, file)), file).toBe(true)
      whole++
      rmSync(path.join(root, file))
    }
    const temporaries = files.filter((key) => key.startsWith('.'))
    for (const temporary of temporaries) {
      expect(temporary).toMatch(/^\.tmp-/)
      await expect(new LocalFileStore({ root }).read(temporary)).rejects.toMatchObject({ code: 'ENOENT' })
    }
    leftovers += temporaries.length
    // All but the last go, for the disk's sake.
    if (kill < KILLS - 1) for (const temporary of temporaries) rmSync(path.join(root, temporary))
  }
  console.log(`${KILLS} kills: ${whole} results whole, none torn, ${leftovers} unfinished left behind`)
  expect(whole + leftovers).toBeGreaterThan(0)

  const old = new Date(Date.now() - 2 * 3_600_000)
  for (const key of keysOf(root).filter((name) => name.startsWith('.tmp-'))) utimesSync(path.join(root, key), old, old)
  await new LocalFileStore({ root, cleanupAfterMs: 1e9 }).write('after/call.0', Buffer.from('x'))
  await expect
    .poll(() => keysOf(root).filter((key) => !key.endsWith('/')), { timeout: 20_000 })
    .toEqual(['after/call.0'])
})
