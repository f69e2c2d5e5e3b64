/** Progress on standard error: a line now and then, however fast it goes. */
const TELL_EVERY_MS = 1_000

/** @param done  `written`, `stored` */
export const tellEventCount = (done: string) => {
  let toldAt = performance.now()
  return (events: number): void => {
    if (performance.now() - toldAt < TELL_EVERY_MS) return
    toldAt = performance.now()
    console.error(`${events} events ${done}`)
  }
}
