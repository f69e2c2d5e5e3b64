/**
 * Finds text, sender, app, title and time in what a forwarder app posted, under the names that apps and users give them (`names.ts`), and
 * tells whether a text may have named one of them (decisions, "Trust", T1 and T2).
 */
import { senderKey } from '../../../domain/banks/directory.ts'
import type { Incoming } from '../../../domain/reader/reading.ts'
import { storable } from './body-text.ts'
import { asText, disagree, givenAt, onlyValue, type Given } from './given.ts'
import { knownBodyOf, type KnownBody } from './known-bodies.ts'
import { memberAt, membersOf, type Members } from './members.ts'
import { NAMES } from './names.ts'
import { stampOf } from './stamp.ts'
import { textIn } from './text-field.ts'

const LOOKS_LIKE_PACKAGE = /^[a-z][\w]*(\.[\w]+)+$/i

/** What kind of notification it is, written like a package: `sms.received`, `android.app.Notification`. */
const LOOKS_LIKE_KIND =
  /^(?:android\.|(?:sms|mms|message|notification|email|mail|call|event|gateway)\.)|\.(?:received|posted|sent|created|test)$/i

/**
 * The packages given. `app` and `type` say other things too. There only what looks like a package is one, in a CloudEvent `type` never is,
 * and beside a package a kind of notification is none. An `app` by any other name is an app that is not known, unless something else tells
 * the origin.
 */
const packagesIn = (sources: readonly Members[], hasSender: boolean): Given => {
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

/** A title that is blank in one place is no second title. */
const titleIn = (given: Given): string | undefined => {
  const real = given.values.filter(Boolean)
  return onlyValue(real.length > 0 ? { ...given, values: real } : given, plainTitle)
}
const plainTitle = (title: string): string => title

const samePackage = (name: string): string => name

/** A forwarder that only says it is alive: the reader knows the word. */
const HEARTBEAT = /(?:^|[.:_-])(heartbeat|ping)$/i

const heartbeatIn = (sources: readonly Members[]): string | undefined => {
  for (const members of sources) {
    const [, word] = HEARTBEAT.exec(asText(members.get('event')) ?? '') ?? []
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

export interface Found {
  incoming: Incoming
  stamp: Date | null
  /** Whether text, sender, package or title is given under two names, with values of which neither contains the other. */
  hasTwoNames: boolean
}

/** A `null` beside what does tell the origin is not given: apps write every field of a class. */
const unlessOtherwiseTold = (value: string | undefined, given: Given, other: string | undefined) =>
  value === '' && given.values.length === 0 && other ? undefined : value

/**
 * @param value  a parsed body, or an item of one: an object, or the text itself
 * @param query  parameters of the address, where there are any
 * @param isEscaped  whether no text can have named a field: then two names are no reason for doubt
 */
export const findFields = (value: unknown, query: object | null = null, isEscaped = false): Found => {
  if (typeof value === 'string' && query === null)
    return { incoming: { text: storable(value) }, stamp: null, hasTwoNames: false }
  const posted = typeof value === 'string' ? { text: value } : value
  const body = membersOf(posted)
  const sources = query === null ? [body] : [body, membersOf(query)]
  const known = query === null ? knownBodyOf(body) : null
  const senders = sendersIn(sources, known)
  const sender = onlyValue(senders, senderKey)
  const packages = packagesIn(sources, sender !== undefined)
  const app = onlyValue(packages, samePackage)
  const titles = givenAt(sources, NAMES.title)
  const title = titleIn(titles)
  const { text, isDoubtful } = textIn(posted, sources, known, isEscaped)
  const saidSender = unlessOtherwiseTold(sender, senders, app)
  const saidPackage = unlessOtherwiseTold(app, packages, sender)
  const incoming: Incoming = { text: heartbeatIn(sources) ?? text }
  if (saidSender !== undefined) incoming.sender = saidSender
  if (saidPackage !== undefined) incoming.package = saidPackage
  if (title !== undefined) incoming.title = title
  return {
    incoming,
    stamp: stampIn(sources),
    hasTwoNames:
      !isEscaped &&
      (isDoubtful ||
        disagree(senders.values, senderKey) ||
        disagree(packages.values, samePackage) ||
        disagree(titles.values, plainTitle)),
  }
}
