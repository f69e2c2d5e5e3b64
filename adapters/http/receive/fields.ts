// Tests: tests/unit/adapters/http/receive/forwarders.test.ts
/**
 * Finds text, sender, app, title and time in a body that a forwarder app posted, under the names that apps and users give them
 * (`field-names.ts`). Also reports whether a text may have injected one of these fields (decisions, "Trust", T1 and T2).
 */
import { mayBeNameOfApp, senderKey } from '../../../domain/banks/directory.ts'
import type { Incoming } from '../../../domain/reader/reading.ts'
import { storable } from './body-text.ts'
import type { Found } from './found.ts'
import { asText, disagree, givenAt, onlyValue, type Given } from './given-values.ts'
import { knownBodyOf, type KnownBody } from './known-bodies.ts'
import { isObject, memberAt, membersOf, type Members } from './members.ts'
import { NAMES } from './field-names.ts'
import { withNestedJson } from './nested-json.ts'
import { stampOf } from './stamp.ts'
import { textIn } from './text-field.ts'

const LOOKS_LIKE_PACKAGE = /^[a-z][\w]*(\.[\w]+)+$/i

/** Kinds of notifications that look like package names: `sms.received`, `android.app.Notification`. */
const LOOKS_LIKE_KIND =
  /^(?:android\.|(?:sms|mms|message|notification|email|mail|call|event|gateway)\.)|\.(?:received|posted|sent|created|test)$/i

/**
 * Incoming SMS to URL forwarder posts the notifications of any app like an SMS: the title is the sender, and this is the SIM card. A title may
 * be the name that a stranger gave themselves in a chat.
 */
const isNotificationAsSms = (sources: readonly Members[]): boolean =>
  sources.some((members) => members.get('sim') === 'notification')

/**
 * The given package names. `app` and `type` can also hold other things, so their values count only if they look like a package name. The
 * `type` of a CloudEvent never counts, and neither does a `type` that is a kind of notification. If `app` holds text but no package and
 * no sender is found, the package counts as given but unknown. So does the package of a notification that is posted like an SMS.
 */
const packagesIn = (sources: readonly Members[], hasSender: boolean): Given => {
  if (isNotificationAsSms(sources)) return { values: [''], isNull: false }
  const { values: sure, isNull } = givenAt(sources, NAMES.package)
  const apps = givenAt(sources, NAMES.app).values
  const isEvent = sources.some((members) => members.has('specversion'))
  const types = isEvent ? [] : givenAt(sources, NAMES.type).values
  const packages = [
    ...sure,
    ...apps.filter((app) => LOOKS_LIKE_PACKAGE.test(app)),
    ...types.filter((type) => LOOKS_LIKE_PACKAGE.test(type) && !LOOKS_LIKE_KIND.test(type)),
  ]
  const isNamed = sources.some((members) => typeof members.get('app') === 'string')
  return packages.length === 0 && isNamed && !hasSender ? { values: [''], isNull } : { values: packages, isNull }
}

const sendersIn = (sources: readonly Members[], known: KnownBody | null): Given => {
  const names = known?.counts.sender
  return givenAt(sources, names ? NAMES.sender.filter(([name]) => names.includes(name!)) : NAMES.sender)
}

/** A blank title beside a real one does not count as a second title. */
const titleIn = (given: Given): string | undefined => {
  const real = given.values.filter(Boolean)
  return onlyValue(real.length > 0 ? { ...given, values: real } : given)
}

/** A forwarder's heartbeat event. The word becomes the text, and the reader recognizes it. */
const HEARTBEAT = /(?:^|[.:_-])(heartbeat|ping)$/i
/** The same for its test event, which counts only without a text. */
const TEST = /(?:^|[.:_-])(test)$/i

const eventIn = (sources: readonly Members[], kind: RegExp): string | undefined => {
  for (const members of sources) {
    const [, word] = kind.exec(asText(members.get('event')) ?? '') ?? []
    if (word !== undefined) return word.toLowerCase()
  }
  return undefined
}

const stampIn = (sources: readonly Members[]): Date | null => {
  for (const path of NAMES.time) {
    for (const members of sources) {
      const value = memberAt(members, path)
      const stamp = value === undefined ? null : stampOf(value)
      if (stamp) return stamp
    }
  }
  return null
}

/**
 * Whether a text may have added the app of a bank to the body of a template that names the sender only: a person's name, as phones show that of a
 * contact, stands beside it.
 */
const mayHaveNamedApp = (body: Members, sender: string | undefined): boolean =>
  sender !== undefined && packagesIn([body], true).values.some((name) => !mayBeNameOfApp(name, sender))

/** A `null` counts as not given if another field contains the origin, as apps serialize every field of a class. */
const unlessGivenElsewhere = (value: string | undefined, given: Given, other: string | undefined) =>
  value === '' && given.values.length === 0 && other ? undefined : value

/**
 * @param value  a parsed body or one of its items: an object, or the text itself
 * @param query  the query parameters, if there are any
 * @param isEscaped  whether no text can have injected a field; then two names cause no doubt
 */
export const findFields = (value: unknown, query: object | null = null, isEscaped = false): Found =>
  withNestedJson(fieldsOf(value, query, isEscaped), (nested) => fieldsOf(nested, null, false))

const fieldsOf = (value: unknown, query: object | null, isEscaped: boolean): Found => {
  if (typeof value === 'string' && query === null)
    return { incoming: { text: storable(value) }, stamp: null, hasTwoNames: false }
  const posted = typeof value === 'string' ? { text: value } : value
  const body = membersOf(posted)
  const sources = query === null ? [body] : [body, membersOf(query)]
  const known = query === null ? knownBodyOf(body) : null
  const senders = sendersIn(sources, known)
  const sender = onlyValue(senders, senderKey)
  const packages = packagesIn(sources, sender !== undefined)
  const app = onlyValue(packages)
  const titles = givenAt(sources, NAMES.title)
  const title = titleIn(titles)
  const { text, isDoubtful, isMissing = false } = textIn(posted, sources, known, isEscaped)
  const givenSender = unlessGivenElsewhere(sender, senders, app)
  const givenPackage = unlessGivenElsewhere(app, packages, sender)
  const event = eventIn(sources, HEARTBEAT) ?? (isMissing ? eventIn(sources, TEST) : undefined)
  const incoming: Incoming = { text: event ?? text }
  if (givenSender !== undefined) incoming.sender = givenSender
  if (givenPackage !== undefined) incoming.package = givenPackage
  if (title !== undefined) incoming.title = title
  return {
    incoming,
    stamp: stampIn(sources),
    hasNoText: isMissing && event === undefined && isObject(posted),
    hasTwoNames:
      !isEscaped &&
      (isDoubtful ||
        disagree(senders.values, senderKey) ||
        disagree(packages.values) ||
        disagree(titles.values) ||
        mayHaveNamedApp(body, sender)),
  }
}
