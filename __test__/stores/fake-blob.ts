import type { VercelBlobLike } from 'tool-output-limits/stores'

class BlobNotFoundError extends Error {}

/** The functions of `@vercel/blob` over memory: the service itself cannot be had offline. */
export function fakeBlob({ ranges = true } = {}): VercelBlobLike & { fetched: number } {
  const blobs = new Map<string, Buffer>()
  const fake = {
    fetched: 0,
    async put(pathname: string, body: Buffer) {
      blobs.set(pathname, Buffer.from(body))
    },
    async get(pathname: string, options: { headers?: Record<string, string> }) {
      const blob = blobs.get(pathname)
      if (blob === undefined) return null
      const [, start, end] = /^bytes=(\d+)-(\d+)$/.exec(options.headers?.range ?? '') ?? []
      const isPart = ranges && start !== undefined
      const bytes = isPart ? blob.subarray(Number(start), Number(end) + 1) : blob
      fake.fetched += bytes.length
      const stream = new Blob([new Uint8Array(bytes)]).stream()
      return { statusCode: 200, stream, headers: new Headers(isPart ? { 'content-range': 'bytes' } : {}) }
    },
    async head(pathname: string) {
      const blob = blobs.get(pathname)
      if (blob === undefined) throw new BlobNotFoundError()
      return { size: blob.length }
    },
    async del(pathname: string) {
      blobs.delete(pathname)
    },
  }
  return fake
}
