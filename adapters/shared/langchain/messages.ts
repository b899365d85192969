import { coerceMessageLikeToMessage, ToolMessage } from '@langchain/core/messages'
import type { ReduceContext, ToolOutputLimits } from 'tool-output-limits'
import { reduceContent } from './content.js'

/** `Command` of LangGraph, structurally: it comes from the application's copy of the package. */
interface CommandLike {
  lg_name: 'Command'
  graph?: string | undefined
  goto?: unknown
  resume?: unknown
  update?: unknown
  constructor: unknown
}

/**
 * What this process has reduced: a wrapped tool under the middleware, or an earlier message in a Command, isn't
 * reduced again.
 */
const reducedMessages = new WeakSet<object>()

/**
 * Reduces the result of a tool as LangGraph sees it: a message, or a Command that brings messages. Anything else is
 * given back.
 */
export async function reduceToolOutput<T>(limits: ToolOutputLimits, output: T, context: ReduceContext): Promise<T> {
  if (ToolMessage.isInstance(output)) return (await reduceMessage(limits, output, context)) as T
  if (isCommand(output)) return (await reduceCommand(limits, output, context)) as T
  return output
}

async function reduceMessage(
  limits: ToolOutputLimits,
  message: ToolMessage,
  context: ReduceContext,
): Promise<ToolMessage> {
  if (message.status === 'error' || reducedMessages.has(message)) return message
  const reduced = await reduceContent(limits, message.content, { ...context, metadata: message.metadata })
  if (reduced === undefined) return message
  // A new message, for the old one keeps its first content for serialization; the same id, for state merges messages
  // by id.
  return toolMessage(reduced.content, message, reduced.metadata)
}

/** A message with reduced content and everything else of another one. */
export function toolMessage(
  content: ToolMessage['content'] | readonly unknown[],
  of: Pick<ToolMessage, 'tool_call_id'> &
    Partial<Pick<ToolMessage, 'id' | 'name' | 'artifact' | 'status' | 'additional_kwargs' | 'response_metadata'>>,
  metadata: Record<string, unknown> | undefined,
): ToolMessage {
  const message = new ToolMessage({
    content: content as ToolMessage['content'],
    tool_call_id: of.tool_call_id,
    ...(of.id !== undefined && { id: of.id }),
    ...(of.name !== undefined && { name: of.name }),
    ...(of.status !== undefined && { status: of.status }),
    ...(of.artifact !== undefined && { artifact: of.artifact }),
    ...(metadata !== undefined && { metadata }),
    additional_kwargs: of.additional_kwargs ?? {},
    response_metadata: (of.response_metadata ?? {}) as NonNullable<ToolMessage['response_metadata']>,
  })
  reducedMessages.add(message)
  return message
}

async function reduceCommand(
  limits: ToolOutputLimits,
  command: CommandLike,
  context: ReduceContext,
): Promise<CommandLike> {
  const update = await reduceUpdate(limits, command.update, context)
  if (update === command.update) return command
  const Command = command.constructor as new (fields: object) => CommandLike
  return new Command({ graph: command.graph, goto: command.goto, resume: command.resume, update })
}

/** An update is an object of channels, or pairs of channel and value. */
async function reduceUpdate(limits: ToolOutputLimits, update: unknown, context: ReduceContext): Promise<unknown> {
  if (update === null || typeof update !== 'object') return update
  if (Array.isArray(update)) {
    const at = update.findIndex((pair) => Array.isArray(pair) && pair[0] === 'messages')
    if (at < 0) return update
    const messages = await reduceMessages(limits, update[at][1], context)
    return messages === update[at][1] ? update : update.map((pair, i) => (i === at ? ['messages', messages] : pair))
  }
  if (!('messages' in update)) return update
  const messages = await reduceMessages(limits, update.messages, context)
  return messages === update.messages ? update : { ...update, messages }
}

/**
 * One message or several. One after the other, so that the same messages get the same handles again when the node
 * runs again.
 */
async function reduceMessages(limits: ToolOutputLimits, messages: unknown, context: ReduceContext): Promise<unknown> {
  if (!Array.isArray(messages)) return reduceMessageLike(limits, messages, context, new Map())
  const seen = new Map<string, number>()
  const out: unknown[] = []
  for (const message of messages) out.push(await reduceMessageLike(limits, message, context, seen))
  return out.every((message, i) => message === messages[i]) ? messages : out
}

async function reduceMessageLike(
  limits: ToolOutputLimits,
  message: unknown,
  context: ReduceContext,
  seen: Map<string, number>,
): Promise<unknown> {
  const tool = toolMessageOf(message)
  if (tool === undefined) return message
  const callId = tool.tool_call_id || context.toolCallId
  const count = seen.get(callId ?? '') ?? 0
  seen.set(callId ?? '', count + 1)
  // Several messages for one call are results of their own, each with its own handle.
  const toolCallId = count === 0 || callId === undefined ? callId : `${callId}:${count}`
  const reduced = await reduceMessage(limits, tool, { ...context, toolCallId })
  return reduced === tool ? message : reduced
}

/** A tool message, also where it is written as `{ role: 'tool', … }`. */
function toolMessageOf(message: unknown): ToolMessage | undefined {
  if (ToolMessage.isInstance(message)) return message
  if (message === null || typeof message !== 'object') return undefined
  const { role, type } = message as { role?: unknown; type?: unknown }
  if (role !== 'tool' && type !== 'tool') return undefined
  try {
    const coerced = coerceMessageLikeToMessage(message as Parameters<typeof coerceMessageLikeToMessage>[0])
    return ToolMessage.isInstance(coerced) ? coerced : undefined
  } catch {
    return undefined // LangGraph says what is wrong with it
  }
}

function isCommand(output: unknown): output is CommandLike {
  return (
    output !== null &&
    typeof output === 'object' &&
    (output as CommandLike).lg_name === 'Command' &&
    typeof output.constructor === 'function' &&
    output.constructor !== Object
  )
}
