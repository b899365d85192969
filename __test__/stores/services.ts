// The servers that the tests of this folder need, each started once in a test file and stopped after it.
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll } from 'vitest'
// @ts-expect-error a script without types
import { startPostgres, startRedis, startS3 } from '../../scripts/services.mjs'

export interface Service {
  url: string
  start(): Promise<unknown>
  kill(): Promise<void>
  stop(): Promise<void>
  skipped?: undefined
}
export interface Backend {
  kind: 'redis' | 'unstorage' | 'postgres' | 's3'
  service: Service | { skipped: string }
}

/** Why the clients of the backends cannot be loaded; undefined where they can. */
const missing = existsSync(fileURLToPath(new URL('node_modules/keyv', import.meta.url)))
  ? undefined
  : 'the packages of __test__/stores are not installed: node scripts/setup.mjs --hosts'

/** Starts all of them; what cannot be had says why. */
export async function startBackends(): Promise<Backend[]> {
  const absent = { skipped: missing ?? '' }
  const [redis, postgres, s3] =
    missing === undefined ? await Promise.all([startRedis(), startPostgres(), startS3()]) : [absent, absent, absent]
  afterAll(() => Promise.all([redis, postgres, s3].map((service) => service.stop?.())))
  const backends: Backend[] = [
    { kind: 'redis', service: redis },
    { kind: 'unstorage', service: redis },
    { kind: 'postgres', service: postgres },
    { kind: 's3', service: s3 },
  ]
  for (const { kind, service } of backends) {
    if (service.skipped !== undefined) console.warn(`skipped: ${kind}: ${service.skipped}`)
  }
  return backends
}
