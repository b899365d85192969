// Stores over real backends, for the tests and for the processes they start. Resolved from here: the clients are
// packages of this folder.
import { S3 } from '@aws-sdk/client-s3'
import KeyvRedis from '@keyv/redis'
import { PostgresStore } from '@langchain/langgraph-checkpoint-postgres/store'
import Keyv from 'keyv'
import { createStorage } from 'unstorage'

/** Opens a store of `stores` (the module `tool-output-limits/stores`) over a backend. → the store, and what closes its client */
export async function openBackend(stores, { kind, url }) {
  return OPEN[kind](stores, url)
}

const quiet = () => {}
const OPEN = {
  async redis({ KeyvStore }, url) {
    const { keyv, close } = await redisClient(url)
    return { store: new KeyvStore({ keyv }), close }
  },
  async postgres({ LangGraphStore }, url) {
    const connectionOptions = { connectionString: url, connectionTimeoutMillis: 5_000 }
    const client = new PostgresStore({ connectionOptions })
    // An idle connection that breaks is an event of the pool, and one without a listener ends the process.
    client.core.pool.on('error', quiet)
    await client.setup()
    return { store: new LangGraphStore({ store: client }), close: () => client.stop() }
  },
  async s3({ S3Store }, url) {
    const client = new S3({
      endpoint: url,
      region: 'us-east-1',
      forcePathStyle: true,
      maxAttempts: 2,
      credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    })
    await client.createBucket({ Bucket: 'results' }).catch(quiet)
    return { store: new S3Store({ client, bucket: 'results' }), close: async () => client.destroy(), client }
  },
  async unstorage({ UnstorageStore }, url) {
    const { redis, close } = await redisClient(url)
    const driver = {
      name: 'redis',
      hasItem: async (key) => (await redis.client.exists(key)) === 1,
      getItem: (key) => redis.client.get(key),
      setItem: (key, value) => redis.client.set(key, value),
      removeItem: (key) => redis.client.del(key),
      getKeys: async () => [],
    }
    return { store: new UnstorageStore({ storage: createStorage({ driver }) }), close }
  },
}

async function redisClient(url) {
  const redis = new KeyvRedis(
    { url, disableOfflineQueue: true, socket: { reconnectStrategy: () => 50, connectTimeout: 2_000 } },
    { throwOnErrors: true, throwOnConnectError: true },
  )
  const keyv = new Keyv({ store: redis, namespace: 'tool-output', throwOnErrors: true })
  keyv.on('error', quiet)
  // A lost connection is an event of the client under it, and one without a listener ends the process.
  redis.client.on('error', quiet)
  // Without its queue the client refuses what comes while it connects for the first time.
  await redis.getClient()
  return { keyv, redis, close: () => redis.disconnect(true) }
}
