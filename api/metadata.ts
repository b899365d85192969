import { types } from 'node:util'
import type { PartReport } from '../index.js'

/** What the metadata tells of a part. */
type Spilled = Pick<PartReport, 'handle' | 'bytes'>

/**
 * The application's metadata with the handles of what was spilled: copied, never changed, ours winning. Where nothing
 * was spilled, the very object passed in. Never throws.
 */
export function mergeMetadata(own: unknown, value: Spilled, content?: Spilled): unknown {
  if (value.handle === undefined && content?.handle === undefined) return own
  const merged: Record<string, unknown> = {}
  copyInto(merged, own)
  if (value.handle !== undefined) {
    put(merged, 'overflow_handle', value.handle)
    put(merged, 'overflow_bytes', value.bytes)
  }
  if (content?.handle !== undefined) {
    put(merged, 'overflow_content_handle', content.handle)
    put(merged, 'overflow_content_bytes', content.bytes)
  }
  return merged
}

function copyInto(merged: Record<string, unknown>, own: unknown): void {
  if (own === undefined || own === null) return
  try {
    if (types.isMap(own)) {
      for (const [key, entry] of Map.prototype.entries.call(own)) put(merged, String(key), entry)
    } else if (typeof own === 'object' && !Array.isArray(own)) {
      for (const key of Object.keys(own)) put(merged, key, (own as Record<string, unknown>)[key])
    } else {
      put(merged, 'original_metadata', own)
    }
  } catch {
    put(merged, 'original_metadata', own) // a getter or trap throws: whoever reads the metadata may know better
  }
}

/** Assignment would change the prototype for the key `__proto__`. */
function put(merged: Record<string, unknown>, key: string, value: unknown): void {
  Object.defineProperty(merged, key, { value, enumerable: true, writable: true, configurable: true })
}
