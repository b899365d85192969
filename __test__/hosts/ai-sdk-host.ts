/** The three majors of `ai` behind one face: what differs between them in tests is named here and nowhere else. */
// biome-ignore-all lint/suspicious/noExplicitAny: three majors behind one face
import * as ai6 from 'ai'
import * as test6 from 'ai/test'
import * as ai5 from 'ai5'
import * as test5 from 'ai5/test'
import * as ai7 from 'ai7'
import * as test7 from 'ai7/test'
import type { ModelRequest, Scenario, Turn } from './conformance.js'
import { TURN_USAGE } from './conformance.js'

export type Major = 5 | 6 | 7

/** The functions of one major. Typed loosely: one test drives all three. */
export interface Sdk {
  major: Major
  ai: any
  /** A model that answers through `answer`, streaming or not. */
  model(answer: (request: any) => { content: any[]; usage?: { inputTokens: number; outputTokens: number } }): any
  /** Stops after so many steps. */
  steps(count: number): any
  /** All messages that a run adds to the history. */
  messages(result: any): Promise<any[]>
  /** The argument of a tool's `toModelOutput`. */
  outputArgument(output: unknown): unknown
}

const modules: Record<Major, { ai: any; Mock: any }> = {
  5: { ai: ai5, Mock: test5.MockLanguageModelV2 },
  6: { ai: ai6, Mock: test6.MockLanguageModelV3 },
  7: { ai: ai7, Mock: test7.MockLanguageModelV4 },
}

export function sdk(major: Major): Sdk {
  const { ai, Mock } = modules[major]
  const usageOf = ({ inputTokens, outputTokens }: { inputTokens: number; outputTokens: number }) =>
    major === 5
      ? { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens }
      : {
          inputTokens: { total: inputTokens, noCache: inputTokens },
          outputTokens: { total: outputTokens, text: outputTokens },
        }
  const reasonOf = (content: any[]) => {
    const reason = content.some((part) => part.type === 'tool-call') ? 'tool-calls' : 'stop'
    return major === 5 ? reason : { unified: reason, raw: reason }
  }
  return {
    major,
    ai,
    model: (answer) =>
      new Mock({
        doGenerate: async (request: any) => {
          const { content, usage = TURN_USAGE } = answer(request)
          return { content, finishReason: reasonOf(content), usage: usageOf(usage), warnings: [] }
        },
        doStream: async (request: any) => {
          const { content, usage = TURN_USAGE } = answer(request)
          const parts = content.flatMap((part, index) =>
            part.type === 'text'
              ? [
                  { type: 'text-start', id: `${index}` },
                  { type: 'text-delta', id: `${index}`, delta: part.text },
                  { type: 'text-end', id: `${index}` },
                ]
              : [part],
          )
          const chunks = [
            { type: 'stream-start', warnings: [] },
            ...parts,
            { type: 'finish', finishReason: reasonOf(content), usage: usageOf(usage) },
          ]
          return { stream: ai.simulateReadableStream({ chunks, initialDelayInMs: null, chunkDelayInMs: null }) }
        },
      }),
    steps: (count) => (ai.isStepCount ?? ai.stepCountIs)(count),
    messages: async (result) => (major === 7 ? await result.responseMessages : (await result.response).messages),
    outputArgument: (output) => (major === 5 ? output : { toolCallId: 'c', input: {}, output }),
  }
}

/** The content of a model's answer for a turn of a script. */
export function contentOf(turn: Turn): any[] {
  if ('text' in turn) return [{ type: 'text', text: turn.text }]
  return turn.calls.map(({ id, name, input = {} }) => ({
    type: 'tool-call',
    toolCallId: id,
    toolName: name,
    input: JSON.stringify(input),
  }))
}

/** A prompt of the language-model interface as the suite looks at it. */
export function requestOf(prompt: any[]): ModelRequest {
  const results = new Map<string, string>()
  for (const message of prompt) {
    if (message.role !== 'tool') continue
    for (const part of message.content) results.set(part.toolCallId, textOf(part.output))
  }
  return { text: JSON.stringify(prompt), results }
}

function textOf(output: any): string {
  if (output.type === 'text' || output.type === 'error-text') return output.value
  if (output.type === 'content') return output.value.map((part: any) => part.text ?? `<${part.type}>`).join('\n')
  return JSON.stringify(output.value)
}

/** The model of a scenario: turns by the script, summaries for requests without tools; requests of turns go to `requests`. */
export function scriptedModel(
  host: Sdk,
  scenario: Scenario,
  requests: ModelRequest[],
  onTools?: (names: string[]) => void,
): any {
  return host.model((request) => {
    if (!request.tools?.length) {
      const { text, inputTokens, outputTokens } = scenario.summary
      return { content: [{ type: 'text', text }], usage: { inputTokens, outputTokens } }
    }
    onTools?.(request.tools.map((tool: { name: string }) => tool.name))
    const seen = requestOf(request.prompt)
    requests.push(seen)
    return { content: contentOf(scenario.script(seen, requests.length - 1)) }
  })
}
