// Tests: tests/attack/leaks.test.ts
/**
 * The form of a webhook's url for everybody but its owner: logs, the topic, the readable history, alerts. Path, query, user part and
 * fragment often grant access (Slack, Telegram, inboxes), so this form never contains them.
 */
import { sha256 } from '../sha256.ts'

/** Hexadecimal digits: enough to distinguish a user's urls on one server, too few to guess a url from. */
const HASH_LENGTH = 6

/** @returns the origin and a short hash of the whole url, such as `https://hooks.slack.com/#3f2a9c`. Only the hash if it is not a URL. */
export const shownUrl = (url: string): string => {
  const hash = `#${sha256(url, 'hex').slice(0, HASH_LENGTH)}`
  if (!URL.canParse(url)) return hash
  const { protocol, host } = new URL(url)
  return `${protocol}//${host}/${hash}`
}
