/** Names that other tools, and the Python original, use for the same thing. */
const SYNONYMS = new Map([
  ['then', 'fallback'],
  ['basedir', 'root'],
  ['directory', 'root'],
  ['cleanupafter', 'cleanupAfterMs'],
  ['timeout', 'timeoutMs'],
])
/** Longer names are no slip of the pen. */
const MAX_NAME_CHARS = 40

/** The known name that was most likely meant, or undefined where none is near. Case and underscores do not matter. */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  if (name.length > MAX_NAME_CHARS) return undefined
  const wanted = plain(name)
  const synonym = SYNONYMS.get(wanted)
  if (synonym !== undefined && known.includes(synonym)) return synonym
  let nearest: string | undefined
  // A third of the name may be wrong.
  let least = Math.floor(Math.max(wanted.length, 3) / 3) + 1
  for (const candidate of known) {
    const distance = editDistance(wanted, plain(candidate))
    if (distance < least) {
      least = distance
      nearest = candidate
    }
  }
  return nearest
}

function plain(name: string): string {
  return name.toLowerCase().replace(/[_-]/g, '')
}

/** How many chars must be added, removed or changed. */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, i) => i)
  for (let i = 0; i < from.length; i++) {
    const next = [i + 1]
    for (let j = 0; j < to.length; j++) {
      const changed = (row[j] as number) + (from[i] === to[j] ? 0 : 1)
      next.push(Math.min(changed, (row[j + 1] as number) + 1, (next[j] as number) + 1))
    }
    row = next
  }
  return row[to.length] as number
}
