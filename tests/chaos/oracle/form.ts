/** How long and how hard the faults in processes and servers are. */

/** The durations and counts of a run. */
export interface Form {
  kills: number
  /** Milliseconds. */
  frozen: number
  projectorAway: number
  serverAway: number
  rebalances: number
  /** Parked streams that the operator skips. */
  skips: number
  /** Notifications per second. */
  rate: number
  mailsPerSecond: number
}

/** The short form of each cell, for every change. */
export const SHORT: Form = {
  kills: 1,
  frozen: 2_000,
  projectorAway: 2_000,
  serverAway: 1_000,
  rebalances: 1,
  skips: 1,
  rate: 2,
  mailsPerSecond: 1,
}
/** The full form, for docs/reliability.md. */
export const FULL: Form = {
  kills: 50,
  frozen: 30_000,
  projectorAway: 60_000,
  serverAway: 10_000,
  rebalances: 10,
  skips: 2,
  rate: 10,
  mailsPerSecond: 2,
}
