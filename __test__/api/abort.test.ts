import { EventEmitter, getEventListeners } from 'node:events'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it, vi } from 'vitest'
import { isAborted, onAbort } from '../../api/abort.js'
import { warningsOf } from '../support/warnings.js'

describe('onAbort', () => {
  it('calls everyone once, and never again', () => {
    const controller = new AbortController()
    const callbacks = Array.from({ length: 3 }, () => vi.fn())
    for (const callback of callbacks) onAbort(controller.signal, callback)
    controller.abort()
    controller.abort()
    for (const callback of callbacks) expect(callback).toHaveBeenCalledTimes(1)
  })

  it('does not call who took the callback back, and takes the same function twice', () => {
    const controller = new AbortController()
    const callback = vi.fn()
    const forget = onAbort(controller.signal, callback)
    onAbort(controller.signal, callback)
    forget()
    forget()
    controller.abort()
    expect(callback).toHaveBeenCalledTimes(1)
  })

  it('calls later where the signal has fired before', async () => {
    const callback = vi.fn()
    const forgotten = vi.fn()
    onAbort(AbortSignal.abort(), callback)
    onAbort(AbortSignal.abort(), forgotten)()
    expect(callback).not.toHaveBeenCalled()
    await Promise.resolve()
    expect(callback).toHaveBeenCalledTimes(1)
    expect(forgotten).not.toHaveBeenCalled()
  })

  it('calls the others when one throws', () => {
    const controller = new AbortController()
    const callback = vi.fn()
    onAbort(controller.signal, () => {
      throw new Error('mine')
    })
    onAbort(controller.signal, callback)
    controller.abort()
    expect(callback).toHaveBeenCalledTimes(1)
  })

  it('puts at most one listener on a signal, and none after the last has gone', async () => {
    const { signal } = new AbortController()
    const warnings = await warningsOf(() => {
      const forget = Array.from({ length: 100 }, () => onAbort(signal, () => {}))
      expect(getEventListeners(signal, 'abort').length).toBeLessThanOrEqual(1)
      for (const f of forget) f()
    })
    expect(getEventListeners(signal, 'abort').length).toBe(0)
    expect(warnings).toEqual([])
  })

  it('works again after everyone has gone', () => {
    const controller = new AbortController()
    onAbort(controller.signal, () => {})()
    const callback = vi.fn()
    onAbort(controller.signal, callback)
    controller.abort()
    expect(callback).toHaveBeenCalledTimes(1)
  })

  it('listens once to a signal that is not of this platform', () => {
    const emitter = new EventEmitter()
    const signal = {
      aborted: false,
      addEventListener: (name: string, f: () => void) => emitter.on(name, f),
      removeEventListener: (name: string, f: () => void) => emitter.off(name, f),
    } as unknown as AbortSignal
    const callbacks = Array.from({ length: 20 }, () => vi.fn())
    for (const callback of callbacks) onAbort(signal, callback)
    expect(emitter.listenerCount('abort')).toBe(1)
    emitter.emit('abort')
    for (const callback of callbacks) expect(callback).toHaveBeenCalledTimes(1)
    expect(emitter.listenerCount('abort')).toBe(0)
  })

  const hostile = new Proxy(
    {},
    {
      get() {
        throw new Error('trap')
      },
    },
  )
  it.each([
    ['undefined', undefined],
    ['null', null],
    ['a string', 'signal'],
    ['an empty object', {}],
    ['an object that throws', hostile],
  ])('takes %s for a signal that never fires', (_comment, signal) => {
    const callback = vi.fn()
    onAbort(signal as unknown as AbortSignal, callback)()
    expect(isAborted(signal as unknown as AbortSignal)).toBe(false)
    expect(callback).not.toHaveBeenCalled()
  })

  it('keeps a timeout signal alive that nobody else holds', async () => {
    setFlagsFromString('--expose-gc')
    const collect = runInNewContext('gc') as () => void
    const waitFor = () => new Promise<void>((resolve) => onAbort(AbortSignal.timeout(50), resolve))
    const fired = Array.from({ length: 20 }, waitFor)
    collect()
    await new Promise(setImmediate) // what was collected is finalized
    collect()
    await Promise.all(fired) // or the test ends by its timeout
  })
})
