import { types } from 'node:util'
import { type Bytes, bytesView, isBytes, isText } from './bytes.js'
import { isError } from './is-error.js'
import { MAX_DEPTH, MAX_HOLES, type RenderLimits } from './render-limits.js'

const SIZE_LIMIT = '"[Size limit]"'
/** Of what a getter or `toJSON` threw, the model sees this much. */
const MAX_MESSAGE_CHARS = 500
/** Digits of a bigint cost more than linear time: beyond this size they draw on a budget. */
const LARGE_BIGINT = 1n << 65_536n
/** Made once: a negation is a copy. */
const LARGE_NEGATIVE_BIGINT = -LARGE_BIGINT
/** Bits of all large bigints in one rendering: about two seconds of work at worst. */
const MAX_BIGINT_BITS = 16_000_000
/** Bits of one bigint, compared before anything is computed from it. */
const MAX_BIGINT = 1n << 4_000_000n

const ERROR_KEYS = ['name', 'message', 'stack', 'cause', 'errors']
const IDENTIFIER = /^[A-Za-z_$][\w$]*$/
const ARRAY_INDEX = /^(0|[1-9]\d*)$/

/**
 * Renders any value as compact JSON, in bounded time and memory, and asks every getter, trap and `toJSON` at most once.
 *
 * A value past a limit is replaced by a note, and what would follow it in the open containers is left out. One walker
 * is good for one rendering.
 */
export class Walker {
  private valuesLeft: number
  private charsLeft: number
  private bigintBitsLeft = MAX_BIGINT_BITS
  private isFull = false
  /** Keys from the root to the value at hand; array indices as numbers. */
  private readonly path: (string | number)[] = []
  /** The containers above the value at hand, each with the length of its own path. */
  private readonly open = new Map<object, number>()

  constructor({ values, chars }: RenderLimits) {
    this.valuesLeft = values
    this.charsLeft = chars
  }

  /** The text of a value, or undefined where `JSON.stringify` leaves it out. */
  render(value: unknown, key: string, depth: number): string | undefined {
    this.valuesLeft -= 1
    if (this.valuesLeft < 0 || this.charsLeft <= 0) return this.sizeLimit()
    try {
      return this.primitiveOrContainer(canHaveToJson(value) ? unboxed(replacedByToJson(value, key)) : value, depth)
    } catch (error) {
      return this.threw(error)
    }
  }

  private primitiveOrContainer(value: unknown, depth: number): string | undefined {
    switch (typeof value) {
      case 'string':
        return this.string(value)
      case 'number':
        return this.emit(Number.isFinite(value) ? String(value) : 'null')
      case 'boolean':
        return this.emit(String(value))
      case 'bigint':
        return this.bigint(value)
      case 'object':
        return value === null ? this.emit('null') : this.container(value, depth)
      default:
        return undefined
    }
  }

  private container(value: object, depth: number): string {
    const pathLength = this.open.get(value)
    if (pathLength !== undefined) return this.string(`[Circular ${this.pathText(pathLength)}]`)
    if (depth >= MAX_DEPTH) return this.string('[Depth limit]')
    const length = this.path.length
    this.open.set(value, length)
    try {
      return this.members(value, depth)
    } finally {
      this.open.delete(value)
      this.path.length = length // an exhausted stack can throw between a push and its pop
    }
  }

  private members(value: object, depth: number): string {
    if (Array.isArray(value)) return this.list(value, depth)
    if (isBytes(value)) return this.bytes(value, depth)
    if (types.isMap(value)) return this.map(value, depth)
    if (types.isSet(value)) return this.list(this.snapshot(Set.prototype.values.call(value)), depth)
    const get = (key: string) => (value as Record<string, unknown>)[key]
    if (!isError(value)) return this.record(this.keysOf(value), get, depth)
    const ownKeys = Object.keys(value).filter((key) => !ERROR_KEYS.includes(key))
    return this.record([...ERROR_KEYS, ...ownKeys], get, depth)
  }

  private map(value: Map<unknown, unknown>, depth: number): string {
    const pairs = this.snapshot(Map.prototype.entries.call(value) as Iterable<[unknown, unknown]>)
    for (const key of Map.prototype.keys.call(value)) if (typeof key !== 'string') return this.list(pairs, depth)
    return this.recordOfPairs(pairs as [string, unknown][], depth)
  }

  private bytes(value: Bytes, depth: number): string {
    const bytes = bytesView(value)
    // No UTF-8 has fewer chars than a third of its bytes, no base64 fewer than bytes.
    if (bytes.length / 3 > this.charsLeft) return this.sizeLimit()
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    if (isText(bytes)) return this.string(buffer.toString('utf8'))
    if (bytes.length > this.charsLeft) return this.sizeLimit()
    const described: [string, unknown][] = [
      ['type', 'bytes'],
      ['length', bytes.length],
      ['base64', buffer.toString('base64')],
    ]
    return this.recordOfPairs(described, depth)
  }

  private recordOfPairs(pairs: readonly [string, unknown][], depth: number): string {
    const values = new Map(pairs)
    return this.record([...values.keys()], (key) => values.get(key), depth)
  }

  private record(keys: readonly string[], get: (key: string) => unknown, depth: number): string {
    const members: string[] = []
    for (const key of keys) {
      if (this.isFull) break
      this.path.push(key)
      const text = this.member(() => get(key), key, depth)
      this.path.pop()
      if (text !== undefined) members.push(`${this.emit(JSON.stringify(key))}:${text}`)
    }
    return `{${members.join(',')}}`
  }

  private member(get: () => unknown, key: string, depth: number): string | undefined {
    let value: unknown
    try {
      value = get()
    } catch (error) {
      return this.threw(error)
    }
    return this.render(value, key, depth + 1)
  }

  private list(list: readonly unknown[], depth: number): string {
    const items: string[] = []
    const length = lengthOf(list)
    let indices: number[] | undefined
    for (let i = 0; i < length && !this.isFull; i++) {
      let text: string | undefined
      this.path.push(i)
      try {
        const item = list[i]
        if (item === undefined && !Object.hasOwn(list, i)) {
          indices ??= existingIndices(list)
          const gap = (firstAbove(indices, i) ?? length) - i
          if (gap > MAX_HOLES) {
            this.valuesLeft -= 1
            text = this.string(`[${gap} empty items]`)
            i += gap - 1
          }
        }
        text ??= this.render(item, String(i), depth + 1) ?? this.emit('null')
      } catch (error) {
        text = this.threw(error)
      }
      this.path.pop()
      items.push(text)
    }
    return `[${items.join(',')}]`
  }

  private string(text: string): string {
    if (text.length > this.charsLeft) return this.sizeLimit()
    let quoted: string
    try {
      quoted = JSON.stringify(text)
    } catch {
      return this.sizeLimit() // with its escapes longer than a string can be
    }
    return quoted.length - 2 > this.charsLeft ? this.sizeLimit() : this.emit(quoted)
  }

  private bigint(value: bigint): string {
    if (value > LARGE_BIGINT || value < LARGE_NEGATIVE_BIGINT) {
      if (value > MAX_BIGINT || value < -MAX_BIGINT) return this.sizeLimit()
      this.bigintBitsLeft -= value.toString(16).length * 4 // hexadecimal digits take linear time
      if (this.bigintBitsLeft < 0) return this.sizeLimit()
    }
    return this.emit(value.toString())
  }

  private threw(error: unknown): string {
    let message = 'unknown'
    try {
      message = String(typeof error === 'object' && error !== null ? (error as Error).message : error)
    } catch {
      // What was thrown throws when it is looked at.
    }
    return this.string(`[Threw: ${message.slice(0, MAX_MESSAGE_CHARS)}]`)
  }

  private sizeLimit(): string {
    this.isFull = true
    return SIZE_LIMIT
  }

  private emit(text: string): string {
    this.charsLeft -= text.length
    return text
  }

  private pathText(length: number): string {
    return this.path.slice(0, length).reduce<string>((text, key) => text + segment(key), '$')
  }

  /** A copy that elements which change their own collection cannot lengthen; no longer than what can be rendered. */
  private snapshot<T>(values: Iterable<T>): T[] {
    const copy: T[] = []
    for (const value of values) if (copy.push(value) > this.valuesLeft) break
    return copy
  }

  /** The keys that `JSON.stringify` would visit; of a typed array no more than can be rendered. */
  private keysOf(value: object): string[] {
    if (types.isTypedArray(value) && value.length > this.valuesLeft) {
      return Array.from({ length: Math.max(0, this.valuesLeft) + 1 }, (_, index) => String(index))
    }
    return Object.keys(value)
  }
}

/** `JSON.stringify` looks for `toJSON` on these only; bytes have a rendering of their own. */
function canHaveToJson(value: unknown): value is object | bigint {
  switch (typeof value) {
    case 'object':
      return value !== null && !isBytes(value)
    case 'function':
    case 'bigint':
      return true
    default:
      return false
  }
}

function replacedByToJson(value: object | bigint, key: string): unknown {
  const { toJSON } = value as { toJSON?: unknown }
  return typeof toJSON === 'function' ? Reflect.apply(toJSON, value, [key]) : value
}

function unboxed(value: unknown): unknown {
  if (!types.isBoxedPrimitive(value)) return value
  if (types.isNumberObject(value)) return Number(value)
  if (types.isStringObject(value)) return String(value)
  if (types.isBooleanObject(value)) return Boolean.prototype.valueOf.call(value)
  return types.isBigIntObject(value) ? BigInt.prototype.valueOf.call(value) : value
}

/** The length of an array, or of a Proxy of one, which may say anything. */
function lengthOf(list: readonly unknown[]): number {
  return Math.min(Math.max(0, Math.trunc(Number(list.length)) || 0), Number.MAX_SAFE_INTEGER)
}

function existingIndices(list: readonly unknown[]): number[] {
  return Object.keys(list)
    .filter((key) => ARRAY_INDEX.test(key))
    .map(Number)
}

/** The first of ascending numbers that is above `limit`. */
function firstAbove(numbers: readonly number[], limit: number): number | undefined {
  let low = 0
  let high = numbers.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((numbers[middle] as number) > limit) high = middle
    else low = middle + 1
  }
  return numbers[low]
}

function segment(key: string | number): string {
  if (typeof key === 'number') return `[${key}]`
  return IDENTIFIER.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`
}
