// Tests: tests/unit/cmd/settings/setting-text.test.ts
/** @returns the text without its percent codes, such as `%20`; null if they are invalid */
export const decoded = (text: string): string | null => {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}
