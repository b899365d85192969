/**
 * A copy of an object that behaves like the original in everything but the properties in `overrides`.
 *
 * Spreading would lose non-enumerable properties, run getters, and drop the prototype; hosts keep state in all three.
 * Getters, own and inherited, still see the original as `this`, so those that read private fields keep working; with
 * `bindsMethods` so do inherited methods, which then call each other there.
 */
export function copyWith<T extends object>(
  original: T,
  overrides: Record<string, unknown>,
  { bindsMethods = false }: { bindsMethods?: boolean } = {},
): T {
  const descriptors: Record<PropertyKey, PropertyDescriptor> = {}
  const prototype: object | null = Object.getPrototypeOf(original)
  for (let level = prototype; level !== null && level !== Object.prototype; level = Object.getPrototypeOf(level)) {
    for (const key of Reflect.ownKeys(level)) {
      if (Object.hasOwn(descriptors, key)) continue
      const descriptor = Object.getOwnPropertyDescriptor(level, key)
      if (descriptor?.get) put(descriptors, key, boundTo(original, key, descriptor))
      else if (bindsMethods && isMethod(descriptor?.value))
        put(descriptors, key, { ...descriptor, value: descriptor?.value.bind(original) })
    }
  }
  for (const key of Reflect.ownKeys(original)) {
    const descriptor = Object.getOwnPropertyDescriptor(original, key)
    if (descriptor) put(descriptors, key, descriptor.get ? boundTo(original, key, descriptor) : descriptor)
  }
  for (const key of Object.keys(overrides)) {
    put(descriptors, key, { value: overrides[key], enumerable: true, configurable: true, writable: true })
  }
  return Object.create(prototype, descriptors) as T
}

/** Whether a value is a method as a class has them: no class, and nothing that carries properties, such as a schema. */
function isMethod(value: unknown): value is (...parameters: unknown[]) => unknown {
  return typeof value === 'function' && Reflect.ownKeys(value).every((key) => key === 'length' || key === 'name')
}

/** Sets an own entry, also one that is named `__proto__`. */
export function put<V>(target: Record<PropertyKey, V>, key: PropertyKey, value: V): void {
  Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true })
}

function boundTo(original: object, key: PropertyKey, { enumerable, set }: PropertyDescriptor): PropertyDescriptor {
  const bound: PropertyDescriptor = {
    get: () => Reflect.get(original, key),
    enumerable: enumerable === true,
    configurable: true,
  }
  if (set) bound.set = (value: unknown) => Reflect.set(original, key, value)
  return bound
}
