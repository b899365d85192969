import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { LocalFileStore, type LocalFileStoreOptions, spill, truncate } from '../index.js'
import { reasons, setup } from './support/limits.js'
import { beyondBaseline, runNode } from './support/package.js'
import { bytesIn, keysOf, modeOf, newRoot, storedText, tempDirectory } from './support/roots.js'
import { grouped, numberedLines } from './support/text.js'

const large = numberedLines(3_000)
const posix = process.platform !== 'win32'
const isRoot = process.getuid?.() === 0
/** Limits on a LocalFileStore that fall back to a cut where it fails. */
const on = (options: LocalFileStoreOptions) => {
  const store = new LocalFileStore(options)
  return {
    ...setup({ store, bands: [{ over: 1_000, action: spill({ fallback: truncate({ maxChars: 100 }) }) }] }),
    store,
    root: options.root ?? store.root,
  }
}

describe('a key', () => {
  it.each([
    ['run', 'call', 0, undefined, 'run/call.0'],
    ['a_b-c9', 'x'.repeat(40), 3, undefined, `a_b-c9/${'x'.repeat(40)}.3`],
    ['7', 'call', 0, undefined, '7/call.0'],
  ])('is run, call and retry where they are safe: %s %s %i', async (runId, toolCallId, retry, _, handle) => {
    expect((await setup().reduce(large, { runId, toolCallId, retry })).report.handle).toBe(handle)
  })

  it('takes numbers as strings, and an empty id as missing', async () => {
    const { reduce } = setup({ runId: 'fixed' })
    expect((await reduce(large, { runId: 12 as never, toolCallId: 34 as never })).report.handle).toBe('12/34.0')
    const { handle } = (await reduce(large, { runId: '', toolCallId: '' })).report
    expect(handle).toMatch(/^fixed\/[a-z0-9_-]{1,40}\.0$/)
  })

  it('is random per call where there is no call id, and per instance where there is no run id', async () => {
    const { reduce } = setup()
    const ids = { runId: undefined, toolCallId: undefined }
    const [a, b] = [(await reduce(large, ids)).report.handle!, (await reduce(large, ids)).report.handle!]
    const [runA, callA] = a.split('/')
    const [runB, callB] = b.split('/')
    expect(runA).toBe(runB)
    expect(callA).not.toBe(callB)
    expect((await setup().reduce(large, ids)).report.handle!.split('/')[0]).not.toBe(runA)
  })

  const composed = 'é'.normalize('NFC')
  const decomposed = 'é'.normalize('NFD')
  const x300 = 'x'.repeat(300)
  const AWKWARD: string[] = [
    'a/b',
    'a:b',
    'a b',
    'A/B',
    'ab',
    'AB',
    'Ab',
    composed,
    decomposed,
    `call_${x300}1`,
    `call_${x300}2`,
    'x'.repeat(41),
    'x'.repeat(1_500),
    '../../etc/passwd',
    '/abs',
    'C:\\x',
    'CON',
    'con',
    'nul.txt',
    'nul',
    'com1',
    'lpt9',
    'a.',
    'a',
    'a\0b',
    '.',
    '..',
    '-rf',
    '가'.repeat(255),
    '\u202e',
    'line\nfeed',
    '~',
    'a~2',
    'call.0',
    '%2e%2e',
    '$HOME',
    '`x`',
    '"',
    "'",
    '*',
    '?',
    'a\ud83d',
    'a\ufffd',
    ' ',
    '\u200b',
    'constructor',
    '__proto__',
  ]
  it('is safe and distinct for every id', async () => {
    const { limits, root, reduce } = setup()
    const parent = path.dirname(root)
    const handles = new Map<string, string>()
    for (const [i, id] of AWKWARD.entries()) {
      const text = `${i} ${large}`
      for (const ids of [{ toolCallId: id }, { runId: id }]) {
        const { handle } = (await reduce(text, ids)).report
        expect(handle, JSON.stringify(ids)).toMatch(
          /^([a-z0-9_-]{1,40}|[a-z0-9_-]{0,16}~[a-z2-7]{16})\/([a-z0-9_-]{1,40}|[a-z0-9_-]{0,16}~[a-z2-7]{16})\.0$/,
        )
        expect(handles.has(handle!), JSON.stringify(ids)).toBe(false)
        handles.set(handle!, text)
      }
    }
    expect(new Set([...handles.keys()].map((handle) => handle.toLowerCase())).size).toBe(handles.size)
    for (const [handle, text] of handles) {
      expect(storedText(root, handle)).toBe(text)
      expect((await limits.read({ handle, limit: 1 })).text).toBe(text.slice(0, text.indexOf('\n') + 1))
    }
    expect(
      keysOf(parent)
        .map((key) => key.replace(/^root\//, ''))
        .sort(),
    ).toEqual([...handles.keys()].sort())
  })

  it('of an unsafe id begins with what is safe of it and is short', async () => {
    const { handle } = (await setup().reduce(large, { toolCallId: `Call:${'Z'.repeat(1_500)}` })).report
    expect(handle).toMatch(/^run\/callz{12}~[a-z2-7]{16}\.0$/)
  })

  it('is the same for the same id', async () => {
    const handle = async () => (await setup().reduce(large, { runId: 'R/ü', toolCallId: 'C:1' })).report.handle
    expect(await handle()).toBe(await handle())
  })

  it('that is written again with the same bytes is the same handle, its mtime renewed', async () => {
    const { root, reduce } = setup()
    const { handle } = (await reduce(large)).report
    const old = new Date(Date.now() - 3_600_000)
    utimesSync(path.join(root, handle!), old, old)
    expect((await reduce(large)).report.handle).toBe(handle)
    expect(keysOf(root)).toEqual([handle])
    expect(lstatSync(path.join(root, handle!)).mtimeMs).toBeGreaterThan(old.getTime() + 1_000_000)
  })

  it('that is written with other bytes is a new handle, the first stays intact', async () => {
    const { root, reduce } = setup()
    const handles = []
    for (const text of [`1${large}`, `2${large}`, `3${large}`, `2${large}`])
      handles.push((await reduce(text)).report.handle)
    expect(handles).toEqual(['run/call.0', 'run/call.0~2', 'run/call.0~3', 'run/call.0~2'])
    expect(storedText(root, 'run/call.0')).toBe(`1${large}`)
    expect(storedText(root, 'run/call.0~3')).toBe(`3${large}`)
  })

  it('that is written with other bytes says so in the envelope', async () => {
    const { reduce } = setup()
    await reduce(`1${large}`)
    expect((await reduce(`2${large}`)).value).toContain('"run/call.0~2"')
  })

  it('that many write at once keeps every text', async () => {
    const { root, reduce } = setup()
    const texts = Array.from({ length: 30 }, (_, i) => `${i % 15} ${large}`)
    const handles = await Promise.all(texts.map(async (text) => (await reduce(text)).report.handle!))
    expect(new Set(handles).size).toBe(15)
    for (const [i, handle] of handles.entries()) expect(storedText(root, handle)).toBe(texts[i])
    expect(keysOf(root)).toHaveLength(15)
  })

  it('that several processes write at once keeps every text', async () => {
    const root = newRoot()
    const script = `const store = new tol.LocalFileStore({ root: process.env.ROOT })
      const handles = await Promise.all(Array.from({ length: 10 }, (_, i) => store.write('run/call.0', Buffer.from(process.env.NAME + i))))
      console.log(JSON.stringify(handles))`
    const runs = await Promise.all(['a', 'b', 'c'].map((NAME) => runNode(script, { env: { ROOT: root, NAME } })))
    const stored = runs.flatMap(({ stdout }, process) =>
      (JSON.parse(stdout) as string[]).map((handle, i) => [handle, `${'abc'[process]}${i}`] as const),
    )
    expect(new Set(stored.map(([handle]) => handle)).size).toBe(30)
    for (const [handle, text] of stored) expect(storedText(root, handle)).toBe(text)
    expect(keysOf(root)).toHaveLength(30)
  })
})

describe('the root', () => {
  it('is stable by default, in the temporary directory of the system', () => {
    const { root } = new LocalFileStore()
    expect(root).toBe(new LocalFileStore({}).root)
    expect(path.dirname(root)).toBe(path.resolve(tmpdir()))
    if (posix) expect(path.basename(root)).toBe(`tool-output-limits-${process.getuid!()}`)
  })

  it('is absolute, whatever it was given', () => {
    expect(new LocalFileStore({ root: 'some/where' }).root).toBe(path.resolve('some/where'))
  })

  it('is made on the first write, parents too, and not before', async () => {
    const root = path.join(tempDirectory(), 'a', 'b', 'c')
    const { reduce } = on({ root })
    await reduce('small')
    expect(existsSync(path.dirname(path.dirname(root)))).toBe(false)
    await reduce(large)
    expect(keysOf(root)).toEqual(['run/call.0'])
  })

  it.runIf(posix).each(['000', '022', '077', '777'])(
    'and directories are 0700, files 0600, whatever the umask: %s',
    async (mask) => {
      const root = path.join(tempDirectory(), 'parent', 'root')
      const { code, stderr } = await runNode(
        `process.umask(0o${mask})
       const limits = new tol.ToolOutputLimits({ store: new tol.LocalFileStore({ root: process.env.ROOT }), onWarning() {} })
       const { report } = await limits.reduce('x'.repeat(20_000), { toolName: 't', runId: 'run', toolCallId: 'call' })
       process.exitCode = report.handle === 'run/call.0' ? 0 : 1`,
        { env: { ROOT: root } },
      )
      expect(stderr).toBe('')
      expect(code).toBe(0)
      expect([root, path.join(root, 'run'), path.join(root, 'run/call.0')].map(modeOf)).toEqual([0o700, 0o700, 0o600])
    },
  )

  it('deleted while it is in use is made again, and what was in it is unknown', async () => {
    const { limits, root, reduce } = on({ root: newRoot() })
    await reduce(large, { toolCallId: 'one' })
    rmSync(root, { recursive: true })
    expect(await limits.read({ handle: 'run/one.0' })).toMatchObject({ found: false, problem: 'unknown' })
    expect((await reduce(large, { toolCallId: 'two' })).report.handle).toBe('run/two.0')
    expect(keysOf(root)).toEqual(['run/two.0'])
  })
})

describe('a root that cannot be used', () => {
  /** Where everything is allowed to root, the process under test must be somebody else. */
  const asSomebody = isRoot ? 'process.setgroups?.([]); process.setgid(65534); process.setuid(65534);' : ''
  it.each<[string, (directory: string) => string | undefined]>([
    [
      'is a file',
      (directory) => {
        const file = path.join(directory, 'file')
        writeFileSync(file, 'mine')
        return file
      },
    ],
    [
      'lies under a file',
      (directory) => {
        const file = path.join(directory, 'file')
        writeFileSync(file, 'mine')
        return path.join(file, 'root')
      },
    ],
    [
      'is a symlink to a directory',
      (directory) => {
        const link = path.join(directory, 'link')
        mkdirSync(path.join(directory, 'real'), { mode: 0o700 })
        symlinkSync('real', link)
        return link
      },
    ],
    [
      'is a dangling symlink',
      (directory) => {
        const link = path.join(directory, 'link')
        symlinkSync('nowhere', link)
        return link
      },
    ],
    [
      'is a FIFO',
      (directory) => {
        const fifo = path.join(directory, 'fifo')
        execFileSync('mkfifo', [fifo])
        return fifo
      },
    ],
    [
      'can be written by all',
      (directory) => {
        const root = path.join(directory, 'open')
        mkdirSync(root)
        chmodSync(root, 0o777)
        return root
      },
    ],
    [
      'can be written by the group',
      (directory) => {
        const root = path.join(directory, 'group')
        mkdirSync(root)
        chmodSync(root, 0o770)
        return root
      },
    ],
    [
      'belongs to someone else',
      (directory) => {
        if (!isRoot) return undefined
        const root = path.join(directory, 'theirs')
        mkdirSync(root, { mode: 0o700 })
        chownSync(root, 65534, 65534)
        return root
      },
    ],
    ['is under /proc', () => (process.platform === 'linux' ? '/proc/x' : undefined)],
    ['is deep under /proc', () => (process.platform === 'linux' ? '/proc/self/x/y/z' : undefined)],
    ['is /dev/full', () => (process.platform === 'linux' ? '/dev/full' : undefined)],
    ['is /dev/null/x', () => '/dev/null/x'],
    ['has a name that is too long', (directory) => path.join(directory, 'n'.repeat(300))],
    ['has a path that is too long', (directory) => path.join(directory, 'n/'.repeat(5_000))],
  ])('falls to the fallback with a reason, and leaves nothing: %s', async (_, make) => {
    if (!posix) return
    const directory = tempDirectory()
    const root = make(directory)
    if (root === undefined) return
    const before = keysOf(directory)
    const { limits, reduce } = on({ root })
    const { value, report } = await reduce(large)
    expect(report).toMatchObject({
      action: 'truncate',
      fallbacks: [{ action: 'spill', reason: expect.stringMatching(/^store_(denied|failed)$/) }],
    })
    expect(value.length).toBeLessThanOrEqual(100)
    expect(value).not.toContain(directory)
    expect(keysOf(directory)).toEqual(before)
    const page = await limits.read({ handle: 'run/call.0' })
    expect(page).toMatchObject({ found: false })
    expect(page.notice).not.toContain(root.slice(0, 100))
  })

  it.runIf(posix)('is read-only: store_denied', async () => {
    const { stdout } = await runNode(
      `import fs from 'node:fs'; import os from 'node:os'; import path from 'node:path'
       const limits0 = new tol.ToolOutputLimits({ onWarning() {} }); ${asSomebody}
       const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'tol-test-')), root = path.join(directory, 'root')
       fs.mkdirSync(root, { mode: 0o500 })
       const limits = new tol.ToolOutputLimits({ store: new tol.LocalFileStore({ root }), onWarning() {} })
       const { report } = await limits.reduce('x'.repeat(20_000), { toolName: 't' })
       console.log(JSON.stringify([report.action, report.fallbacks, fs.readdirSync(root)]))
       fs.rmSync(directory, { recursive: true })`,
    )
    expect(JSON.parse(stdout)).toEqual(['truncate', [{ action: 'spill', reason: 'store_denied' }], []])
  })

  it.runIf(posix)('cannot be searched: reading says that the result is not to be had, without a path', async () => {
    const { stdout } = await runNode(
      `import fs from 'node:fs'; import os from 'node:os'; import path from 'node:path'
       ${asSomebody}
       const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'tol-test-')), root = path.join(directory, 'root')
       fs.mkdirSync(root, { mode: 0o000 })
       const limits = new tol.ToolOutputLimits({ store: new tol.LocalFileStore({ root }), onWarning() {} })
       const page = await limits.read({ handle: 'run/call.0' })
       console.log(JSON.stringify([page.found, page.notice.includes(directory), /EACCES|os error/.test(page.notice)]))
       fs.chmodSync(root, 0o700); fs.rmSync(directory, { recursive: true })`,
    )
    expect(JSON.parse(stdout)).toEqual([false, false, false])
  })

  it.runIf(posix)('few file descriptors are no obstacle: 300 spills at once with 64', async () => {
    const root = newRoot()
    const { stdout, stderr } = await runNode(
      `const limits = new tol.ToolOutputLimits({ store: new tol.LocalFileStore({ root: process.env.ROOT }), onWarning() {} })
       const all = await Promise.all(Array.from({ length: 300 }, (_, i) => limits.reduce(i + 'x'.repeat(20_000), { toolName: 't', runId: 'r' + (i % 50), toolCallId: 'c' + i })))
       console.log(all.filter(({ report }) => report.action === 'spill').length)`,
      { env: { ROOT: root }, wrapper: ['sh', '-c', 'ulimit -n 64; exec "$@"', 'sh'] },
    )
    expect(stderr).toBe('')
    expect(stdout).toBe('300\n')
    expect(keysOf(root)).toHaveLength(300)
  })
})

describe.runIf(posix)('what is planted under the root', () => {
  const secret = `secret ${'s'.repeat(5_000)}`
  const plant = () => {
    const directory = tempDirectory()
    const root = path.join(directory, 'root')
    mkdirSync(root, { mode: 0o700 })
    const outside = path.join(directory, 'outside')
    mkdirSync(outside)
    writeFileSync(path.join(outside, 'call.0'), secret)
    return { root, outside, target: path.join(outside, 'call.0') }
  }

  it('a symlinked directory is followed neither on write nor on read', async () => {
    const { root, outside, target } = plant()
    symlinkSync(outside, path.join(root, 'run'))
    const { limits, reduce, store } = on({ root })
    const { report } = await reduce(large)
    expect(reasons(report)).toEqual(['spill: store_denied'])
    expect(readFileSync(target, 'utf8')).toBe(secret)
    expect(keysOf(outside)).toEqual(['call.0'])
    expect(await limits.read({ handle: 'run/call.0' })).toMatchObject({ found: false })
    await expect(store.read('run/call.0')).rejects.toThrow()
    await expect(store.delete('run/call.0')).rejects.toThrow()
    expect(existsSync(target)).toBe(true)
  })

  it.each<[string, (file: string, target: string) => void]>([
    ['a symlinked file', (file, target) => symlinkSync(target, file)],
    ['a dangling symlink', (file, target) => symlinkSync(`${target}-new`, file)],
    ['a FIFO', (file) => void execFileSync('mkfifo', [file])],
    ['a directory', (file) => void mkdirSync(file)],
    ['a socket-like device', (file) => symlinkSync('/dev/zero', file)],
  ])('%s is neither written through nor read, and nothing hangs', async (_, make) => {
    const { root, outside, target } = plant()
    mkdirSync(path.join(root, 'run'), { mode: 0o700 })
    make(path.join(root, 'run/call.0'), target)
    const { limits, reduce, store } = on({ root })
    const { report } = await reduce(large)
    if (report.handle === undefined) expect(reasons(report)).toEqual([expect.stringMatching(/^spill: store_/)])
    else {
      expect(report.handle).not.toBe('run/call.0')
      expect(storedText(root, report.handle)).toBe(large)
    }
    expect(readFileSync(target, 'utf8')).toBe(secret)
    expect(keysOf(outside)).toEqual(['call.0'])
    expect(await limits.read({ handle: 'run/call.0' })).toMatchObject({ found: false, problem: 'unknown' })
    await expect(store.read('run/call.0')).rejects.toThrow()
    await expect(store.size('run/call.0')).rejects.toThrow()
  })

  it('a hard link to a file outside is not written through', async () => {
    const { root, target } = plant()
    mkdirSync(path.join(root, 'run'), { mode: 0o700 })
    linkSync(target, path.join(root, 'run/call.0'))
    const { report } = await on({ root }).reduce(large)
    expect(report.handle).not.toBe('run/call.0')
    expect(readFileSync(target, 'utf8')).toBe(secret)
  })

  beyondBaseline('a hard link to a file outside is not read', async () => {
    const { root, target } = plant()
    mkdirSync(path.join(root, 'run'), { mode: 0o700 })
    linkSync(target, path.join(root, 'run/call.0'))
    expect(await on({ root }).limits.read({ handle: 'run/call.0' })).toMatchObject({ found: false, problem: 'unknown' })
  })

  it('a directory of the run that is swapped for a symlink is not followed', async () => {
    const { root, outside } = plant()
    const { limits, reduce } = on({ root })
    await reduce(large, { toolCallId: 'first' })
    rmSync(path.join(root, 'run'), { recursive: true })
    symlinkSync(outside, path.join(root, 'run'))
    const { report } = await reduce(large, { toolCallId: 'second' })
    expect(report.handle === undefined || !existsSync(path.join(outside, 'second.0'))).toBe(true)
    expect(keysOf(outside)).toEqual(['call.0'])
    expect(await limits.read({ handle: 'run/call.0' })).toMatchObject({ found: false })
  })
})

describe('as a store of its own', () => {
  it('writes, reads, reads ranges, tells sizes, deletes', async () => {
    const store = new LocalFileStore({ root: newRoot() })
    const handle = await store.write('run/call.0.bin', Buffer.from('0123456789'))
    expect(handle).toBe('run/call.0.bin')
    expect(await store.size(handle)).toBe(10)
    expect(Buffer.from(await store.read(handle)).toString()).toBe('0123456789')
    const range = async (start: number, end: number) =>
      Buffer.from(await store.readRange(handle, start, end)).toString()
    expect([await range(0, 3), await range(3, 7), await range(7, 100), await range(10, 20), await range(4, 4)]).toEqual(
      ['012', '3456', '789', '', ''],
    )
    await store.delete(handle)
    await expect(store.read(handle)).rejects.toMatchObject({ code: 'ENOENT' })
  })

  it.each<[string, Uint8Array]>([
    ['a part of a larger buffer', Buffer.from('xxhelloxx').subarray(2, 7)],
    ['a Uint8Array', new Uint8Array([104, 101, 108, 108, 111])],
  ])('writes exactly the bytes of %s', async (_, data) => {
    const store = new LocalFileStore({ root: newRoot() })
    expect(Buffer.from(await store.read(await store.write('r/c.0', data))).toString()).toBe('hello')
  })

  it('writes nothing for nothing', async () => {
    const store = new LocalFileStore({ root: newRoot() })
    expect(await store.size(await store.write('r/c.0', new Uint8Array()))).toBe(0)
  })

  it.each([
    '',
    '.',
    '..',
    '../x',
    '/abs',
    'a/../b',
    'a//b',
    'a/b\0',
    'a',
    'a/',
    '/a/b',
    'a\\b',
    'run/..',
    './run/call.0',
    'x'.repeat(5_000),
    5,
    null,
    undefined,
    {},
  ])('refuses the key or handle %o', async (name) => {
    const root = newRoot()
    const store = new LocalFileStore({ root })
    await store.write('run/call.0', Buffer.from('x'))
    await expect((async () => store.write(name as string, Buffer.from('y')))()).rejects.toThrow()
    await expect((async () => store.read(name as string))()).rejects.toThrow()
    await expect((async () => store.size(name as string))()).rejects.toThrow()
    expect(keysOf(path.dirname(root))).toEqual(['root/run/call.0'])
  })

  beyondBaseline('tells an unknown handle by the code ENOENT, also for a name that cannot be one', async () => {
    const store = new LocalFileStore({ root: newRoot() })
    await store.write('run/call.0', Buffer.from('x'))
    for (const handle of ['run/none.0', 'none/none.0', '../../etc/passwd', '', 'run'])
      await expect(store.read(handle), handle).rejects.toMatchObject({ code: 'ENOENT' })
  })

  it('shows no path in its errors', async () => {
    const store = new LocalFileStore({ root: '/dev/null/secret-place' })
    const error = await store.write('run/call.0', Buffer.from('x')).then(
      () => undefined,
      (reason: unknown) => reason,
    )
    expect(error).toBeInstanceOf(Error)
  })

  beyondBaseline('prunes on demand and tells how much', async () => {
    const { root, reduce, store } = setup()
    await reduce(large, { runId: 'old', toolCallId: 'a' })
    await reduce(large, { runId: 'old', toolCallId: 'b' })
    await reduce(large, { runId: 'new', toolCallId: 'c' })
    const hour = new Date(Date.now() - 3_600_000)
    utimesSync(path.join(root, 'old/a.0'), hour, hour)
    expect(await store.prune({ olderThanMs: 60_000 })).toEqual({ files: 1, bytes: large.length })
    expect(await store.prune({ runId: 'old' })).toEqual({ files: 1, bytes: large.length })
    expect(keysOf(root).filter((key) => !key.endsWith('/'))).toEqual(['new/c.0'])
    expect(await store.prune({ runId: 'Un/known' })).toEqual({ files: 0, bytes: 0 })
    expect(await store.prune()).toEqual({ files: 1, bytes: large.length })
    expect(keysOf(root).filter((key) => !key.endsWith('/'))).toEqual([])
  })

  beyondBaseline('prunes nothing by mistake', async () => {
    const { root, reduce, store } = setup()
    await reduce(large, { runId: 'run', toolCallId: 'a' })
    const mistakes = [{ olderThan: 1 }, { runID: 'run' }, { runId: undefined }, { olderThanMs: undefined }, 'run', null]
    for (const mistake of [...mistakes, { olderThanMs: '1' }, { runId: {} }])
      await expect(store.prune(mistake as never)).rejects.toThrow(TypeError)
    await expect(store.prune({ olderThanMs: -1 })).rejects.toThrow(RangeError)
    await expect(store.prune({ runID: 'run' } as never)).rejects.toThrow('did you mean runId?')
    expect(keysOf(root)).toEqual(['run/a.0'])
  })
})

describe('a process that is killed', () => {
  it('leaves no half file under a handle', async () => {
    const root = newRoot()
    const size = 8_000_000
    const { signal } = await runNode(
      `const store = new tol.LocalFileStore({ root: process.env.ROOT }), data = Buffer.alloc(${size}, 'x')
       for (let i = 0; i < 8; i++) store.write('run/call_' + i + '.0', data).then(() => process.kill(process.pid, 'SIGKILL'))`,
      { env: { ROOT: root } },
    )
    expect(signal).toBe('SIGKILL')
    const handles = keysOf(root).filter((key) => key.startsWith('run/call_') && /\.0$/.test(key))
    expect(handles.length).toBeGreaterThan(0)
    for (const handle of handles) expect(lstatSync(path.join(root, handle)).size, handle).toBe(size)
  })
})

describe('maxFileBytes and maxBytes', () => {
  it.each([
    [{ maxFileBytes: 20_000 }, 20_000, undefined],
    [{ maxFileBytes: 20_000 }, 20_001, 'too_large'],
    [{ maxBytes: 20_000 }, 20_000, undefined],
    [{ maxBytes: 20_000 }, 20_001, 'too_large'],
    [{ maxBytes: 5 }, 20_000, 'too_large'],
  ])('%o with %i bytes: %s', async (options, size, reason) => {
    const root = newRoot()
    const { reduce } = on({ root, ...options })
    const { report } = await reduce('x'.repeat(size))
    expect(reasons(report)).toEqual(reason ? [`spill: ${reason}`] : [])
    expect(bytesIn(root)).toBe(reason ? 0 : size)
  })

  it('count bytes, not chars', async () => {
    const { report } = await on({ root: newRoot(), maxFileBytes: 30_000 }).reduce('漢'.repeat(10_001))
    expect(reasons(report)).toEqual(['spill: too_large'])
  })

  it('delete the oldest first: 10 MB never hold more after 100 spills of 1 MB, and an evicted handle is unknown', async () => {
    const { limits, root, reduce } = on({ root: newRoot(), maxBytes: 10_000_000 })
    for (let i = 0; i < 100; i++) {
      expect((await reduce(`${i}`.padEnd(1_000_000, '.'), { toolCallId: `c${i}` })).report.handle).toBe(`run/c${i}.0`)
      if (i % 20 === 0) expect(bytesIn(root)).toBeLessThanOrEqual(10_000_000)
    }
    expect(bytesIn(root)).toBeLessThanOrEqual(10_000_000)
    expect(keysOf(root).sort()).toEqual(Array.from({ length: 10 }, (_, i) => `run/c${90 + i}.0`))
    expect(await limits.read({ handle: 'run/c0.0' })).toMatchObject({ found: false, problem: 'unknown' })
    expect((await limits.read({ handle: 'run/c99.0' })).found).toBe(true)
  })

  it('go by the mtime', async () => {
    // Written without a quota: what a process learnt of a file's age for one is trusted for a second.
    const { root, reduce: fill } = on({ root: newRoot() })
    for (const id of ['a', 'b', 'c']) await fill(id.repeat(10_000), { toolCallId: id })
    for (const [id, age] of [
      ['a', 10],
      ['b', 30],
      ['c', 20],
    ] as const)
      utimesSync(path.join(root, `run/${id}.0`), new Date(Date.now() - age * 1_000), new Date(Date.now() - age * 1_000))
    await on({ root, maxBytes: 30_000 }).reduce('d'.repeat(10_000), { toolCallId: 'd' })
    expect(keysOf(root)).toEqual(['run/a.0', 'run/c.0', 'run/d.0'])
  })

  it('hold for many at once and across processes', async () => {
    const root = newRoot()
    const script = `const store = new tol.LocalFileStore({ root: process.env.ROOT, maxBytes: 1_000_000 })
      const limits = new tol.ToolOutputLimits({ store, onWarning() {} })
      await Promise.all(Array.from({ length: 20 }, (_, i) => limits.reduce(process.env.NAME + i + 'x'.repeat(100_000), { toolName: 't', runId: process.env.NAME, toolCallId: 'c' + i })))`
    await Promise.all(['a', 'b', 'c'].map((NAME) => runNode(script, { env: { ROOT: root, NAME } })))
    expect(bytesIn(root)).toBeLessThanOrEqual(1_000_000)
    expect(bytesIn(root)).toBeGreaterThan(0)
  })

  it('hold for each scope on its own', async () => {
    const root = newRoot()
    for (const scope of ['a', 'b'])
      for (const id of ['1', '2'])
        await on({ root, scope, maxBytes: 15_000 }).reduce('x'.repeat(10_000), { toolCallId: id })
    expect(bytesIn(root)).toBe(20_000)
  })
})

describe('cleanupAfterMs', () => {
  const aged = (root: string, handle: string, ms: number) => {
    const then = new Date(Date.now() - ms)
    utimesSync(path.join(root, handle), then, then)
  }

  it('deletes what is older in the background, empty directories too', async () => {
    const root = newRoot()
    const plain = on({ root })
    for (const runId of ['old', 'mixed', 'new']) await plain.reduce(large, { runId, toolCallId: 'a' })
    await plain.reduce(large, { runId: 'mixed', toolCallId: 'b' })
    aged(root, 'old/a.0', 10_000_000)
    aged(root, 'mixed/a.0', 10_000_000)
    const { reduce } = on({ root, cleanupAfterMs: 5_000_000 })
    await reduce(large, { runId: 'now' })
    await expect.poll(() => keysOf(root), { timeout: 10_000 }).toEqual(['mixed/b.0', 'new/a.0', 'now/call.0'])
  })

  it('is off by default', async () => {
    const root = newRoot()
    const { reduce } = on({ root })
    await reduce(large, { toolCallId: 'a' })
    aged(root, 'run/a.0', 1e12)
    await on({ root }).reduce(large, { toolCallId: 'b' })
    await new Promise((go) => setImmediate(go))
    expect(keysOf(root)).toEqual(['run/a.0', 'run/b.0'])
  })

  it.each([1, Number.MAX_SAFE_INTEGER, Number.MAX_VALUE, 0.5])(
    'of %d and mtimes in the future are harmless',
    async (cleanupAfterMs) => {
      const root = newRoot()
      const { reduce } = on({ root, cleanupAfterMs })
      await reduce(large, { toolCallId: 'a' })
      if (existsSync(path.join(root, 'run/a.0'))) aged(root, 'run/a.0', -1e12)
      for (let i = 0; i < 20; i++) expect((await reduce(large, { toolCallId: `b${i}` })).report.action).toBe('spill')
    },
  )
})

describe('scope', () => {
  it('is a sub-root with its own handles; no scope reads what is of another', async () => {
    const root = newRoot()
    const [none, a, b] = [on({ root }), on({ root, scope: 'a' }), on({ root, scope: 'b' })]
    const { report } = await a.reduce(large)
    expect(report.handle).toBe('run/call.0')
    expect((await a.limits.read({ handle: 'run/call.0' })).found).toBe(true)
    expect((await b.limits.read({ handle: 'run/call.0' })).found).toBe(false)
    expect((await none.limits.read({ handle: 'run/call.0' })).found).toBe(false)
    const [key] = keysOf(root)
    for (const handle of [key!, `../${key}`, `a/run/call.0`, `.scope-a/run/call.0`]) {
      expect((await none.limits.read({ handle })).found, handle).toBe(false)
      expect((await b.limits.read({ handle })).found, handle).toBe(false)
    }
    expect((await b.reduce(`other ${large}`)).report.handle).toBe('run/call.0')
    expect((await a.limits.read({ handle: 'run/call.0', limit: 1 })).text).toBe('line 1\n')
  })

  it.each(['', 'A', 'a/b', '..', '.', 'a.b', 'con', 'x'.repeat(41), 'ü', 'a b', 'a~b'])(
    'of other characters is a RangeError: %o',
    (scope) => {
      expect(() => new LocalFileStore({ scope })).toThrow(RangeError)
    },
  )
})

describe('large results', () => {
  it('are stored and read back whole', async () => {
    const { limits, root, reduce } = setup()
    const text = `${numberedLines(400_000, (n) => `${n} äö漢😀`)}end`
    const { report } = await reduce(text)
    expect(report.bytes).toBe(Buffer.byteLength(text))
    expect(storedText(root, report.handle!) === text).toBe(true)
    const page = await limits.read({ handle: report.handle!, offset: 399_999, limit: 1 })
    expect(page.text).toBe('400000 äö漢😀\n')
    expect(page.totalLines).toBe(400_001)
    expect(await limits.readToolResult().execute({ handle: report.handle, offset: 399_999, limit: 1 })).toContain(
      grouped(400_000),
    )
  })
})
