// A reader that follows a script: it knows the question, and sees of a tool result only what a model would see.

/** Pages of one search that are read before giving up. */
const MAX_PAGES = 5

/** Answers a task from what stands in for the result, and from what the read tool says. */
export async function answer(task, shown, read) {
  const seen = { found: task.find(shown), calls: 0, shownChars: shown.length, readChars: 0 }
  const call = /\((\{.*\})\)/.exec(shown.split('\n', 1)[0])
  if (seen.found !== undefined || !call || !read) return seen
  const { handle } = JSON.parse(call[1])
  for (const move of moves(task.known, shown)) {
    let next = { handle, ...move }
    for (let page = 0; next && page < MAX_PAGES; page += 1) {
      const text = await read(next)
      seen.calls += 1
      seen.readChars += text.length
      seen.found = task.find(text)
      if (seen.found !== undefined) return seen
      const more = /\[More: [\w.-]+\((\{.*\})\)\]$/.exec(text)
      next = more ? JSON.parse(more[1]) : undefined
    }
  }
  return seen
}

/** What a reader who knows this much tries, in order. */
function moves(known, shown) {
  if (known.path) return [{ pointer: known.path.map((key) => `/${key}`).join('') }]
  if (known.key) return [{ pattern: `"${known.key}":` }]
  if (known.row) return [{ pattern: `^${known.row}`, regex: true }]
  if (known.record) {
    // The preview shows whether a record has a line of its own or every field one.
    const field = /\n +"id": /.test(shown)
    const [id] = Object.values(known.record)
    return field ? [{ pattern: `"id": ${id},`, context: 10 }] : [{ pattern: `"id":${id},` }]
  }
  return [
    ...(known.terms?.length === 1 ? [{ pattern: known.terms[0] }] : []),
    ...(known.terms?.length > 1 ? [{ pattern: `\\b(${known.terms.join('|')})\\b`, regex: true, ignore_case: true }] : []),
  ]
}
