// Tests: tests/unit/web/app/loopback.test.ts
/** @returns whether this URL leads every device to itself, so no other one reaches the server by it */
export const isLoopback = (url: string): boolean =>
  /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(new URL(url).hostname)
