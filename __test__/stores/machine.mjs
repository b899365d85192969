// One machine of several: a process with its own working directory, its own directory for temporary files and its own
// instance, over a backend that all of them reach. Does what it is told, and answers.

import * as stores from '../../dist/stores.js'
import { spill, ToolOutputLimits, truncate } from '../../index.js'
import { openBackend } from './backends.mjs'

const { store, close } = await openBackend(stores, JSON.parse(process.env.BACKEND))

const unhandled = []
process.on('uncaughtException', (error) => unhandled.push(String(error?.stack ?? error)))
process.on('unhandledRejection', (error) => unhandled.push(String(error?.stack ?? error)))
const limits = new ToolOutputLimits({
  store,
  bands: [{ over: 10_000, action: spill({ fallback: truncate() }) }],
  callbackTimeoutMs: 5_000,
  onWarning() {},
})
limits.readToolResult()

const WORK = {
  async reduce({ id, text }) {
    const { report } = await limits.reduce(text, { toolName: 'tool', runId: 'shared', toolCallId: id })
    return report
  },
  read: ({ input }) => limits.read(input),
  async readAll({ handle }) {
    let text = ''
    for (let next = { handle, limit: 1_000 }; next !== undefined; ) {
      const page = await limits.read(next)
      if (!page.found) return page
      text += page.text
      next = page.next
    }
    return { found: true, text }
  },
  async end() {
    await close()
    return { unhandled }
  },
}
process.on('message', async ({ number, work, ...input }) => {
  try {
    const answer = await WORK[work](input)
    process.send({ number, answer }, () => work === 'end' && process.disconnect())
  } catch (error) {
    process.send({ number, error: String(error?.stack ?? error) })
  }
})
process.send({ number: 0 })
