/**
 * Whether a process has more to do than it can, and with what: what nobody waits for at this moment gives way to that. First
 * comes receiving, where a phone waits for its answer; then delivering, where a shop waits for its first call.
 */
import type { Pressed } from '../../projections/engine/projector.ts'

export interface Pressure {
  pressed(): Pressed | null
  /** @param isBusy  whether many first calls wait, here */
  ofDelivering(isBusy: () => boolean): void
}

/**
 * Share of the time in which the event loop had something to do. Calls that wait for a slow endpoint, and not for this
 * process, are nothing to give way to.
 */
const BUSY_FROM = 0.5

/** Over which that is measured, at least: milliseconds. */
const MEASURED_OVER = 100

/** @param receivingIsBusy  whether more wait for their answer than a group or two */
export const openPressure = (receivingIsBusy: () => boolean): Pressure => {
  let deliveringIsBusy = () => false
  let measured = performance.eventLoopUtilization()
  let measuredAt = performance.now()
  let isLoopBusy = false

  const loopIsBusy = (): boolean => {
    if (performance.now() - measuredAt >= MEASURED_OVER) {
      const now = performance.eventLoopUtilization()
      isLoopBusy = performance.eventLoopUtilization(now, measured).utilization >= BUSY_FROM
      measured = now
      measuredAt = performance.now()
    }
    return isLoopBusy
  }

  return {
    pressed: () => {
      if (receivingIsBusy()) return 'receiving'
      return deliveringIsBusy() && loopIsBusy() ? 'delivering' : null
    },
    ofDelivering: (isBusy) => void (deliveringIsBusy = isBusy),
  }
}
