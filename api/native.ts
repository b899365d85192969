/** The native addon. Loaded at run time from beside the entry; its types are generated with it. */
// biome-ignore lint/style/useNodejsImportProtocol: a file of ours
import native from '../native.cjs'

export type * from '../native.cjs'
export { native }
