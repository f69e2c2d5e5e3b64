// Tests: tests/e2e/browser/dashboard.test.ts
/** The languages of the page. */
export type Language = 'vi' | 'en'
