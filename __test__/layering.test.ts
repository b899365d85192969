// Two limits in a row: commands are reduced for the model as they are produced, nothing else is touched.
import { describe, expect, it } from 'vitest'
import { spill, type ToolOutputLimitsOptions, truncate } from '../index.js'
import { envelope, readBack, setup } from './support/limits.js'
import { numberedLines } from './support/text.js'

const tail = truncate({ maxChars: 4_000, strategy: 'tail' })
const recipe: ToolOutputLimitsOptions = {
  bands: [],
  perTool: {
    run_command: [
      { over: 20_000, action: spill({ fallback: tail }) },
      { over: 4_000, action: tail },
    ],
  },
}
const command = (lines: number, code = 1) =>
  `${numberedLines(lines, (n) => `compiling crate ${n} of many`)}error: could not compile\n[exit code: ${code}]`

describe('the layering recipe', () => {
  it.each([
    [100, 'none'],
    [200, 'truncate'],
    [2_000, 'spill'],
  ])('a command of %i lines: %s', async (lines, action) => {
    const { report } = await setup(recipe).reduce(command(lines), { toolName: 'run_command' })
    expect(report.action).toBe(action)
  })

  it.each(['read_file', 'web_search', 'run_command_2', 'RUN_COMMAND'])(
    'leaves other tools alone: %s',
    async (toolName) => {
      const text = command(10_000)
      const { value, reduced } = await setup(recipe).reduce(text, { toolName })
      expect(value === text).toBe(true)
      expect(reduced).toBe(false)
    },
  )

  it('the exit code at the end survives a tail cut', async () => {
    for (const code of [0, 1, 137]) {
      const { value } = await setup(recipe).reduce(command(300, code), { toolName: 'run_command' })
      expect(value.endsWith(`error: could not compile\n[exit code: ${code}]`)).toBe(true)
      expect(value.length).toBeLessThanOrEqual(4_000)
    }
  })

  it.each([
    ['tail, from where it fits beside the marker', truncate({ strategy: 'tail' }), 80],
    ['head-tail with the last line reserved, at once', truncate({ keepTailLines: 1 }), '[exit code: 1]'.length],
    [
      'head with the last line reserved, at once',
      truncate({ strategy: 'head', keepTailLines: 1 }),
      '[exit code: 1]'.length,
    ],
  ])('the exit code survives any cut that has room for it: %s', async (_, action, smallest) => {
    const caps = Array.from({ length: 150 }, (_cap, i) => smallest + i)
    const { reduce } = setup({
      perTool: Object.fromEntries(
        caps.map((maxChars) => [`cap_${maxChars}`, [{ over: 1_000, action: { ...action, maxChars } }]]),
      ),
    })
    for (const maxChars of caps) {
      const { value } = await reduce(command(300), { toolName: `cap_${maxChars}` })
      expect(value.endsWith('[exit code: 1]'), `cap ${maxChars}`).toBe(true)
      expect(value.length, `cap ${maxChars}`).toBeLessThanOrEqual(maxChars)
    }
  })

  it('the exit code is in the preview of a spill, and everything is read back', async () => {
    const { limits, reduce } = setup(recipe)
    const { value, report } = await reduce(command(3_000), { toolName: 'run_command' })
    expect(envelope(value).preview.endsWith('[exit code: 1]')).toBe(true)
    expect(await readBack(limits, report.handle)).toBe(command(3_000))
    const last = await limits.read({ handle: report.handle!, from_end: true, limit: 1 })
    expect(last.text).toBe('[exit code: 1]')
  })

  it('falls to the tail where no read tool is there', async () => {
    const { value, report } = await setup({ ...recipe, readTool: { enabled: false } }).reduce(command(3_000), {
      toolName: 'run_command',
    })
    expect(report).toMatchObject({ action: 'truncate', fallbacks: [{ action: 'spill', reason: 'no_read_tool' }] })
    expect(value.endsWith('[exit code: 1]')).toBe(true)
  })

  it('a second layer with the default bands leaves what the first made alone', async () => {
    const first = setup(recipe)
    const second = setup()
    for (const lines of [100, 300, 3_000]) {
      const { value } = await first.reduce(command(lines), { toolName: 'run_command' })
      const again = await second.reduce(value, { toolName: 'run_command' })
      expect(again.value).toBe(value)
      expect(again.reduced).toBe(false)
    }
  })
})
