// The implementations side by side, each with a store of its own in a directory of this run.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { NaiveLimits } from './naive.mjs'

const require = createRequire(import.meta.url)
const ours = require('../index.cjs')
const careful = require('./baseline/lib/index.cjs')

export const { truncate, spill } = ours
export const home = mkdtempSync(join(tmpdir(), 'tool-output-limits-bench-'))
for (const name of ['ours', 'careful', 'naive', 'limit']) mkdirSync(join(home, name), { mode: 0o700 })
process.on('exit', () => rmSync(home, { recursive: true, force: true }))

const silent = () => {}
export function oursWith(options = {}) {
  const store = options.store ?? new ours.LocalFileStore({ root: join(home, 'ours') })
  const limits = new ours.ToolOutputLimits({ onWarning: silent, ...options, store })
  limits.readToolResult()
  return limits
}

export function carefulWith(options = {}) {
  const store = new careful.LocalFileStore({ root: join(home, 'careful') })
  const limits = new careful.ToolOutputLimits({ onWarning: silent, ...options, store })
  limits.readToolResult()
  return limits
}

export const naiveWith = (options) => new NaiveLimits(join(home, 'naive'), options)

let calls = 0
/** The ids of a call that no other has. */
export const newCall = () => ({ toolName: 'bench', runId: 'bench', toolCallId: `c${++calls}` })

/** The handle in any side's answer. */
export const handleOf = (answer) => answer.report?.handle ?? answer.handle

export const storedBy = (side, answer) => readFileSync(join(home, side, handleOf(answer)))

/**
 * Empties the files of all stores between two runs. They are not deleted: ext4 without a journal gives no inode out again
 * within minutes of its deletion, and looks through all of these for each new file (`recently_deleted`); a thousand spills
 * cost any side, by chance, up to four times as much then.
 */
export function sweep() {
  for (const side of ['ours', 'careful', 'naive', 'limit']) {
    for (const entry of readdirSync(join(home, side), { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name)
      if (entry.isFile() && !path.startsWith(join(home, side, 'keep'))) truncateSync(path)
    }
  }
}

export function expectSame(what, ...values) {
  const [first, ...others] = values.map((value) => (Buffer.isBuffer(value) ? value.toString('latin1') : value))
  for (const other of others) {
    if (other !== first) throw new Error(`${what}: the sides do not give the same answer`)
  }
}
