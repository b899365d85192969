// The same classes as `require` gives: the entry is built once.
// Written by scripts/build-entry.mjs from the exports of api/index.ts.
import entry from './index.cjs'

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
} = entry
