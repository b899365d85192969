/** The native addon, loaded from beside the entry. Its loader and its types are generated with it. */
type Native = typeof import('../native.cjs')

/** What binaries are published for. */
const PLATFORMS = ['Linux x64 and arm64 (glibc and musl)', 'macOS arm64 and x64', 'Windows x64']

function load(): Native {
  try {
    return require('../native.cjs') as Native
  } catch (cause) {
    throw new Error(
      `tool-output-limits: no native binary could be loaded for ${process.platform} ${process.arch}. ` +
        `Binaries are published for ${PLATFORMS.join(', ')}, as optional dependencies: an install with --omit=optional ` +
        'or with a lock file of another platform leaves them out; delete node_modules and the lock file and install again. ' +
        'To build from source, with Rust installed: clone the repository and run "npm run build".',
      { cause },
    )
  }
}

export const native: Native = load()
