import { describe } from '../../common/describe.js'
import { MASTRA_TOOL } from './mastra.js'
import { warnOnce } from './warn.js'

/** What tools of the frameworks can be told by. */
interface AnyTool {
  name?: unknown
  id?: unknown
  type?: unknown
  parameters?: unknown
  inputSchema?: unknown
  [method: string]: unknown
}

/**
 * Warns of a tool that an adapter passes on as it is though it has a function to run: one made for another framework,
 * whose results nothing limits. A tool without any is run by the client, the provider or the API, and is no mistake.
 */
export function warnOfForeign(tool: unknown, adapter: string, key?: string): void {
  const other = madeFor(tool)
  if (other === undefined) return
  const { name, id } = tool as AnyTool
  const known = [key, name, id].find((value) => typeof value === 'string' && value !== '') ?? '(unnamed)'
  warnOnce(
    'TOL_FOREIGN_TOOL',
    `the tool ${describe(known)} is not limited: ` +
      `it is none that tool-output-limits/${adapter} knows, and looks made for tool-output-limits/${other}`,
  )
}

/** The adapter for a tool, by the function that its framework calls; undefined where there is none. */
function madeFor(tool: unknown): string | undefined {
  if (typeof tool === 'function') return 'function'
  if (typeof tool !== 'object' || tool === null) return undefined
  const { name, type, parameters, inputSchema, _call, invoke, run, execute, handler } = tool as AnyTool
  if (typeof _call === 'function') return 'langchain'
  if (typeof invoke === 'function') return type === 'function' ? 'openai-agents' : 'langchain'
  if (typeof run === 'function') return 'anthropic'
  if (typeof handler === 'function' && inputSchema !== undefined) return 'claude-agent-sdk'
  if (typeof execute !== 'function') return undefined
  if (MASTRA_TOOL in tool) return 'mastra'
  if (typeof name !== 'string') return 'ai-sdk' // its tools have their names as keys
  return parameters === undefined ? 'tanstack-ai' : 'openai-agents'
}
