/** The entry: what `require` and `import` give. Types are in ../index.d.ts, written by hand. */
export { passthrough, spill, summarize, truncate } from './actions.js'
export { indentedJson, jsonLines } from './layouts.js'
export { ToolOutputLimits } from './limits.js'
export { LocalFileStore, MemoryStore } from './stores.js'
