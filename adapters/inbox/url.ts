/** Where an inbox is called: `<base>/inbox/<token>`. */

export const inboxUrl = (baseUrl: string, token: string): string => `${baseUrl}/inbox/${token}`

/** No other text leads to an inbox: all that reading a URL takes out of a path are tabs and ends of lines. */
const MAY_BE_AN_INBOX = /inbox|[\t\r\n]/

/** The token of the inbox of this installation that a url leads to; null where it leads elsewhere. */
export const inboxTokenIn = (text: string, baseUrl: string): string | null => {
  if (!MAY_BE_AN_INBOX.test(text) || !URL.canParse(text)) return null
  const { origin, pathname, username, password } = new URL(text)
  if (username || password) return null
  const own = new URL(inboxUrl(baseUrl, ''))
  if (origin !== own.origin || !pathname.startsWith(own.pathname)) return null
  const token = pathname.slice(own.pathname.length)
  return /^[\w.-]+$/.test(token) ? token : null
}
