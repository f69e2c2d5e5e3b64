/**
 * How a webhook's url looks in a place that is not its owner's own: logs, the topic, the readable history, alerts. Path, query, user
 * part and fragment often are the key to what the url leads to (Slack, Telegram, inboxes), so they are never there.
 */
import { sha256 } from '../sha256.ts'

/** Hexadecimal digits: enough to tell a user's urls of one server apart, too few to find a url by. */
const HASH_LENGTH = 6

/** @returns the origin and a short hash of the whole url, such as `https://hooks.slack.com/#3f2a9c`; the hash alone for what is no url */
export const shownUrl = (url: string): string => {
  const hash = `#${sha256(url, 'hex').slice(0, HASH_LENGTH)}`
  if (!URL.canParse(url)) return hash
  const { protocol, host } = new URL(url)
  return `${protocol}//${host}/${hash}`
}
