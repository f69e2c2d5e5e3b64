// Tests: tests/unit/web/app/problem-text.test.ts
/** The API's sentences are English already. */
export const problems: readonly (readonly [pattern: RegExp, text: string])[] = [[/^(.*)$/s, '$1']]
