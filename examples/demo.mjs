// A real agent loop on real input: the AI SDK with its own mock model calls tools that really run, once without and once
// with limits. Prints what the model was sent (with --json only the sizes). Run it with `npm run demo`.
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { generateText, jsonSchema, stepCountIs, tool } from 'ai'
import { MockLanguageModelV3 } from 'ai/test'
import { ToolOutputLimits } from 'tool-output-limits'
import { withToolOutputLimits } from 'tool-output-limits/ai-sdk'

const root = fileURLToPath(new URL('..', import.meta.url))
const execute = promisify(execFile)
const noInput = jsonSchema({ type: 'object', properties: {} })
const tools = {
  v8_options: tool({
    description: 'Lists the options of V8',
    inputSchema: noInput,
    execute: async () => (await execute(process.execPath, ['--v8-options'], { maxBuffer: 1 << 26 })).stdout,
  }),
  installed_packages: tool({
    description: 'Lists the installed packages as a tree',
    inputSchema: noInput,
    execute: async () => {
      const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm'
      const options = { cwd: root, maxBuffer: 1 << 26, shell: npm.endsWith('.cmd') }
      // npm ends with 1 where a peer is missing, and prints the tree all the same.
      const { stdout } = await execute(npm, ['ls', '--all', '--json'], options).catch((error) => error)
      return JSON.parse(stdout)
    },
  }),
  lock_file: tool({
    description: 'Reads the lock file of the repository',
    inputSchema: noInput,
    execute: () => readFile(`${root}/package-lock.json`, 'utf8'),
  }),
}
const question = 'Which V8 option prints bytecode, and which version of zod is locked?'

/** What the model copies out of the notices. */
const handles = {}
const without = converse(tools, ['v8_options', 'installed_packages', 'lock_file'])
const limits = new ToolOutputLimits({ runId: `demo-${process.pid}` })
const limited = withToolOutputLimits(tools, limits)
const withLimits = await converse(limited, [
  'v8_options',
  'installed_packages',
  'lock_file',
  () => ({ handle: handles.v8_options, pattern: '--print-bytecode' }),
  () => ({ handle: handles.lock_file, pattern: '"node_modules/zod"', context: 3 }),
])

if (process.argv.includes('--json')) {
  console.log(JSON.stringify({ without: (await without).requests, with: withLimits.requests }))
  process.exit()
}
console.log('What the model is sent, in chars (estimated tokens):\n')
console.log(`${'request'.padEnd(44)}${'without limits'.padStart(24)}${'with limits'.padStart(22)}`)
const { requests: unlimited } = await without
for (const [index, { after, chars }] of withLimits.requests.entries()) {
  const before = unlimited[index]?.chars
  console.log(`${`${index + 1} ${after}`.padEnd(44)}${figure(before).padStart(24)}${figure(chars).padStart(22)}`)
}
const total = (requests) => requests.reduce((sum, { chars }) => sum + chars, 0)
console.log(
  `${'all'.padEnd(44)}${figure(total(unlimited)).padStart(24)}${figure(total(withLimits.requests)).padStart(22)}`,
)

console.log('\nThe V8 options as the model sees them:\n')
console.log(quoted(withLimits.outputs.v8_options))
console.log('\nA page read back by handle:\n')
const page = { handle: handles.v8_options, offset: 1000, limit: 3 }
console.log(quoted(await limits.readToolResult().execute(page)))
console.log('\nAnd what the model found by pattern:\n')
console.log(quoted(withLimits.outputs.read_tool_result))

/** Runs an agent whose model calls the given tools one after the other; a function gives the arguments of a read. */
async function converse(agentTools, script) {
  const requests = []
  const outputs = {}
  let after = 'the question'
  const model = new MockLanguageModelV3({
    doGenerate: async ({ prompt }) => {
      const results = prompt.flatMap(({ role, content }) => (role === 'tool' ? content : []))
      const last = results.at(-1)
      if (last !== undefined) {
        outputs[last.toolName] = last.output.value
        handles[last.toolName] ??= /stored as "([^"]+)"/.exec(String(last.output.value))?.[1]
        after = `after ${last.toolName}`
      }
      requests.push({ after, chars: JSON.stringify(prompt).length })
      const next = script[requests.length - 1]
      const usage = { inputTokens: { total: 0 }, outputTokens: { total: 0 } }
      if (next === undefined) {
        return { content: [{ type: 'text', text: 'Done.' }], finishReason: { unified: 'stop' }, usage, warnings: [] }
      }
      const toolName = typeof next === 'function' ? 'read_tool_result' : next
      const input = JSON.stringify(typeof next === 'function' ? next() : {})
      const call = { type: 'tool-call', toolCallId: `call-${requests.length}`, toolName, input }
      return { content: [call], finishReason: { unified: 'tool-calls' }, usage, warnings: [] }
    },
  })
  await generateText({ model, tools: agentTools, prompt: question, stopWhen: stepCountIs(script.length + 1) })
  return { requests, outputs }
}

function figure(chars) {
  if (chars === undefined) return '–'
  return `${chars.toLocaleString('en-US')} (${Math.floor(chars / 4).toLocaleString('en-US')})`
}

function quoted(text) {
  return String(text).replaceAll(/^/gm, '  | ')
}
