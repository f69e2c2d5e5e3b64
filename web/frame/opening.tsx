// Tests: tests/e2e/browser/dashboard.test.ts
/**
 * A screen whose file is on its way. The screen before it stays until then, so a sign says that the tap was taken. The files of the screens
 * that are opened most are loaded while nothing else is requested.
 */
import { signal } from '@preact/signals'
import { texts } from '../app/language.ts'
import { queries } from '../app/session.ts'

/** A file that the browser has already is there sooner. */
const UNNOTICED_MS = 100
const QUIET_MS = 2_000

export const isOpening = signal(false)
let timer: ReturnType<typeof setTimeout> | undefined

export const startOpening = (): void => {
  clearTimeout(timer)
  timer = setTimeout(() => (isOpening.value = true), UNNOTICED_MS)
}

export const endOpening = (): void => {
  clearTimeout(timer)
  isOpening.value = false
}

export const OpeningSign = () => (
  <p class="opening" role="status">
    {isOpening.value && texts.value.common.loading}
  </p>
)

/** @returns when the page has requested nothing for a while */
const quiet = async (): Promise<void> => {
  let since = performance.now()
  while (performance.now() - since < QUIET_MS) {
    await new Promise((resolve) => setTimeout(resolve, QUIET_MS / 4))
    if (isOpening.value || queries.isFetching() > 0) since = performance.now()
  }
}

let hasBegun = false
/** Loads files one after the other, so that what somebody opens meanwhile waits for one at most. Those that fail are requested again when their screen is opened. */
export const loadInAdvance = async (files: readonly (() => Promise<unknown>)[]): Promise<void> => {
  if (hasBegun) return
  hasBegun = true
  await quiet()
  for (const load of files) await load().catch(() => {})
}
