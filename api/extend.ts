import { builtIn } from '../common/describe.js'
import type { Band, ToolOutputLimitsOptions } from '../index.js'
import type { CheckedOptions } from './check.js'

/**
 * The options of an extended instance: those given replace those there were. Explicit bands merge, a later band
 * replacing one with the same `over`; tools of `perTool` and options of `readTool` merge by name. Both arguments may still
 * be unchecked.
 */
export function extendOptions(base: ToolOutputLimitsOptions, given: ToolOutputLimitsOptions): ToolOutputLimitsOptions {
  const merged: ToolOutputLimitsOptions = { ...base, ...defined(given) }
  if (isBands(base.bands) && isBands(given.bands)) merged.bands = mergeBands(base.bands, given.bands)
  if (isObject(base.perTool) && isObject(given.perTool)) merged.perTool = { ...base.perTool, ...given.perTool }
  if (isObject(base.readTool) && isObject(given.readTool))
    merged.readTool = { ...base.readTool, ...defined(given.readTool) }
  return merged
}

/**
 * Options as they were checked, for a later `extend`: what becomes of their bands and of other lists and records has no
 * effect on it.
 */
export function copyOptions(given: ToolOutputLimitsOptions, checked: CheckedOptions): ToolOutputLimitsOptions {
  return {
    ...given,
    ...(given.bands !== undefined && { bands: checked.bands }),
    ...(given.perTool !== undefined && { perTool: Object.fromEntries(checked.perTool) }),
    ...(given.readTool !== undefined && { readTool: checked.readTool }),
    ...(given.toolFilter !== undefined && { toolFilter: checked.toolFilter }),
  }
}

/** Options that are given: one that is undefined replaces nothing. */
function defined<Options extends object>(options: Options): Options {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as Options
}

function mergeBands(base: readonly Band[], given: readonly Band[]): readonly Band[] {
  const replaced = new Set(given.map((band) => band?.over))
  return [...base.filter((band) => !replaced.has(band.over)), ...given]
}

function isBands(value: unknown): value is readonly Band[] {
  return Array.isArray(value)
}

/** What is no object is left for the check of options to complain about. */
function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && builtIn(value) === undefined
}
