import type { OverflowStore } from '../../index.js'

export declare function openBackend(
  stores: object,
  backend: { kind: string; url: string },
): Promise<{ store: OverflowStore; close(): Promise<void> }>
