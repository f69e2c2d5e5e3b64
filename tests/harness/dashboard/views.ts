/** Size, theme and language of the page. Together the views cover both of each. */
export const SIZES = { phone: { width: 390, height: 844 }, desk: { width: 1440, height: 900 } } as const

export interface View {
  size: keyof typeof SIZES
  theme: 'light' | 'dark'
  language: 'vi' | 'en'
}

export const VIEWS: readonly View[] = [
  { size: 'phone', theme: 'light', language: 'vi' },
  { size: 'desk', theme: 'light', language: 'en' },
  { size: 'phone', theme: 'dark', language: 'en' },
  { size: 'desk', theme: 'dark', language: 'vi' },
]
