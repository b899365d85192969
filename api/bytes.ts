import { isUtf8 } from 'node:buffer'
import { types } from 'node:util'

/** What counts as bytes: of any realm, and never what only looks like them, such as a Proxy. */
export type Bytes = Uint8Array | ArrayBufferLike | DataView

/** Bytes whose control characters decide whether the whole is text. */
const SAMPLE_BYTES = 64 * 1024

export function isBytes(value: unknown): value is Bytes {
  return types.isUint8Array(value) || types.isAnyArrayBuffer(value) || types.isDataView(value)
}

/**
 * The same memory as a plain `Uint8Array`, without a copy. Empty where the buffer was detached, or shrunk away from
 * under the view. Properties that the application put on the object are not looked at.
 */
export function bytesView(value: Bytes): Uint8Array {
  try {
    if (types.isAnyArrayBuffer(value)) return new Uint8Array(value)
    const view = types.isDataView(value) ? DATA_VIEW : TYPED_ARRAY
    return new Uint8Array(view.buffer(value), view.byteOffset(value), view.byteLength(value))
  } catch {
    return new Uint8Array(0)
  }
}

/** Whether bytes are valid UTF-8 and begin, as far as the sample goes, like text and not like a binary format. */
export function isText(bytes: Uint8Array): boolean {
  const end = Math.min(bytes.length, SAMPLE_BYTES)
  for (let i = 0; i < end; i++) if (isBinaryControl(bytes[i] as number)) return false
  return isUtf8(bytes)
}

/** BEL to CR and ESC occur in text, in terminal output above all; the other C0 controls and DEL do not. */
function isBinaryControl(byte: number): boolean {
  return byte < 0x20 ? byte < 0x07 || (byte > 0x0d && byte !== 0x1b) : byte === 0x7f
}

/** The getters that read the internal slots, whatever properties the object itself has. */
const TYPED_ARRAY = slots(Object.getPrototypeOf(Uint8Array.prototype))
const DATA_VIEW = slots(DataView.prototype)

function slots(prototype: object) {
  const getter = <T>(name: string) => {
    const get = Object.getOwnPropertyDescriptor(prototype, name)?.get
    return (view: ArrayBufferView): T => Reflect.apply(get as () => T, view, [])
  }
  return {
    buffer: getter<ArrayBufferLike>('buffer'),
    byteOffset: getter<number>('byteOffset'),
    byteLength: getter<number>('byteLength'),
  }
}
