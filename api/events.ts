import { channel } from 'node:diagnostics_channel'
import type { PartReport, ReduceEvent } from '../index.js'
import type { NativeOutcome } from '../native.cjs'

/** Tracing tools subscribe here without touching any configuration. */
const reduced = channel('tool-output-limits:reduce')

/** Publishes an event to whoever subscribed to the channel. A subscriber that throws is reported by Node, not here. */
export function publish(event: ReduceEvent): void {
  if (reduced.hasSubscribers) reduced.publish(event)
}

/** The report as the application gets it: without the properties that do not apply. */
export function reportOf(outcome: NativeOutcome): PartReport {
  return {
    action: outcome.action as PartReport['action'],
    size: outcome.size,
    unit: outcome.unit as PartReport['unit'],
    chars: outcome.chars,
    ...(outcome.handle !== undefined && { handle: outcome.handle }),
    ...(outcome.bytes !== undefined && { bytes: outcome.bytes }),
    ...(outcome.replaced > 0 && { replaced: outcome.replaced }),
    fallbacks: outcome.fallbacks as PartReport['fallbacks'],
    ...(outcome.usage !== undefined && { usage: outcome.usage }),
  }
}

/** The report of a part that stays as it is without having been looked at, or below every band. */
export function untouchedReport(size: number, unit: PartReport['unit'], chars: number): PartReport {
  return { action: 'none', size, unit, chars, fallbacks: [] }
}
