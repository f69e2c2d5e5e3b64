/**
 * Whether a mail is the bank's own word to this mailbox (decisions, "Trust"). From can be written by anybody, so it counts only
 * what the mailbox's provider has checked: a DKIM signature that passed, of the bank's domain, over the header that names this
 * mailbox; without the last a real mail of the bank to somebody else could be sent on to here.
 *
 * Every doubt is a no. In particular all signatures that claim to be the bank's must cover what counts, as it is not known
 * which of them passed.
 */
import { parseAuthenticationResults, type AuthenticationResults, type MethodResult } from './authentication-results.ts'
import { bankOfDomain } from './directory.ts'
import { addressesIn } from './mail-address.ts'

/** Header values as they came, folded or not; where a name stands more than once, the topmost first. */
export interface MailHeaders {
  from: readonly string[]
  to: readonly string[]
  cc: readonly string[]
  authentication_results: readonly string[]
  dkim_signature: readonly string[]
}

export interface Mailbox {
  /** Its own address. */
  email: string
  /** Under which its provider writes; none: nothing is believed. */
  authserv_ids: readonly string[]
}

/** The bank whose mail this claims to be: that of the one address in its one From header; null for any other mail. */
export const bankClaimedBy = ({ from }: Pick<MailHeaders, 'from'>): string | null => {
  const addresses = from.flatMap(addressesIn)
  const [address] = addresses
  if (from.length !== 1 || addresses.length !== 1 || address === undefined) return null
  return bankOfDomain(domainIn(address))?.code ?? null
}

const domainIn = (address: string): string => address.slice(address.lastIndexOf('@') + 1).replace(/\.$/, '')

/** The topmost one under the provider's own id; what the sender wrote stands below it. */
const providersResults = (headers: readonly string[], ids: readonly string[]): AuthenticationResults | null => {
  for (const header of headers) {
    const results = parseAuthenticationResults(header)
    if (results && ids.includes(results.authserv_id)) return results
  }
  return null
}

/** `header.d`, and where only the identity is told (Gmail) the domain of that. */
const signersIn = ({ properties }: MethodResult): string[] =>
  ['header.d', 'header.i'].flatMap((name) => {
    const value = properties.get(name)
    return value === undefined ? [] : [domainIn(value)]
  })

const isSignedBy = (bank: string, { results }: AuthenticationResults): boolean =>
  results.some((result) => {
    const signers = signersIn(result)
    const isPassed = result.method === 'dkim' && result.result === 'pass'
    return isPassed && signers.length > 0 && signers.every((domain) => bankOfDomain(domain)?.code === bank)
  })

interface Signature {
  domain: string
  /** Names in `h=`, in lower case, as often as they stand there. */
  signed: readonly string[]
  /** With `l=` anybody may write more behind the signed part. */
  isPartial: boolean
}

/** Tags of a DKIM-Signature (RFC 6376, section 3.2); null where one stands twice or is none. */
const signatureIn = (header: string): Signature | null => {
  const tags = new Map<string, string>()
  for (const tag of header.split(';')) {
    const [, name, value] = /^\s*([a-z][a-z0-9_]*)\s*=([\s\S]*)$/i.exec(tag) ?? []
    if (name === undefined || value === undefined) {
      if (tag.trim() === '') continue
      return null
    }
    if (tags.has(name)) return null
    tags.set(name, value.replace(/\s+/g, ''))
  }
  const domain = tags.get('d')
  const signed = tags.get('h')
  if (domain === undefined || signed === undefined) return null
  return { domain, signed: signed.toLowerCase().split(':'), isPartial: tags.has('l') }
}

/** Signatures cover a name's headers from the lowest up, one each time it stands in `h=`. */
const coversAll = ({ signed }: Signature, name: string, headers: readonly string[]): boolean =>
  signed.filter((each) => each === name).length >= headers.length

/** @returns null where the mail may be believed */
export const distrustMail = (mail: MailHeaders, mailbox: Mailbox): 'unauthenticated_sender' | null => {
  const bank = bankClaimedBy(mail)
  const results = providersResults(mail.authentication_results, mailbox.authserv_ids)
  if (bank === null || !results || !isSignedBy(bank, results)) return 'unauthenticated_sender'

  const signatures = mail.dkim_signature.map(signatureIn)
  const banks = signatures.filter((each) => each && bankOfDomain(each.domain)?.code === bank) as Signature[]
  const email = mailbox.email.toLowerCase()
  const names = (['to', 'cc'] as const).filter((name) => mail[name].flatMap(addressesIn).includes(email))
  const isBanks = (signature: Signature): boolean =>
    !signature.isPartial &&
    coversAll(signature, 'from', mail.from) &&
    names.some((name) => coversAll(signature, name, mail[name]))
  return banks.length > 0 && !signatures.includes(null) && banks.every(isBanks) ? null : 'unauthenticated_sender'
}
