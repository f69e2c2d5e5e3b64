/** Preloaded into a process: SIGUSR2 sets its clock an hour ahead, and the next one sets it back. Only `Date` jumps, not timers. */
import { isMainThread } from 'node:worker_threads'

const AHEAD_MS = 3_600_000

if (isMainThread) {
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
}
