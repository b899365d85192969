import { createHash } from 'node:crypto'

/** The two segments of a handle, as the keys of the package are made, each beginning with something other than a dot. */
const HANDLE = /^[a-z0-9_~-][a-z0-9_~.-]{0,199}\/[a-z0-9_~-][a-z0-9_~.-]{0,229}$/
/** A handle made here ends in the digest of its bytes. */
const ADDRESSED = /~[0-9]{24}$/

/**
 * The handle of bytes under a key: the key, `~`, and 24 digits of a digest of the bytes. So the same bytes have the same
 * handle and other bytes have another, on every machine at once, without a lock or a look at what is there: two machines
 * that write under one key at the same moment cannot overwrite each other. What ends in digits still tells text from bytes.
 */
export function addressed(key: string, bytes: Uint8Array): string {
  if (!HANDLE.test(key)) throw new TypeError('write: the key is none that this package makes')
  // Some 80 bits of SHA-256, as decimal digits of fixed length.
  const digest = BigInt(`0x${createHash('sha256').update(bytes).digest('hex').slice(0, 20)}`) % 10n ** 24n
  return `${key}~${digest.toString().padStart(24, '0')}`
}

/** Whether a handle may be one that `addressed` made; whatever a model asks for else reaches no backend. */
export function isAddressed(handle: unknown): handle is string {
  return typeof handle === 'string' && HANDLE.test(handle) && ADDRESSED.test(handle)
}
