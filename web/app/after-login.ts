/**
 * Where to go after the login.
 * URL parsers delete tabs and line breaks and read `\` as `/`, so only the parsed address tells the host.
 * @param next  the path that was requested before the login
 * @param origin  this page's origin
 * @returns a whole address on this origin, the start if `next` is none. A path would not do, because `//host` as a path is another host
 */
export const afterLogin = (next: string | undefined, origin: string): string => {
  const start = `${origin}/`
  if (!next?.startsWith('/')) return start
  try {
    const to = new URL(next, origin)
    return to.origin === origin ? to.href : start
  } catch {
    return start
  }
}
