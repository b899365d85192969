import type { ToolOutputLimits } from 'tool-output-limits'
import { markOf } from './mark.js'
import { readToolOf } from './read-tool.js'

/** A tool of a list, with the function that may be marked, whatever its host calls it. */
interface NamedTool {
  name?: unknown
  run?: unknown
  execute?: unknown
}

/**
 * The tools with the read tool as the last, for hosts that take a list. Nothing is added where it is switched off or
 * there already.
 *
 * @throws TypeError when another tool has its name.
 */
export function withReadToolListed<Tool extends object, ReadTool>(
  tools: Tool[],
  limits: ToolOutputLimits,
  make: () => ReadTool,
): (Tool | ReadTool)[] {
  const read = readToolOf(limits)
  if (!read) return tools
  const own = tools.find((tool) => (tool as NamedTool).name === read.name) as NamedTool | undefined
  if (own === undefined) return [...tools, make()]
  if (markOf(own.run ?? own.execute) === 'read') return tools
  throw nameTaken(read.name)
}

/** The error for a tool that has the name of the read tool. */
export function nameTaken(name: string): TypeError {
  return new TypeError(
    `a tool named ${JSON.stringify(name)} is there already; give the read tool another name with readTool: { name }`,
  )
}
