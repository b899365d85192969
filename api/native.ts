/** The native addon. Loaded at run time from beside the entry; its types are generated with it. */
import native from '../native.cjs'

export type * from '../native.cjs'
export { native }
