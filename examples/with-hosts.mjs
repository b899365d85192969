// Lets an example find host packages that only the host tests install: node --import ./examples/with-hosts.mjs examples/mcp.mjs
import { register } from 'node:module'
import { isMainThread } from 'node:worker_threads'

const hosts = new URL('../__test__/hosts/package.json', import.meta.url).href

if (isMainThread) register(import.meta.url)

export async function resolve(specifier, context, next) {
  try {
    return await next(specifier, context)
  } catch (error) {
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error
    return next(specifier, { ...context, parentURL: hosts })
  }
}
