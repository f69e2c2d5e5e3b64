/** Runs Baoco with a clock that SIGUSR2 sets an hour ahead, and the next SIGUSR2 back. Only `Date` jumps, not timers. */
const AHEAD_MS = 3_600_000

const RealDate = globalThis.Date
let ahead = 0
process.on('SIGUSR2', () => (ahead = ahead === 0 ? AHEAD_MS : 0))
globalThis.Date = class Date extends RealDate {
  constructor(...given) {
    if (given.length === 0) super(RealDate.now() + ahead)
    else super(...given)
  }
  static now() {
    return RealDate.now() + ahead
  }
}
await import('../../../cmd/baoco.mjs')
