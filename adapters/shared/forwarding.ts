type Method = (...parameters: any[]) => unknown

/**
 * An object that forwards everything to the original, but for the methods in `overrides` that the original has.
 * Its own methods keep running on the original, private fields and all.
 */
export function forwarding<T extends object>(original: T, overrides: Record<string, Method>): T {
  const bound = new WeakMap<Method, Method>()
  return new Proxy(original, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key, target)
      if (typeof value !== 'function' || key === 'constructor') return value
      const override = typeof key === 'string' && Object.hasOwn(overrides, key) ? overrides[key] : undefined
      if (override) return override
      const method = value as Method
      const known = bound.get(method) ?? method.bind(target)
      bound.set(method, known)
      return known
    },
    set: (target, key, value) => Reflect.set(target, key, value, target),
  })
}
