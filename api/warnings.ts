import { describe } from '../common/describe.js'
import type { ToolOutputLimitsOptions, Warning } from '../index.js'
import { notify } from './callbacks.js'

/** Every code of a warning, those of the adapters included, with what it tells. A test compares it with the sources. */
export const WARNING_CODES = {
  TOL_CALL_ID:
    'a function of the options of an adapter threw, or gave something else than an id, such as a promise: the default is used',
  TOL_CHARSET: 'the charset given with the bytes is not known, and is ignored',
  TOL_CONTENT_NOT_TEXT: 'content over the limit is not text, or longer than a string can be, and stays as it is',
  TOL_CONTEXT: 'the context of `reduce` has a name that is probably misspelt, and is ignored; told once for each name',
  TOL_FOREIGN_TOOL: 'a tool made for another framework was given to an adapter, and is not limited',
  TOL_JOURNAL_IDS: 'a journal without run and call ids gets random ones, so that nothing can be replayed',
  TOL_NOT_AWAITED:
    'a promise, a `Response` or a stream was given as a result: it has no content yet, and stays as it is',
  TOL_NOT_REDUCED: 'no action could run, and the output stays as it is',
  TOL_OUTPUT_SCHEMA: 'a tool has an output schema that its results must match, so they are not limited',
  TOL_READ_TOOL_MISSING: 'a result is spilled, but nobody has asked for the read tool so far',
  TOL_SERIALIZER: 'the serializer failed, and compact JSON is used',
  TOL_STORE: 'the store failed, or is too small, and a spill could not run; told once for each reason',
  TOL_SUMMARY: 'there is no model, or it failed, and a summary could not be made; told once for each reason',
  TOL_TOKENIZER: 'the tokenizer failed, and tokens are estimated',
  TOL_TOOL_FILTER: 'the toolFilter could not tell, and the limit stays on',
} as const

export type WarningCode = keyof typeof WARNING_CODES

/** Tells the application; by default as a warning of the process, without the cause. */
export function warn(sink: ToolOutputLimitsOptions['onWarning'], { cause, ...warning }: Warning): void {
  const hint = cause === undefined ? '' : '; onWarning gets what was thrown as `cause`'
  const told: Warning = { ...warning, message: `tool-output-limits: ${warning.message}${hint}` }
  // As in an error, it is not enumerable: it may hold the output or a secret, and a log of the warning is not to show it.
  if (cause !== undefined) Object.defineProperty(told, 'cause', { value: cause, writable: true, configurable: true })
  if (sink !== undefined) {
    notify(sink, told)
    return
  }
  // A long name is cut: it can come from a model.
  const tool = warning.toolName === undefined ? '' : ` (tool ${describe(warning.toolName)})`
  notify(() => process.emitWarning(told.message + tool, { type: 'ToolOutputLimitsWarning', code: warning.code }), told)
}
