/** The warnings of the process while something runs. */
export async function warningsOf(run: () => unknown): Promise<{ code?: string; message: string }[]> {
  const heard: { code?: string; message: string }[] = []
  const listener = (warning: Error) => void heard.push(warning)
  process.on('warning', listener)
  try {
    await run()
    await new Promise(setImmediate) // warnings are told in the next turn
  } finally {
    process.off('warning', listener)
  }
  return heard
}
