// Tests: tests/unit/web/app/web-page.test.ts
/** Whether an answer is a web page, such as that of a bot protection, which answers 200 in place of the shop. */
export const isWebPage = (body: string): boolean => /^\s*<(!doctype html|html)\b/i.test(body)
