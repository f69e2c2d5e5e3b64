// Tests: tests/e2e/browser/dashboard.test.ts
/** Asks before a half-written form is left: by a link, by Back, by a reload, or by what the page itself does. */
import { signal } from '@preact/signals'
import { followBack, goBack, holdBack } from './back.ts'
import { forgetTyped, hasUnsaved, noticeTyping } from './typed.ts'

/** An action that needs a question first. */
export const wanted = signal<(() => void) | null>(null)

/** Does it at once, or after the question. @param act  leaves the page */
export const leaving = (act: () => void): void => {
  if (!hasUnsaved()) return act()
  wanted.value = () => {
    forgetTyped()
    act()
  }
}

/** The same for a part of the page that closes, and the forms in it. */
export const closing = (part: Element, close: () => void): void => {
  if (hasUnsaved(part)) wanted.value = close
  else close()
}

export const stay = (): void => {
  wanted.value = null
  if (hasUnsaved()) holdBack()
}

export const leave = (): void => {
  const act = wanted.value
  wanted.value = null
  act?.()
}

/** Loads the page again without a question. */
export const loadAgain = (): void => {
  forgetTyped()
  location.reload()
}

/** @returns the link to another screen that a click opens in this tab. The attribute says that the link is meant to discard */
const linkOf = (event: MouseEvent): HTMLAnchorElement | null => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || event.button !== 0) return null
  const link = event.target instanceof Element ? event.target.closest('a') : null
  const leads = link?.href && link.origin === location.origin && link.pathname !== location.pathname
  return leads && !link.target && !link.download && link.dataset.discards === undefined ? link : null
}

export const askBeforeLeaving = (): void => {
  noticeTyping(() => {
    if (hasUnsaved()) holdBack()
  })
  followBack(hasUnsaved, () => leaving(goBack))
  document.addEventListener(
    'click',
    (event) => {
      const link = linkOf(event)
      if (!link || !hasUnsaved()) return
      event.preventDefault()
      event.stopPropagation()
      leaving(() => link.click())
    },
    true,
  )
  addEventListener('beforeunload', (event) => {
    if (!hasUnsaved()) return
    event.preventDefault()
    // Browsers before 2023 look at this only.
    event.returnValue = true
  })
}
