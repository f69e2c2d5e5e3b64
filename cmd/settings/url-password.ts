/** Puts a password into a server's URL, so that it may contain characters that are special in a URL. */

const USER = /^([a-z][a-z0-9+.-]*:\/\/)([^/?#@:]+)(:[^@]*)?@/i

/** Also encodes the characters that `encodeURIComponent` leaves, because clients parse URLs differently. */
const encoded = (password: string): string =>
  encodeURIComponent(password).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)

/** @returns null if the URL names no user. A password in the URL stays. */
export const withPassword = (url: string, password: string): string | null => {
  const [before, scheme = '', user = '', own = ':'] = USER.exec(url) ?? []
  if (before === undefined) return null
  return own.length > 1 ? url : `${scheme}${user}:${encoded(password)}@${url.slice(before.length)}`
}
