import { types } from 'node:util'

/** Whether a value is an Error of whatever realm; false where finding out runs into a trap that throws. */
export function isError(value: unknown): value is Error {
  try {
    return types.isNativeError(value) || value instanceof Error
  } catch {
    return false
  }
}
