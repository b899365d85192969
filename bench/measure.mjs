// How a run is measured. Linux tells the time that a thread was on a processor to the nanosecond, and the peak of the memory.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises'

const read = (path) => {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
const onProcessor = (path) => Number(read(path)?.split(' ')[0] ?? Number.NaN) / 1e6
const status = (field) => Number(read('/proc/self/status')?.match(new RegExp(`${field}:\\s+(\\d+)`))?.[1] ?? 0) / 1024

export const rss = () => status('VmRSS') || process.memoryUsage.rss() / 2 ** 20
export const openFiles = () => (read('/proc/self/stat') ? readdirSync('/proc/self/fd').length : Number.NaN)

/** Collects garbage, so that what one side left is not collected on the time of the next. */
export async function settle() {
  for (let i = 0; i < 2; i++) {
    globalThis.gc()
    await sleep(2)
  }
}

/** Milliseconds of one run: wall, of all threads (`cpu`), of this thread (`main`); its peak of memory over what was there before. */
export async function timed(work) {
  const isPeakKnown = resetPeak()
  const before = isPeakKnown ? rss() : 0
  const cpu = process.cpuUsage()
  const main = onProcessor('/proc/thread-self/schedstat')
  const start = performance.now()
  const answer = await work()
  const wall = performance.now() - start
  const spent = process.cpuUsage(cpu)
  return {
    answer,
    wall,
    cpu: (spent.user + spent.system) / 1e3,
    main: onProcessor('/proc/thread-self/schedstat') - main,
    memory: isPeakKnown ? Math.max(0, status('VmHWM') - before) : Number.NaN,
  }
}

/** The longest time in which the event loop did not come round, in milliseconds. */
export async function longestBlock(work) {
  let longest = 0
  let isDone = false
  let last = performance.now()
  const look = () => {
    const now = performance.now()
    longest = Math.max(longest, now - last)
    last = now
  }
  const watching = (async () => {
    while (!isDone) {
      await turn()
      look()
    }
  })()
  await turn()
  last = performance.now()
  longest = 0
  await work()
  isDone = true
  look()
  await watching
  return longest
}

function resetPeak() {
  try {
    writeFileSync('/proc/self/clear_refs', '5')
    return true
  } catch {
    return false
  }
}

export function median(numbers) {
  const sorted = numbers.filter((number) => !Number.isNaN(number)).sort((a, b) => a - b)
  if (sorted.length === 0) return Number.NaN
  const middle = sorted.length >> 1
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

/** Half of the distance between the quartiles, relative to the median. */
export function spread(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b)
  const at = (part) => sorted[Math.round(part * (sorted.length - 1))]
  return (at(0.75) - at(0.25)) / 2 / median(numbers)
}
