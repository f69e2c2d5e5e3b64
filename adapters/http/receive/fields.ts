/**
 * Finds text, sender, app, title and time in what a forwarder app posted. Every app names them its own way, and users
 * write templates of their own, so names are compared without case, `_`, `-` and `.`, and values that are placeholders
 * nothing has filled (`{not_title}`, `%antext`, `[from]`) do not count.
 */
import type { Incoming } from '../../../domain/notification/reading.ts'
import { storable } from './body-text.ts'
import { stampOf } from './stamp.ts'

/** A member's plain name; of a nested one the names on the way to it. */
type Path = readonly string[]

const paths = (names: readonly string[]): readonly Path[] => names.map((name) => name.split('/'))

/** Names from the most to the least telling; nested ones with `/`. */
const NAMES = {
  /** What the forwarder says is the text itself. */
  text: paths([
    'orgcontent', 'text', 'body', 'message', 'msg', 'content', 'sms', 'smsmessage', 'notification', 'antext',
    'payload/message', 'payload/textmessage/text', 'payload/text', 'data/content', 'data/text', 'data/message',
    'query/message/text',
  ]), // prettier-ignore
  /** The same text unfolded: taken where it is longer. */
  unfolded: paths([
    'bigtext',
    'notbigtext',
    'nottextbig',
    'raw',
    'textlines',
    'nottextlines',
    'lines',
    'androidbigtext',
  ]),
  sender: paths([
    'sender', 'from', 'address', 'phonenumber', 'number', 'smsnumber', 'smssender', 'contact',
    'payload/sender', 'payload/phonenumber', 'data/contact', 'query/sender',
  ]), // prettier-ignore
  package: paths(['package', 'packagename', 'notapppackage', 'apppackage', 'anpackage']),
  app: paths(['app']),
  appOrType: paths(['app', 'type']),
  title: paths(['title', 'nottitle', 'antitle', 'subject']),
  time: paths([
    'receivedat', 'receivedstamp', 'sentstamp', 'when', 'posttime', 'timestamp', 'datesent', 'date', 'time',
    'receivetime', 'payload/receivedat', 'data/timestamp',
  ]), // prettier-ignore
}

/** Apps send the same few names with every notification. */
const plainNames = new Map<string, string>()
const MOST_NAMES = 1_000

const plainName = (name: string): string => {
  let plain = plainNames.get(name)
  if (plain === undefined) {
    plain = name.toLowerCase().replace(/[._-]/g, '')
    if (plainNames.size < MOST_NAMES && name.length < 50) plainNames.set(name, plain)
  }
  return plain
}

type Members = ReadonlyMap<string, unknown>

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

/** More than any app sends. */
const MOST_MEMBERS = 500

/** Its own members by plain name; of several with one plain name the first counts. */
const membersOf = (value: unknown): Members => {
  const members = new Map<string, unknown>()
  if (!isObject(value) || Array.isArray(value)) return members
  for (const name of Object.keys(value).slice(0, MOST_MEMBERS)) {
    const plain = plainName(name)
    if (!members.has(plain)) members.set(plain, (value as Record<string, unknown>)[name])
  }
  return members
}

const at = (members: Members, path: Path): unknown => {
  let value = members.get(path[0]!)
  for (let depth = 1; depth < path.length && value !== undefined; depth++) value = membersOf(value).get(path[depth]!)
  return value
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

const textsAt = (members: Members, paths: readonly Path[]): string[] => {
  const texts: string[] = []
  for (const path of paths) {
    const text = asText(at(members, path))
    if (text !== null) texts.push(text)
  }
  return texts
}

const isReal = (text: string): boolean => text.trim() !== '' && !isPlaceholder(text)

/** Its trimmed value under the first name that has a real one. */
const firstOf = (members: Members, paths: readonly Path[], fits = (_: string) => true): string | undefined => {
  for (const path of paths) {
    const text = asText(at(members, path))
    if (text !== null && isReal(text) && fits(text.trim())) return text.trim()
  }
  return undefined
}

const CUT = /(\.\.\.|…)\s*$/

const longest = (texts: readonly string[]): string | undefined =>
  texts.reduce<string | undefined>(
    (best, text) => (best === undefined || text.length > best.length ? text : best),
    undefined,
  )

/** Where no known name holds a text: the longest value that is more than a word, such as under a name of the user's own. */
const longestProse = (value: unknown, depth = 0): string | undefined => {
  // A pattern that had to look behind the blanks would run out of stack on millions of them.
  if (typeof value === 'string') return /\s/.test(value.trim()) ? storable(value) : undefined
  if (!isObject(value) || depth > 4) return undefined
  return longest(Object.values(value).flatMap((member) => longestProse(member, depth + 1) ?? []))
}

/**
 * The text itself; where it is shown cut (`...`), or the app also gives it unfolded, the longest of what there is.
 * Where there is nothing but an unfilled placeholder, that: the reader tells the user so.
 */
const textIn = (value: unknown, members: Members): string => {
  const named = textsAt(members, NAMES.text)
  const real = named.filter(isReal)
  const unfolded = textsAt(members, NAMES.unfolded).filter(isReal)
  const [first] = real
  if (first !== undefined) return longest([first, ...unfolded, ...(CUT.test(first) ? real : [])])!
  return longest(unfolded) ?? named.find(isPlaceholder) ?? (named.length > 0 ? '' : (longestProse(value) ?? ''))
}

const LOOKS_LIKE_PACKAGE = /^[a-z][\w]*(\.[\w]+)+$/i

/** `app` and `type` say other things too: there only what looks like a package counts, and in a CloudEvent `type` never. */
const packageIn = (members: Members): string | undefined =>
  firstOf(members, NAMES.package) ??
  firstOf(members, members.has('specversion') ? NAMES.app : NAMES.appOrType, (text) => LOOKS_LIKE_PACKAGE.test(text))

/** A forwarder that only says it is alive: the reader knows the word. */
const HEARTBEAT = /(?:^|[.:_-])(heartbeat|ping)$/i

const stampIn = (members: Members): Date | null => {
  for (const path of NAMES.time) {
    const value = at(members, path)
    const stamp = value === undefined ? null : stampOf(value)
    if (stamp) return stamp
  }
  return null
}

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
  return {
    incoming: {
      text: heartbeat?.toLowerCase() ?? textIn(value, members),
      ...(sender === undefined ? {} : { sender }),
      ...(app === undefined ? {} : { package: app }),
      ...(title === undefined ? {} : { title }),
    },
    stamp: stampIn(members),
  }
}

/** Whether a name is one under which a forwarder app sends something. */
export const isKnownName = (name: string): boolean => KNOWN.has(plainName(name))
const KNOWN: ReadonlySet<string> = new Set(Object.values(NAMES).flat(2))
