/** The prefix of a store's objects: as it is given, with one slash at its end. */
export function prefixOf(name: string, prefix: string): string {
  if (typeof prefix !== 'string' || prefix.startsWith('/') || prefix.split('/').includes('..')) {
    throw new TypeError(`${name}: prefix must be a relative path`)
  }
  return prefix === '' || prefix.endsWith('/') ? prefix : `${prefix}/`
}
