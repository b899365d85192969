/**
 * `tool-output-limits/stores`: stores that other processes and machines can read.
 *
 * ```ts
 * const store = new S3Store({ client: new S3({ region }), bucket: 'agents' })
 * const limits = new ToolOutputLimits({ store })
 * ```
 *
 * Their handles end in a digest of the bytes: writers on many machines need no lock and never overwrite each other. No
 * store imports a client; the one you have is handed in, and closed by you.
 */
export { ChunkedStore, type ChunkedStoreOptions, type StringMap } from './shared/chunked-store.js'
export { type KeyvLike, KeyvStore, type KeyvStoreOptions } from './stores/keyv.js'
export { LangGraphStore, type LangGraphStoreLike, type LangGraphStoreOptions } from './stores/langgraph.js'
export { type S3Like, S3Store, type S3StoreOptions } from './stores/s3.js'
export { type UnstorageLike, UnstorageStore, type UnstorageStoreOptions } from './stores/unstorage.js'
export { type VercelBlobLike, VercelBlobStore, type VercelBlobStoreOptions } from './stores/vercel-blob.js'
export { WorkspaceStore, type WorkspaceStoreOptions } from './stores/workspace.js'
