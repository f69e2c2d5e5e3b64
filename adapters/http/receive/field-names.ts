// Tests: tests/unit/adapters/http/receive/duplicate-keys.test.ts
/**
 * The names under which forwarder apps send text, sender, app, title and time. Users also write their own templates, so names are
 * compared without case, `_`, `-` and `.`: `not_text_big` and `NotTextBig` are the same name.
 */

/** The plain names that lead to a member: one for a top-level member, several for a nested one. */
export type Path = readonly string[]

const paths = (names: readonly string[]): readonly Path[] => names.map((name) => name.split('/'))

/** Names from the most to the least reliable. A `/` separates the names of a nested member. */
export const NAMES = {
  /** The text itself. */
  text: paths([
    'orgcontent', 'text', 'body', 'message', 'msg', 'content', 'sms', 'smsmessage', 'smstext', 'notification', 'antext', 'androidtext',
    'payload/message', 'payload/textmessage/text', 'payload/text', 'data/content', 'data/text', 'data/message',
    'query/message/text',
  ]), // prettier-ignore
  /** The same text in its expanded form. It is used if it is longer. */
  unfolded: paths([
    'bigtext', 'notbigtext', 'nottextbig', 'raw', 'textlines', 'nottextlines', 'lines', 'androidbigtext',
  ]), // prettier-ignore
  sender: paths([
    'sender', 'from', 'address', 'phonenumber', 'number', 'smsnumber', 'smssender', 'sendernumber', 'fromnumber', 'contact',
    'payload/sender', 'payload/phonenumber', 'data/sender', 'data/contact', 'query/sender',
  ]), // prettier-ignore
  package: paths(['package', 'packagename', 'notapppackage', 'apppackage', 'anpackage', 'filterboxfieldpackagename']),
  /** A package, or the display name of an app. */
  app: paths(['app']),
  /** A package, or a kind of notification. */
  type: paths(['type']),
  title: paths(['title', 'nottitle', 'antitle', 'androidtitle', 'subject']),
  time: paths([
    'receivedat', 'receivedstamp', 'sentstamp', 'when', 'posttime', 'postedat', 'timestamp', 'datesent', 'date', 'time',
    'receivetime', 'timereceived', 'filterboxfieldwhen', 'payload/receivedat', 'data/timestamp',
  ]), // prettier-ignore
}

/** A cache, as apps send the same few names with every notification. */
const plainNames = new Map<string, string>()
const MOST_NAMES = 1_000

/** The form in which names are compared. */
export const plainName = (name: string): string => {
  let plain = plainNames.get(name)
  if (plain === undefined) {
    plain = name.toLowerCase().replace(/[._-]/g, '')
    if (plainNames.size < MOST_NAMES && name.length < 50) plainNames.set(name, plain)
  }
  return plain
}

const KNOWN: ReadonlySet<string> = new Set(Object.values(NAMES).flat(2))
const KNOWN_PATHS: ReadonlySet<string> = new Set(
  Object.values(NAMES)
    .flat()
    .map((path) => path.join('/')),
)

/** Whether forwarder apps use this name for one of the fields. */
export const isKnownName = (name: string): boolean => KNOWN.has(plainName(name))

/** A field of a form that is a member of another one: `data[text]`. */
const MEMBER = /^([\w.-]{1,40})\[([\w.-]{1,40})\]$/

/** The plain names of such a field, and of the one that it is in. Null for any other field, and for one that no forwarder app sends. */
export const memberNamed = (name: string): readonly [outer: string, inner: string] | null => {
  const [, outer, inner] = MEMBER.exec(name) ?? []
  if (outer === undefined || inner === undefined) return null
  const path = [plainName(outer), plainName(inner)] as const
  return KNOWN_PATHS.has(path.join('/')) ? path : null
}

/** Whether a name leads to the field. */
export const isNameOf = (field: readonly Path[], name: string): boolean => {
  const sought = memberNamed(name) ?? [plainName(name)]
  return field.some((path) => path.length === sought.length && path.every((part, at) => part === sought[at]))
}

/** Maps names that mean the same to one name: a known name to its plain form, any other name to itself. */
export const sameName = (name: string): string => {
  const plain = plainName(name)
  return KNOWN.has(plain) ? plain : name
}
