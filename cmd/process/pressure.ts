/**
 * Reports whether this process is overloaded, and with which work, so that less urgent work can yield. Receiving comes first, because a
 * phone waits for its response. Delivering comes second, because a shop waits for its first call.
 */
import type { Pressed } from '../../projections/engine/pace.ts'

export interface Pressure {
  pressed(): Pressed | null
  /** @param isBusy  whether many first calls wait in this process */
  ofDelivering(isBusy: () => boolean): void
}

/**
 * Share of time in which the event loop was busy. Other work does not yield to calls that wait for a slow endpoint and not for this
 * process.
 */
const BUSY_FROM = 0.5

/** The shortest period over which the share is measured, in milliseconds. */
const MEASURED_OVER = 100

/** @param receivingIsBusy  whether more notifications wait for their response than one or two groups */
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
