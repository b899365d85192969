// The same classes as `require` gives: the entry is built once.
import entry from './index.cjs'

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
} = entry
