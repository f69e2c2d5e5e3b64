/**
 * The names under which forwarder apps send text, sender, app, title and time. Users write templates of their own as well, so names are
 * compared without case, `_`, `-` and `.`: `not_text_big` and `NotTextBig` are one name.
 */

/** A member's plain name; of a nested one the names on the way to it. */
export type Path = readonly string[]

const paths = (names: readonly string[]): readonly Path[] => names.map((name) => name.split('/'))

/** Names from the most to the least telling; nested ones with `/`. */
export const NAMES = {
  /** What the forwarder says is the text itself. */
  text: paths([
    'orgcontent', 'text', 'body', 'message', 'msg', 'content', 'sms', 'smsmessage', 'notification', 'antext',
    'payload/message', 'payload/textmessage/text', 'payload/text', 'data/content', 'data/text', 'data/message',
    'query/message/text',
  ]), // prettier-ignore
  /** The same text unfolded: taken where it is longer. */
  unfolded: paths([
    'bigtext', 'notbigtext', 'nottextbig', 'raw', 'textlines', 'nottextlines', 'lines', 'androidbigtext',
  ]), // prettier-ignore
  sender: paths([
    'sender', 'from', 'address', 'phonenumber', 'number', 'smsnumber', 'smssender', 'contact',
    'payload/sender', 'payload/phonenumber', 'data/contact', 'query/sender',
  ]), // prettier-ignore
  package: paths(['package', 'packagename', 'notapppackage', 'apppackage', 'anpackage']),
  /** A package, or an app's name as people know it. */
  app: paths(['app']),
  /** A package, or what kind of notification it is. */
  type: paths(['type']),
  title: paths(['title', 'nottitle', 'antitle', 'subject']),
  time: paths([
    'receivedat', 'receivedstamp', 'sentstamp', 'when', 'posttime', 'timestamp', 'datesent', 'date', 'time',
    'receivetime', 'payload/receivedat', 'data/timestamp',
  ]), // prettier-ignore
}

/** Apps send the same few names with every notification. */
const plainNames = new Map<string, string>()
const MOST_NAMES = 1_000

/** A name as names are compared. */
export const plainName = (name: string): string => {
  let plain = plainNames.get(name)
  if (plain === undefined) {
    plain = name.toLowerCase().replace(/[._-]/g, '')
    if (plainNames.size < MOST_NAMES && name.length < 50) plainNames.set(name, plain)
  }
  return plain
}

const KNOWN: ReadonlySet<string> = new Set(Object.values(NAMES).flat(2))

/** Whether a name is one under which a forwarder app sends something. */
export const isKnownName = (name: string): boolean => KNOWN.has(plainName(name))

/** Names that are one name compare as equal: a known one by its plain form, any other as it is written. */
export const sameName = (name: string): string => {
  const plain = plainName(name)
  return KNOWN.has(plain) ? plain : name
}
