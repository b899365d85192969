/**
 * `tool-output-limits/ai-sdk`: tools of the Vercel AI SDK (`ai` 5, 6 and 7) with limited outputs.
 *
 * ```ts
 * const result = await generateText({ model, prompt, tools: withToolOutputLimits(tools), stopWhen: stepCountIs(10) })
 * ```
 *
 * An output over its limit is reduced when the tool has run, once; steps, response messages, UI messages and streams
 * hold the reduced form. Nothing of `ai` is imported to wrap tools.
 */
// biome-ignore-all lint/suspicious/noExplicitAny: tools of three majors are wrapped, and keep their types
import { type Generate, ToolOutputLimits } from 'tool-output-limits'
import { ledgerOf, type Tokens } from './shared/ai-ledger.js'
import { checkModel, summarizeByModel } from './shared/ai-model.js'
import {
  aiReadTool,
  type LimitToolsOptions,
  limitToolSet,
  type ReadToolResultTool,
  type ReducedToolOutput,
  withReadTool,
} from './shared/ai-tools.js'
import { aBoolean, expectLimits, expectOptions } from './shared/expect.js'
import { requireReadTool } from './shared/read-tool.js'
import { mustBeCalled } from './shared/uncalled.js'

export {
  isReducedToolOutput,
  type LimitToolsOptions,
  type ReadToolResultTool,
  type ReducedCallToolResult,
  type ReducedToolOutput,
  type ToolExecution,
} from './shared/ai-tools.js'

/** What comes of an output: strings stay strings, anything else may be replaced by a `ReducedToolOutput`. */
export type LimitedOutput<Output> = 0 extends 1 & Output
  ? any
  : Output extends string | number | boolean | null | undefined
    ? Output
    : Output | ReducedToolOutput

type LimitedResult<Result> = 0 extends 1 & Result
  ? any
  : Result extends AsyncIterable<infer Output>
    ? AsyncIterable<LimitedOutput<Output>>
    : Result extends PromiseLike<infer Output>
      ? PromiseLike<LimitedOutput<Output>>
      : LimitedOutput<Result>

/** A tool with its output widened by what a reduced output becomes; everything else as it was. */
export type LimitedTool<Tool> = Tool extends { execute: (...parameters: infer Parameters) => infer Result }
  ? Omit<Tool, 'execute' | 'outputSchema' | 'toModelOutput'> & {
      execute: (...parameters: Parameters) => LimitedResult<Result>
      outputSchema?: any
      toModelOutput?: (...parameters: any[]) => any
    }
  : Tool

/** A set of limited tools. */
export type LimitedTools<Tools> = { [Name in keyof Tools]: LimitedTool<Tools[Name]> }

/**
 * The same tools, every output reduced by `limits` (default: `new ToolOutputLimits()`).
 *
 * What becomes of an output over its limit: a string becomes the reduced string; an MCP `CallToolResult` stays one and is
 * reduced inside; anything else becomes a `ReducedToolOutput`, of which the model gets the text. Errors, thrown or as
 * MCP results, stay whole. Tools without `execute` (run by the client or the provider) are returned as they are, and
 * so are tools that are limited already. The read tool is not added; see `withToolOutputLimits`.
 *
 * @throws TypeError for tools of a version of `ai` before 5, for what is no record of tools, and for a wrong option.
 */
export function limitTools<Tools extends object>(
  tools: Tools,
  limits: ToolOutputLimits = new ToolOutputLimits(),
  options: LimitToolsOptions = {},
): LimitedTools<Tools> {
  return limitToolSet(tools, limits, options) as LimitedTools<Tools>
}

/**
 * `limitTools` and the read tool under its name (`read_tool_result`, or as `limits` has it): one call protects an agent.
 * Its calls count as steps, so leave some for them in `stopWhen`.
 *
 * @throws TypeError as {@link limitTools} does, and when another tool has that name.
 */
export function withToolOutputLimits<Tools extends object>(
  tools: Tools,
  limits: ToolOutputLimits = new ToolOutputLimits(),
  options: LimitToolsOptions = {},
): LimitedTools<Tools> & { read_tool_result: ReadToolResultTool } {
  const limited = withReadTool(limitToolSet(tools, limits, options), limits, options)
  return limited as LimitedTools<Tools> & { read_tool_result: ReadToolResultTool }
}

/**
 * The tool by which the model reads stored results, to be registered as `limits.readToolResult().name`.
 * Give it the `runId` of the limited tools where the read tool answers for its own run only.
 *
 * @throws TypeError when the limits have the read tool switched off, or for a wrong option.
 */
export function readToolResult(
  limits: ToolOutputLimits,
  options: Pick<LimitToolsOptions, 'runId'> = {},
): ReadToolResultTool {
  return aiReadTool(requireReadTool(limits), options)
}

/**
 * A `generate` function for `new ToolOutputLimits({ generate })`: summaries by this model, whatever the run's own is.
 * A model of ai 5, 6 or 7, or a name for the default provider.
 *
 * @throws TypeError for a model of another version of `ai`.
 */
export function summarizeWith(model: LanguageModelOption): Generate {
  if (typeof model !== 'string') checkModel(model)
  return (request) => summarizeByModel(model, request)
}

/** A language model of any supported `ai`, or its name. */
export type LanguageModelOption = string | { readonly specificationVersion: string; readonly modelId: string }

export interface MiddlewareOptions {
  /**
   * Adds the tokens of summaries to what the model reports for its next request, so that they appear in the usage of the
   * run (default false). A summary with no model request after it stays out; `limits.usage` and `onUsage` have them all.
   */
  foldUsage?: boolean | undefined
}

/** Middleware for `wrapLanguageModel`; typed loosely because the three versions of `ai` name different versions in it. */
export interface ToolOutputLimitsMiddleware {
  readonly specificationVersion: any
  wrapGenerate(options: { doGenerate: () => PromiseLike<any>; params: any; model: any }): Promise<any>
  wrapStream(options: { doStream: () => PromiseLike<any>; params: any; model: any }): Promise<any>
}

/**
 * Tells the limits which model a run uses, so that summaries are written by it, and adds their tokens to the run's usage
 * when asked to. For `wrapLanguageModel({ model, middleware })`, together with tools limited by the same `limits`.
 *
 * Requests and answers are not changed.
 *
 * @throws TypeError for limits that are none, and for a wrong option.
 */
export function toolOutputLimitsMiddleware(
  limits: ToolOutputLimits,
  options: MiddlewareOptions = {},
): ToolOutputLimitsMiddleware {
  const ledger = ledgerOf(expectLimits(limits))
  const { foldUsage = false } = expectOptions(options, { foldUsage: aBoolean })
  if (foldUsage) ledger.folds = true
  const remember = (part: { type?: unknown; toolCallId?: unknown }, model: unknown): void => {
    if (part.type === 'tool-call' && typeof part.toolCallId === 'string') ledger.rememberModel(part.toolCallId, model)
  }
  const folded = (result: { usage: unknown }, params: unknown): unknown => {
    const tokens = foldUsage ? ledger.take(toolCallIds(params)) : undefined
    return tokens ? { ...result, usage: plus(result.usage, tokens) } : result
  }
  return {
    specificationVersion: 'v3',
    async wrapGenerate({ doGenerate, params, model }) {
      checkModel(model)
      const result = await doGenerate()
      for (const part of result.content ?? []) remember(part, model)
      return folded(result, params)
    },
    async wrapStream({ doStream, params, model }) {
      checkModel(model)
      const result = await doStream()
      const watched = new TransformStream({
        transform(part, controller) {
          remember(part, model) // before the host sees the call and runs the tool
          controller.enqueue(part.type === 'finish' ? folded(part, params) : part)
        },
      })
      return { ...result, stream: result.stream.pipeThrough(watched) }
    },
  }
}

// Where the host looks for what it calls.
mustBeCalled(toolOutputLimitsMiddleware, 'wrapGenerate', 'middleware: toolOutputLimitsMiddleware(limits)')

/** Ids of the tool calls whose results a request carries. */
function* toolCallIds(params: any): Generator<string> {
  for (const message of params?.prompt ?? []) {
    if (message.role !== 'tool') continue
    for (const part of message.content) if (part.type === 'tool-result') yield part.toolCallId
  }
}

/** Usage with tokens added, in the shape it has: numbers in ai 5, objects with a total from ai 6 on. */
function plus(usage: any, { inputTokens, outputTokens }: Tokens): unknown {
  if (typeof usage?.inputTokens === 'object' && usage.inputTokens !== null) {
    return {
      ...usage,
      inputTokens: {
        ...usage.inputTokens,
        total: sum(usage.inputTokens.total, inputTokens),
        noCache: sum(usage.inputTokens.noCache, inputTokens),
      },
      outputTokens: {
        ...usage.outputTokens,
        total: sum(usage.outputTokens?.total, outputTokens),
        text: sum(usage.outputTokens?.text, outputTokens),
      },
    }
  }
  return {
    ...usage,
    inputTokens: sum(usage?.inputTokens, inputTokens),
    outputTokens: sum(usage?.outputTokens, outputTokens),
    totalTokens: sum(usage?.totalTokens, inputTokens + outputTokens),
  }
}

function sum(known: number | undefined, more: number): number {
  return (known ?? 0) + more
}
