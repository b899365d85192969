import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  LocalFileStore,
  type ReduceEvent,
  ToolOutputLimits,
  type ToolOutputLimitsOptions,
  type Warning,
} from '../../index.js'

/** Watched limits over a folder of their own: `open` and `close` go around each test. */
export function hostLimits(name: string) {
  let root: string
  const events: ReduceEvent[] = []
  const warnings: Warning[] = []
  const store = () => new LocalFileStore({ root })
  return {
    /** What was reduced, and warned of, in this test. */
    events,
    warnings,
    open(): void {
      root = mkdtempSync(join(tmpdir(), `tol-${name}-`))
      events.length = 0
      warnings.length = 0
    },
    close(): void {
      rmSync(root, { recursive: true, force: true })
    },
    limits: (options: ToolOutputLimitsOptions = {}) =>
      new ToolOutputLimits({
        store: store(),
        onReduce: (event) => events.push(event),
        onWarning: (warning) => warnings.push(warning),
        ...options,
      }),
    /** The text under a handle. */
    stored: async (handle: string): Promise<string> => Buffer.from(await store().read(handle)).toString('utf8'),
  }
}
