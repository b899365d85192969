/**
 * `tool-output-limits/store-conformance`: what every store has to do, as cases for any test runner.
 *
 * ```ts
 * for (const { name, run } of storeConformance(() => new MyStore())) test(name, run)
 * ```
 */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { type OverflowStore, ToolOutputLimits } from 'tool-output-limits'
import { aNumber, expectOptions } from './shared/expect.js'

/** One thing that a store has to do. */
export interface StoreCase {
  readonly name: string
  /** Rejects with an `AssertionError` where the store does otherwise. */
  readonly run: () => Promise<void>
}

export interface StoreConformanceOptions {
  /** Largest result that is tried, in bytes. Default: 1,500,000. */
  largestBytes?: number | undefined
}

/**
 * The cases. `store` gives the store to test, anew for each case or always the same: every case writes under keys of its
 * own, and leaves behind what it wrote. Optional methods are tested where the store has them.
 */
export function storeConformance(
  store: () => OverflowStore | Promise<OverflowStore>,
  options: StoreConformanceOptions = {},
): StoreCase[] {
  const { largestBytes = 1_500_000 } = expectOptions(options, { largestBytes: aNumber }, 'storeConformance')
  const test = (name: string, run: (store: OverflowStore, key: (name: string) => string) => Promise<void>) => ({
    name,
    run: async () => {
      const place = `conformance-${randomBytes(8).toString('hex')}`
      await run(await store(), (part) => `${place}/${part}`)
    },
  })
  return [
    test('reads back exactly the bytes that were written', async (store, key) => {
      const larger = Buffer.from('xxhelloxx')
      const contents: [string, Uint8Array][] = [
        ['nothing', new Uint8Array(0)],
        ['one byte', Uint8Array.of(0)],
        ['every byte', Uint8Array.from({ length: 256 }, (_, byte) => byte)],
        ['text', Buffer.from('line\r\n한국어 😀\u2028\n')],
        ['JSON that a backend may be tempted to parse', Buffer.from('{"a":1}')],
        ['a number that a backend may be tempted to parse', Buffer.from('1e999')],
        ['a part of a larger buffer', larger.subarray(2, 7)],
        ['the largest', randomBytes(largestBytes)],
      ]
      for (const [index, [comment, bytes]] of contents.entries()) {
        const handle = await store.write(key(`c${index}.0.bin`), bytes)
        assert.ok(same(await store.read(handle), bytes), comment)
      }
    }),
    test('gives a handle that a model can repeat', async (store, key) => {
      const handle = await store.write(key('call.0'), Buffer.from('text'))
      assert.equal(typeof handle, 'string')
      assert.match(handle, /^[\x21-\x7e]{1,400}$/, 'printable, without spaces, of 1 to 400 chars')
      assert.doesNotMatch(handle, /[`"']/, 'without quotes')
    }),
    test('gives the same handle for the same bytes under the same key', async (store, key) => {
      const write = () => store.write(key('call.0'), Buffer.from('same'))
      const first = await write()
      assert.equal(await write(), first)
      assert.ok(same(await store.read(first), Buffer.from('same')))
    }),
    test('gives another handle for other bytes under the same key, and leaves the first intact', async (store, key) => {
      const versions = ['first', 'other', 'third', 'longer than the first']
      const handles: string[] = []
      for (const text of versions) handles.push(await store.write(key('call.0'), Buffer.from(text)))
      assert.equal(new Set(handles).size, versions.length)
      for (const [index, text] of versions.entries()) {
        assert.ok(same(await store.read(handles[index] as string), Buffer.from(text)), text)
      }
    }),
    test('keeps what writers that race for one key wrote', async (store, key) => {
      const texts = Array.from({ length: 12 }, (_, n) => `text ${n % 6}`)
      const handles = await Promise.all(texts.map((text) => store.write(key('call.0'), Buffer.from(text))))
      assert.equal(new Set(handles).size, 6, 'a handle for each of the different bytes')
      for (const [index, text] of texts.entries()) {
        assert.ok(same(await store.read(handles[index] as string), Buffer.from(text)), text)
      }
    }),
    test('keeps keys apart', async (store, key) => {
      const names = [
        'a.0',
        'a.1',
        'a.0.content',
        'a.0.structured',
        'a.0.bin',
        'a.0.bin-utf-16le',
        'a-0.0',
        'a_0.0',
        'a~abcdefgh.0',
      ]
      const handles = new Map<string, string>()
      for (const name of names) handles.set(name, await store.write(key(name), Buffer.from(name)))
      assert.equal(new Set(handles.values()).size, names.length)
      for (const [name, handle] of handles) assert.ok(same(await store.read(handle), Buffer.from(name)), name)
    }),
    test('is not touched by what the caller does to its bytes later', async (store, key) => {
      const bytes = Buffer.from('as it was')
      const handle = await store.write(key('call.0'), bytes)
      bytes.fill(0)
      const read = await store.read(handle)
      assert.ok(same(read, Buffer.from('as it was')))
      read?.fill(0)
      assert.ok(same(await store.read(handle), Buffer.from('as it was')), 'nor by what a reader does to them')
    }),
    test('tells an unknown handle from a failure', async (store, key) => {
      const handle = await store.write(key('call.0'), Buffer.from('x'))
      const handles = [
        key('none.0'),
        key('none.0~000000000000000000000000'),
        `${handle}x`,
        handle.slice(0, -1),
        '',
        'x',
        '../../etc/passwd',
        '/etc/passwd',
        `../${handle}`,
        `${handle}/..`,
        `${handle}\0`,
        'https://example.com/x',
        'x'.repeat(5_000),
      ]
      for (const unknown of handles) {
        assert.ok(await isUnknown(() => store.read(unknown)), `read ${JSON.stringify(unknown).slice(0, 80)}`)
        if (store.size) {
          assert.ok(await isUnknown(() => store.size?.(unknown)), `size ${JSON.stringify(unknown).slice(0, 80)}`)
        }
      }
      assert.ok(same(await store.read(handle), Buffer.from('x')))
    }),
    test('reads ranges as parts of the whole', async (store, key) => {
      if (!store.readRange) return
      const bytes = randomBytes(Math.min(largestBytes, 700_000))
      const handle = await store.write(key('call.0.bin'), bytes)
      const { length } = bytes
      const ranges: [number, number][] = [
        [0, 0],
        [0, 1],
        [length - 1, length],
        [0, length],
        [5, 5],
        [length >> 1, (length >> 1) + 1],
        [262_143, 262_145],
        [1, length - 1],
        [length - 3, length + 100],
        [length, length + 5],
      ]
      for (const [start, end] of ranges) {
        assert.ok(same(await store.readRange(handle, start, end), bytes.subarray(start, end)), `${start} to ${end}`)
      }
    }),
    test('knows the size', async (store, key) => {
      if (!store.size) return
      for (const size of [0, 1, 300_000]) {
        assert.equal(await store.size(await store.write(key(`c${size}.0`), randomBytes(size))), size)
      }
    }),
    test('deletes one result and no other', async (store, key) => {
      if (!store.delete) return
      const [gone, kept] = [
        await store.write(key('call.0'), Buffer.from('gone')),
        await store.write(key('call.0'), Buffer.from('kept')),
      ]
      await store.delete(gone)
      assert.ok(await isUnknown(() => store.read(gone)))
      assert.ok(same(await store.read(kept), Buffer.from('kept')))
      const again = await store.write(key('call.0'), Buffer.from('gone'))
      assert.ok(same(await store.read(again), Buffer.from('gone')), 'it can be written again')
    }),
    test('serves a spilled text whole, page by page, to another instance', async (shared) => {
      const runId = randomBytes(8).toString('hex')
      const text = Array.from({ length: 5_000 }, (_, n) => `${n}: ${'äö漢😀'.repeat(n % 7)}\n`).join('')
      const writer = new ToolOutputLimits({ store: shared, onWarning() {} })
      writer.readToolResult()
      const { report } = await writer.reduce(text, { toolName: 'tool', runId, toolCallId: 'call' })
      assert.equal(report.action, 'spill', JSON.stringify(report.fallbacks))
      const reader = new ToolOutputLimits({ store: shared, onWarning() {} })
      let read = ''
      let next: Parameters<typeof reader.read>[0] | undefined = { handle: report.handle as string }
      for (let pages = 0; next !== undefined && pages < 1_000; pages++) {
        const page = await reader.read(next)
        assert.ok(page.found, page.notice)
        read += page.text
        next = page.next
      }
      assert.ok(read === text)
    }),
    test('keeps the ending of the key, by which bytes are told from text', async (store) => {
      const limits = new ToolOutputLimits({ store, onWarning() {} })
      limits.readToolResult()
      const runId = randomBytes(8).toString('hex')
      const value = Buffer.concat([Buffer.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10]), randomBytes(20_000)])
      const { report } = await limits.reduce(value, { toolName: 'tool', runId, toolCallId: 'call' })
      assert.equal(report.action, 'spill', JSON.stringify(report.fallbacks))
      const page = await new ToolOutputLimits({ store, onWarning() {} }).read({
        handle: report.handle as string,
      })
      assert.ok(page.found)
      assert.match(JSON.stringify(page), /image\/png/)
    }),
  ].map((item) => Object.freeze(item))
}

function same(read: Uint8Array | null | undefined, expected: Uint8Array): boolean {
  return read instanceof Uint8Array && Buffer.compare(read, expected) === 0
}

async function isUnknown(work: () => unknown): Promise<boolean> {
  try {
    const answer = await work()
    return answer === null || answer === undefined
  } catch (error) {
    return (error as { code?: unknown }).code === 'ENOENT'
  }
}
