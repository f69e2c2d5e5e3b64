// Tests: tests/e2e/browser/dashboard.test.ts
/**
 * Copies a text. Browsers have a clipboard for pages only at https addresses and on the same machine, and only if the user allows it. The
 * older command copies what is selected, everywhere.
 */

const copySelected = (text: string): boolean => {
  const { activeElement } = document
  const area = document.createElement('textarea')
  area.value = text
  area.className = 'hidden-text'
  // Outside of an open dialog nothing can be selected.
  const place = activeElement?.closest('dialog') ?? document.body
  place.append(area)
  area.select()
  const isCopied = document.execCommand('copy')
  area.remove()
  if (activeElement instanceof HTMLElement) activeElement.focus({ preventScroll: true })
  return isCopied
}

/** @returns whether the text is in the clipboard */
export const copied = async (text: string): Promise<boolean> => {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return copySelected(text)
  }
}
