// Tests: tests/e2e/browser/dashboard.test.ts
/**
 * Some people double-click everything. The second click may meet another button than the first: that of a question which has just opened, or of
 * the next line if the first click has removed its own. Nobody meant to press that one. Nor does anybody mean to send a form twice.
 */

const pressedBy = ({ target }: Event): Element | null =>
  target instanceof Element ? target.closest('a, button, summary') : null

const isSender = (pressed: Element | null): boolean => pressed instanceof HTMLButtonElement && pressed.type === 'submit'

export const ignoreSecondClicks = (): void => {
  let last: Element | null = null
  document.addEventListener(
    'click',
    (event) => {
      const pressed = pressedBy(event)
      const isSecond = event.detail > 1 && (pressed !== last || isSender(pressed))
      last = pressed
      if (!isSecond) return
      event.preventDefault()
      event.stopImmediatePropagation()
    },
    true,
  )
}
