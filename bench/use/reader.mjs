// A reader that follows a script: it knows the question, and sees of a tool result only what a model would see.

/** Pages of one search that are read before giving up. */
const MAX_PAGES = 5

/**
 * Answers a task from what stands in for the result, and from what the read tool says.
 * @param {{ handle(shown: string): string | undefined, can: Set<string>, read(input: object): Promise<string>, next(text: string, input: object): object | undefined }} tool
 */
export async function answer(task, shown, tool) {
  const seen = { found: task.find(shown), calls: 0, shownChars: shown.length, readChars: 0 }
  const handle = tool.handle(shown)
  if (seen.found !== undefined || handle === undefined) return seen
  for (const move of moves(task.known, shown, tool.can)) {
    let next = { handle, ...move }
    for (let page = 0; next && page < MAX_PAGES; page += 1) {
      const text = await tool.read(next)
      seen.calls += 1
      seen.readChars += text.length
      seen.found = task.find(text)
      if (seen.found !== undefined) return seen
      next = tool.next(text, next)
    }
  }
  return seen
}

/** What a reader who knows this much tries, in order; in the end it reads on from the beginning. */
function moves({ path, key, row, record, terms = [] }, shown, can) {
  const found = []
  if (path && can.has('pointer')) found.push({ pointer: path.map((step) => `/${step}`).join('') })
  else if (path || key) found.push({ pattern: `"${key ?? path.at(-1)}":` })
  if (row) found.push(can.has('regex') ? { pattern: `^${row}`, regex: true } : { pattern: row })
  if (record) {
    // The preview shows whether a record has a line of its own or every field one.
    const isField = /\n +"id": /.test(shown)
    const pattern = isField ? `"id": ${record.id},` : `"id":${record.id},`
    found.push({ pattern, ...(isField && can.has('context') && { context: 10 }) })
  }
  if (terms.length > 1 && can.has('regex')) {
    const words = new Set(terms.map((term) => term.toLowerCase()))
    found.push({ pattern: `\\b(${[...words].join('|')})\\b`, regex: true, ignore_case: true })
  } else {
    for (const term of terms) found.push({ pattern: term })
  }
  return [...found, {}]
}
