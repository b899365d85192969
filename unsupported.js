// In place of index.js where native addons cannot be loaded: edge runtimes and browsers.
// Written by scripts/build-entry.mjs from the exports of api/index.ts.
function unsupported() {
  throw new Error(
    'tool-output-limits is a native Node.js addon (Node.js 20 or later) and cannot run in an edge runtime or a browser. Run the tool on the Node.js runtime; see docs/bundlers.md.',
  )
}

export const {
  LocalFileStore,
  MemoryStore,
  ToolOutputLimits,
  indentedJson,
  jsonLines,
  passthrough,
  spill,
  summarize,
  truncate,
} = unsupported()
