// What edge runtimes and browsers get in place of index.js: native addons cannot be loaded there. It has the same exports,
// so that a static import fails with this message and not over a missing name.
function unsupported() {
  throw new Error(
    'tool-output-limits is a native Node.js addon (Node.js 20 or later) and cannot run in an edge runtime or a browser. ' +
      'Run the tool on the Node.js runtime; see docs/bundlers.md.',
  )
}

export const {
  ToolOutputLimits,
  LocalFileStore,
  MemoryStore,
  truncate,
  spill,
  summarize,
  passthrough,
  indentedJson,
  jsonLines,
} = unsupported()
