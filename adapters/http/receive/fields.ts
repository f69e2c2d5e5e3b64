/**
 * Finds text, sender, app, title and time in what a forwarder app posted. Every app names them its own way, and users
 * write templates of their own, so names are compared without case, `_`, `-` and `.`, and values that are placeholders
 * nothing has filled (`{not_title}`, `%antext`, `[from]`) do not count.
 */
import type { Incoming } from '../../../domain/notification/reading.ts'
import { storable } from './body-text.ts'
import { stampOf } from './stamp.ts'

/** Names from the most to the least telling; nested ones with `/`. */
const NAMES = {
  /** What the forwarder says is the text itself. */
  text: [
    'orgcontent', 'text', 'body', 'message', 'msg', 'content', 'sms', 'smsmessage', 'notification', 'antext',
    'payload/message', 'payload/textmessage/text', 'payload/text', 'data/content', 'data/text', 'data/message',
    'query/message/text',
  ], // prettier-ignore
  /** The same text unfolded: taken where it is longer. */
  unfolded: ['bigtext', 'notbigtext', 'nottextbig', 'raw', 'textlines', 'nottextlines', 'lines', 'androidbigtext'],
  sender: [
    'sender', 'from', 'address', 'phonenumber', 'number', 'smsnumber', 'smssender', 'contact',
    'payload/sender', 'payload/phonenumber', 'data/contact', 'query/sender',
  ], // prettier-ignore
  package: ['package', 'packagename', 'notapppackage', 'apppackage', 'anpackage', 'app', 'type'],
  title: ['title', 'nottitle', 'antitle', 'subject'],
  time: [
    'receivedat', 'receivedstamp', 'sentstamp', 'when', 'posttime', 'timestamp', 'datesent', 'date', 'time',
    'receivetime', 'payload/receivedat', 'data/timestamp',
  ], // prettier-ignore
} as const

const plainName = (name: string): string => name.toLowerCase().replace(/[._-]/g, '')

type Members = ReadonlyMap<string, unknown>

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

/** Its own members by plain name; of several with one plain name the first counts. */
const membersOf = (value: unknown): Members => {
  const members = new Map<string, unknown>()
  if (!isObject(value) || Array.isArray(value)) return members
  for (const [name, member] of Object.entries(value)) {
    const plain = plainName(name)
    if (!members.has(plain)) members.set(plain, member)
  }
  return members
}

const at = (members: Members, path: string): unknown => {
  const [first, ...rest] = path.split('/') as [string, ...string[]]
  return rest.reduce<unknown>((value, name) => membersOf(value).get(name), members.get(first))
}

const PLACEHOLDER = /^(?:\{\{?[a-z_][\w. ]*\}?\}|%[a-z_]\w*%?|\[[a-z_]\w*\])$/i

const isPlaceholder = (text: string): boolean => PLACEHOLDER.test(text.trim())

/** A text, a number as text, lines joined; null for the rest. */
const asText = (value: unknown): string | null => {
  if (typeof value === 'string') return storable(value)
  if (typeof value === 'number') return String(value)
  if (Array.isArray(value) && value.length > 0 && value.every((line) => typeof line === 'string'))
    return storable(value.join('\n'))
  return null
}

const textsAt = (members: Members, paths: readonly string[]): string[] =>
  paths.map((path) => asText(at(members, path))).filter((text) => text !== null)

/** Its trimmed value under the first name that has a real one. */
const firstOf = (members: Members, paths: readonly string[], fits = (_: string) => true): string | undefined =>
  textsAt(members, paths)
    .map((text) => text.trim())
    .find((text) => text !== '' && !isPlaceholder(text) && fits(text))

const CUT = /(\.\.\.|…)\s*$/

const longest = (texts: readonly string[]): string | undefined =>
  texts.reduce<string | undefined>(
    (best, text) => (best === undefined || text.length > best.length ? text : best),
    undefined,
  )

/** Where no known name holds a text: the longest value that is more than a word, such as under a name of the user's own. */
const longestProse = (value: unknown, depth = 0): string | undefined => {
  if (typeof value === 'string') return /\S\s+\S/.test(value) ? storable(value) : undefined
  if (!isObject(value) || depth > 4) return undefined
  return longest(Object.values(value).flatMap((member) => longestProse(member, depth + 1) ?? []))
}

/**
 * The text itself; where it is shown cut (`...`), or the app also gives it unfolded, the longest of what there is.
 * Where there is nothing but an unfilled placeholder, that: the reader tells the user so.
 */
const textIn = (value: unknown, members: Members): string => {
  const named = textsAt(members, NAMES.text)
  const real = named.filter((text) => text.trim() !== '' && !isPlaceholder(text))
  const unfolded = textsAt(members, NAMES.unfolded).filter((text) => text.trim() !== '' && !isPlaceholder(text))
  const [first] = real
  if (first !== undefined) return longest([first, ...unfolded, ...(CUT.test(first) ? real : [])])!
  return longest(unfolded) ?? named.find(isPlaceholder) ?? (named.length > 0 ? '' : (longestProse(value) ?? ''))
}

const LOOKS_LIKE_PACKAGE = /^[a-z][\w]*(\.[\w]+)+$/i

/** `app` and `type` say other things too: there only what looks like a package counts, and in a CloudEvent `type` never. */
const packageIn = (members: Members): string | undefined => {
  const [plain, guessed] = [NAMES.package.slice(0, 5), members.has('specversion') ? ['app'] : NAMES.package.slice(5)]
  return firstOf(members, plain) ?? firstOf(members, guessed, (text) => LOOKS_LIKE_PACKAGE.test(text))
}

/** A forwarder that only says it is alive: the reader knows the word. */
const HEARTBEAT = /(?:^|[.:_-])(heartbeat|ping)$/i

export interface Found {
  incoming: Incoming
  stamp: Date | null
}

/** @param value  a parsed body, or an item of one: an object, or the text itself */
export const findFields = (value: unknown): Found => {
  if (typeof value === 'string') return { incoming: { text: storable(value) }, stamp: null }
  const members = membersOf(value)
  const [, heartbeat] = HEARTBEAT.exec(asText(members.get('event')) ?? '') ?? []
  const sender = firstOf(members, NAMES.sender)
  const app = packageIn(members)
  const title = firstOf(members, NAMES.title)
  const stamps = NAMES.time.map((path) => stampOf(at(members, path)))
  return {
    incoming: {
      text: heartbeat?.toLowerCase() ?? textIn(value, members),
      ...(sender === undefined ? {} : { sender }),
      ...(app === undefined ? {} : { package: app }),
      ...(title === undefined ? {} : { title }),
    },
    stamp: stamps.find((stamp) => stamp !== null) ?? null,
  }
}

/** Whether a name is one under which a forwarder app sends something. */
export const isKnownName = (name: string): boolean => KNOWN.has(plainName(name))
const KNOWN: ReadonlySet<string> = new Set(Object.values(NAMES).flat())
