// Tests: tests/integration/http/dashboard.test.ts
/** The screens that an account needs so that payments arrive: one file in the browser. */
export { Settings } from '../settings.tsx'
export { Sources } from '../sources.tsx'
export { TryIt } from '../try-it.tsx'
export { Unread } from '../unread.tsx'
