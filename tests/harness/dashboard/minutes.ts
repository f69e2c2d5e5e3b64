/** Lets a minute pass in an open page, for what its timers do after exactly that time. The clock and all other timers stay. */
import type { Page } from 'playwright-core'

const MINUTE_MS = 60_000

/** From now on, timers of a minute wait for `aMinutePasses`. Ends with the next load of the page, not with a link. */
export const keepMinutes = async (page: Page): Promise<void> => {
  await page.evaluate(`{
    const set = setTimeout
    globalThis.waiting = []
    globalThis.setTimeout = (act, delay, ...rest) =>
      delay === ${MINUTE_MS} ? set(() => {}, waiting.push(act) && 0) : set(act, delay, ...rest)
  }`)
}

export const aMinutePasses = async (page: Page): Promise<void> => {
  await page.evaluate('for (const act of waiting.splice(0)) act()')
}
