// Tests: tests/unit/web/app/problem-text.test.ts
/** The API's sentences are English already. One names a call of the API as its remedy. */
export const problems: readonly (readonly [pattern: RegExp, text: string])[] = [
  [/^The mailbox is paused\. .*$/, 'The mailbox is paused. Check the server, then edit the mailbox and save it.'],
  [/^(.*)$/s, '$1'],
]
