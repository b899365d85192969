/**
 * Makes a host fail that was given a function in place of what it makes: hosts look for `property`, find none, and would
 * run without limits. `right`: how it is written.
 */
export function mustBeCalled(factory: object, property: string, right: string): void {
  Object.defineProperty(factory, property, {
    get() {
      throw uncalled(right)
    },
    configurable: true,
  })
}

/** The error for a function that was given in place of what it makes. */
export function uncalled(right: string): TypeError {
  return new TypeError(`a function was given that has to be called first: ${right}`)
}
