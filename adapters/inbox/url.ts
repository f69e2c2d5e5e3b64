/** The URL of an inbox: `<base>/inbox/<token>`. */

export const inboxUrl = (baseUrl: string, token: string): string => `${baseUrl}/inbox/${token}`

/**
 * A cheap pre-check. The URL parser removes only tabs and line breaks from a path, so no other text can be an inbox's URL.
 */
const MAY_BE_AN_INBOX = /inbox|[\t\r\n]/

/** The inbox token in a URL of this installation. Null for any other URL. */
export const inboxTokenIn = (text: string, baseUrl: string): string | null => {
  if (!MAY_BE_AN_INBOX.test(text) || !URL.canParse(text)) return null
  const { origin, pathname, username, password } = new URL(text)
  if (username || password) return null
  const own = new URL(inboxUrl(baseUrl, ''))
  if (origin !== own.origin || !pathname.startsWith(own.pathname)) return null
  const token = pathname.slice(own.pathname.length)
  return /^[\w.-]+$/.test(token) ? token : null
}
