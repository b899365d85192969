/** Whether a path begins with `~`, which a shell spells out and Node.js does not: it would be the name of a directory. */
export function hasTilde(path: string): boolean {
  return /^~(?:[/\\]|$)/.test(path)
}
