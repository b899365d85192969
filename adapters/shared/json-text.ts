/**
 * The object or array that a host has written as compact JSON, so that the serializer of the limits gets to see it.
 * Undefined for every other text, also for JSON that a second printing would change (digits, spacing, duplicate keys).
 */
export function jsonValueOf(text: string): object | undefined {
  const isJson = (text.startsWith('{') && text.endsWith('}')) || (text.startsWith('[') && text.endsWith(']'))
  if (!isJson) return undefined
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && JSON.stringify(value) === text ? value : undefined
  } catch {
    return undefined
  }
}
