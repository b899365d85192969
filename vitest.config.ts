import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const baseline = fileURLToPath(new URL('bench/baseline/lib/index.mjs', import.meta.url))

// TOL_UNDER_TEST=baseline runs the behaviour suite against the plain JavaScript implementation, the same API without native code.
const file = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const alias =
  process.env.TOL_UNDER_TEST === 'baseline'
    ? [
        { find: /^(?:\.\.\/)+index\.js$/, replacement: baseline },
        { find: /^tool-output-limits$/, replacement: baseline },
      ]
    : [
        // The package under its own name: the host tests live in a package of their own, from where node does not find it.
        { find: /^tool-output-limits$/, replacement: file('index.js') },
        { find: /^tool-output-limits\/(.+)$/, replacement: `${file('adapters/')}$1.ts` },
        // The one host that an adapter loads itself: from the adapter's place node finds it in an application only.
        {
          find: /^@anthropic-ai\/claude-agent-sdk$/,
          replacement: file('__test__/hosts/node_modules/@anthropic-ai/claude-agent-sdk/sdk.mjs'),
        },
      ]

export default defineConfig({
  resolve: { alias },
  test: {
    include: ['__test__/**/*.test.ts'],
    pool: 'forks',
    // Loaders and the baseline are CommonJS underneath: node loads them itself, so that every test file meets the very classes a user meets.
    server: { deps: { external: [/\/bench\/baseline\//, /\/index\.c?js$/, /\/dist\//] } },
    testTimeout: 120_000,
  },
})
