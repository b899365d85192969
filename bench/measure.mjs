// How a run is measured. Linux tells the time that a thread was on a processor to the nanosecond, and the peak of the memory.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'

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

/** How long the process has to do nothing before a run is timed, in milliseconds; how often that is tried. */
const REST = 5
const MOST_RESTS = 40

/**
 * Collects garbage, so that what one side left is not collected on the time of the next; and waits until the threads that
 * do so in the background are done, for they would take their time from a side that uses more than one thread.
 */
export async function settle() {
  globalThis.gc()
  for (let rest = 0; rest < MOST_RESTS; rest++) {
    const before = process.cpuUsage()
    await sleep(REST)
    const { user, system } = process.cpuUsage(before)
    if (rest > 1 && user + system < 0.1 * REST * 1000) break
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

/** How often the event loop is looked at, in milliseconds. Not in every turn: a loop that never rests is preempted. */
const LOOK = 1

/** The longest time in which the event loop did not come round, in milliseconds. */
export async function longestBlock(work) {
  const delay = monitorEventLoopDelay({ resolution: LOOK })
  delay.enable()
  await sleep(5 * LOOK)
  delay.reset()
  // The first look only sets the clock.
  await sleep(5 * LOOK)
  await work()
  // A block at the very end is seen when the loop comes round.
  await sleep(2 * LOOK)
  delay.disable()
  return Math.max(0, delay.max / 1e6 - LOOK)
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
