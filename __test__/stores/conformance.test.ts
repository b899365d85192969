// One suite over every store there is: the engine's own, those of the package over real servers, and one that an
// application may have written.
import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { storeConformance } from 'tool-output-limits/store-conformance'
import * as stores from 'tool-output-limits/stores'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { LocalFileStore, MemoryStore, type OverflowStore, ToolOutputLimits } from '../../index.js'
import { keysOf, newRoot, tempDirectory } from '../support/roots.js'
import { fakeBlob } from './fake-blob.js'
import { startBackends } from './services.js'

function conforms(name: string, store: () => OverflowStore | Promise<OverflowStore>) {
  describe(name, () => {
    for (const { name, run } of storeConformance(store)) it(name, run)
  })
}

conforms('LocalFileStore', () => new LocalFileStore({ root: newRoot() }))
conforms('LocalFileStore with limits', () => new LocalFileStore({ root: newRoot(), maxBytes: 1e9, scope: 'a' }))
conforms('MemoryStore', () => new MemoryStore())
conforms('WorkspaceStore', () => {
  const workspace = tempDirectory()
  return new stores.WorkspaceStore({ workspace, fileTool: { name: 'read_file' } })
})
conforms('VercelBlobStore over a fake of its client', () => new stores.VercelBlobStore({ client: fakeBlob() }))
conforms('VercelBlobStore over a fake that knows no ranges', () => {
  return new stores.VercelBlobStore({ client: fakeBlob({ ranges: false }) })
})
conforms('KeyvStore over a map', () => {
  const map = new Map<string, unknown>()
  return new stores.KeyvStore({
    keyv: {
      get: async (key) => map.get(key),
      set: async (key, value) => map.set(key, value) === map,
      delete: async (key) => map.delete(key),
      on: () => {},
    },
  })
})
conforms('ChunkedStore over a map, in small chunks', () => {
  return new stores.ChunkedStore(new Map<string, string>(), { chunkBytes: 7 })
})
conforms('the smallest store that an application can write', () => {
  const results = new Map<string, Uint8Array>()
  return {
    write(key, data) {
      for (let n = 1; ; n++) {
        const handle = n === 1 ? key : `${key}~${n}`
        const there = results.get(handle)
        if (there === undefined) results.set(handle, Uint8Array.from(data))
        else if (Buffer.compare(there, data) !== 0) continue
        return handle
      }
    },
    read: (handle) => results.get(handle)?.slice(),
  }
})

for (const { kind, service } of await startBackends()) {
  const title = `${kind}, a real server`
  if (service.skipped !== undefined) {
    describe.skip(`${title} (${service.skipped})`, () => it('conforms'))
    continue
  }
  describe(title, () => {
    let opened: { store: OverflowStore; close(): Promise<void> }
    beforeAll(async () => {
      const { openBackend } = await import('./backends.mjs')
      opened = await openBackend(stores, { kind, url: service.url })
    })
    afterAll(() => opened.close())
    for (const { name, run } of storeConformance(() => opened.store)) it(name, run)
  })
}

it('the suite finds what a bad store does wrong', async () => {
  const results = new Map<string, Uint8Array>()
  const overwriting: OverflowStore = {
    write(key, data) {
      results.set(key, data)
      return key
    },
    read(handle) {
      const found = results.get(handle)
      if (found === undefined) throw new Error('no idea')
      return found
    },
  }
  const failed: string[] = []
  for (const { name, run } of storeConformance(() => overwriting)) await run().catch(() => failed.push(name))
  expect(failed).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/another handle for other bytes/),
      expect.stringMatching(/race for one key/),
      expect.stringMatching(/not touched by what the caller does/),
      expect.stringMatching(/unknown handle/),
    ]),
  )
  expect(failed).toHaveLength(4)
})

it('a workspace keeps its results out of the repository', async () => {
  const workspace = path.join(tempDirectory(), 'project')
  mkdirSync(workspace)
  const store = new stores.WorkspaceStore({ workspace, fileTool: { name: 'read_file' } })
  const handle = await store.write('run/call.0', Buffer.from('x'))
  expect(keysOf(workspace)).toEqual(['.tool-output/.gitignore', handle])
})

it('reads of stored results by the tools of a workspace are exempt, and others are not', () => {
  const store = new stores.WorkspaceStore({
    workspace: tempDirectory(),
    fileTool: { name: 'read_file' },
    readers: ['grep', 'read_files'],
  })
  const exempt = (toolName: string, input: unknown) => store.exempts({ toolName, input } as never)
  for (const [toolName, input] of [
    ['read_file', { path: '.tool-output/run/call.0' }],
    ['fs__read_file', { path: '/.tool-output/run/call.0' }],
    ['read_file', '{"path":".tool-output/run/call.0"}'],
    ['read_files', { paths: ['README.md', './.tool-output/run/call.0'] }],
    ['grep', { pattern: 'error', dir: '.tool-output' }],
  ] as const)
    expect(exempt(toolName, input), JSON.stringify(input)).toBe(true)
  for (const [toolName, input] of [
    ['read_file', { path: 'README.md' }],
    ['read_file', { path: '.tool-output-of-mine/x' }],
    ['grep', { pattern: '.tool-output/x', dir: 'src' }],
    ['write_file', { path: '.tool-output/run/call.0' }],
    ['read_file', undefined],
  ] as const)
    expect(exempt(toolName, input), JSON.stringify(input)).toBe(false)
})

it('a result of which a chunk expired is an unknown handle', async () => {
  const map = new Map<string, unknown>()
  const keyv = {
    get: async (key: string) => map.get(key),
    set: async (key: string, value: unknown) => map.set(key, value) === map,
    delete: async (key: string) => map.delete(key),
    on: () => {},
  }
  const limits = () => new ToolOutputLimits({ store: new stores.KeyvStore({ keyv }), onWarning() {} })
  const { report } = await limits().reduce('line\n'.repeat(100_000), { toolName: 'tool' })
  const [chunk] = [...map.keys()].filter((key) => key.endsWith('.part1'))
  map.delete(chunk ?? '')
  const read = { handle: report.handle ?? '', offset: 99_000, limit: 5 }
  expect(await limits().read(read)).toMatchObject({ found: false, problem: 'unknown' })
})

const TAKE_OPTIONS: Record<string, (extra: object) => unknown> = {
  KeyvStore: (extra) => new stores.KeyvStore({ keyv: new Map() as never, ...extra }),
  LangGraphStore: (extra) => new stores.LangGraphStore({ store: {} as never, ...extra }),
  S3Store: (extra) => new stores.S3Store({ client: {} as never, bucket: 'b', ...extra }),
  UnstorageStore: (extra) => new stores.UnstorageStore({ storage: {} as never, ...extra }),
  VercelBlobStore: (extra) => new stores.VercelBlobStore({ client: {} as never, ...extra }),
  WorkspaceStore: (extra) => new stores.WorkspaceStore({ workspace: '.', fileTool: { name: 'read' }, ...extra }),
  ChunkedStore: (extra) => new stores.ChunkedStore(new Map(), extra as never),
}
it.each(Object.entries(TAKE_OPTIONS))('%s knows its options by name', (name, made) => {
  const message = new RegExp(`^${name}: unknown option "zone"; known are \\w`)
  expect(() => made({ zone: 'logs/' })).toThrow(message)
})

it.each<[string, string, object]>([
  ['VercelBlobStore', 'token must be a string, got an object', { token: {} }],
  ['WorkspaceStore', 'directory must be a string, got 5', { directory: 5 }],
  ['WorkspaceStore', 'readers must be an array of names of tools, got a string', { readers: 'grep' }],
  ['WorkspaceStore', 'unknown option "cleanupAfter"; did you mean cleanupAfterMs\\?', { cleanupAfter: 5 }],
  ['WorkspaceStore', 'workspace must spell ~ out', { workspace: '~/project' }],
  [
    'WorkspaceStore.fileTool',
    'unknown option "path"; known are name, pathArgument',
    { fileTool: { name: 'r', path: 'p' } },
  ],
  ['WorkspaceStore.fileTool', 'pathArgument must be a string, got 5', { fileTool: { name: 'read', pathArgument: 5 } }],
])('%s: %s', (name, message, extra) => {
  expect(() => TAKE_OPTIONS[name.replace(/\..*/, '')]?.(extra)).toThrow(new RegExp(`^${name}: ${message}`))
})

it('a write that nobody waits for any more fails as aborted', async () => {
  const signal = AbortSignal.abort()
  const write = new stores.ChunkedStore(new Map()).write('run/call.0', Buffer.from('text'), { signal })
  await expect(write).rejects.toMatchObject({ reason: 'aborted' })
})

it('the suite for stores knows its options', () => {
  const cases = (options: object) => () => storeConformance(() => new MemoryStore(), options)
  expect(cases({ largestByte: 5 })).toThrow(/^storeConformance: unknown option .* did you mean largestBytes\?$/)
  expect(cases({ largestBytes: '5' })).toThrow(/^storeConformance: largestBytes must be a number, got a string$/)
})
