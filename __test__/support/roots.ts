// Real directories for stores, removed after the test, and what lies in them.
import { lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach } from 'vitest'

const made: string[] = []
afterEach(() => {
  for (const directory of made.splice(0)) rmSync(directory, { recursive: true, force: true })
})

/** A new empty directory, removed after the test. */
export function tempDirectory(): string {
  const directory = mkdtempSync(path.join(tmpdir(), 'tol-test-'))
  made.push(directory)
  return directory
}
/** A root that does not exist yet, inside a new directory. */
export const newRoot = (): string => path.join(tempDirectory(), 'root')

/** Every file and empty directory under a root, relative, sorted. */
export function keysOf(root: string, below = ''): string[] {
  let names: string[]
  try {
    names = readdirSync(path.join(root, below)).sort()
  } catch {
    return []
  }
  return names.flatMap((name) => {
    const key = below === '' ? name : `${below}/${name}`
    if (!lstatSync(path.join(root, key)).isDirectory()) return [key]
    const inside = keysOf(root, key)
    return inside.length ? inside : [`${key}/`]
  })
}
/** Bytes on disk under a root. */
export const bytesIn = (root: string): number =>
  keysOf(root)
    .filter((key) => !key.endsWith('/'))
    .reduce((sum, key) => sum + lstatSync(path.join(root, key)).size, 0)
/** The text of a stored result. */
export const storedText = (root: string, handle: string): string => readFileSync(path.join(root, handle), 'utf8')
/** Permission bits of a file. */
export const modeOf = (file: string): number => lstatSync(file).mode & 0o777
