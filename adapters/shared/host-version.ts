/** The error for a host outside the range that an adapter supports. It names the range. */
export function unsupportedHost(host: string, range: string, found: string): TypeError {
  return new TypeError(`tool-output-limits supports ${host} ${range}, but was given ${found}`)
}
