/**
 * The kind of a notification at the personal URL: `sms` if a sender is present or an SMS app displayed it, `notification` if a package is
 * present, otherwise `api`. Earlier releases recorded all of them as `api`, so read models derive the kind of those events here.
 */
import { smsApps } from '../banks/directory.ts'
import type { SourceType } from '../transaction/events.ts'
import { pathOfSource, URL_PATH } from './receive-paths.ts'

interface Given {
  sender?: string | null | undefined
  package?: string | null | undefined
}

/** A blank field is present, but a field with a value counts first. */
export const sourceTypeAtUrl = ({ sender, package: app }: Given): SourceType => {
  const hasSender = sender !== undefined && sender !== null
  const hasPackage = app !== undefined && app !== null
  if (sender || (hasPackage && smsApps.has(app))) return 'sms'
  if (hasPackage) return 'notification'
  return hasSender ? 'sms' : 'api'
}

/** The name in a source is a package if it has a lower-case letter: `url:com.VCB`. A sender is in upper case: `url:VIETCOMBANK`. */
const givenIn = (source: string): Given => {
  const name = source.slice(URL_PATH.length + 1)
  // The last two stand for a channel that may also follow from the layout.
  if (name === '' || name === 'sms' || name === 'push') return {}
  return /[a-z]/.test(name) ? { package: name } : { sender: name }
}

/**
 * The kind of a recorded notification.
 * @param fields  sender and package, if the event has them
 */
export const sourceTypeOf = (
  { source_type, source }: { source_type: SourceType; source: string },
  fields: Given | null = null,
): SourceType =>
  source_type === 'api' && pathOfSource(source) === URL_PATH ? sourceTypeAtUrl(fields ?? givenIn(source)) : source_type
