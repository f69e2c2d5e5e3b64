/**
 * Whether a mail is the bank's own word to this mailbox (decisions, "Trust"). From can be written by anybody, so it counts only
 * what the mailbox's provider has checked: a DKIM signature that passed, of the bank's domain, over the header that names this
 * mailbox; without the last a real mail of the bank to somebody else could be sent on to here.
 *
 * Every doubt is a no. In particular all signatures that claim to be the bank's must cover what counts, as it is not known
 * which of them passed.
 */
import {
  authservIdOf,
  parseAuthenticationResults,
  type AuthenticationResults,
  type MethodResult,
} from './authentication-results.ts'
import { bankOfDomain } from '../banks/directory.ts'
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

/** The bank that a mail claims to be from: that of the one address in its one From header; null for any other mail. */
export const bankClaimedBy = ({ from }: Pick<MailHeaders, 'from'>): string | null => {
  const addresses = from.flatMap(addressesIn)
  const domain = domainIn(addresses[0] ?? '')
  return from.length === 1 && addresses.length === 1 && DOMAIN.test(domain)
    ? (bankOfDomain(domain)?.code ?? null)
    : null
}

const domainIn = (address: string): string => address.slice(address.lastIndexOf('@') + 1)

/** A domain as DNS knows it: ASCII, no dot at the end. */
const DOMAIN = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)+$/i
const IDENTITY = /^[^@]*@([^@]+)$/

/**
 * What the provider found: the topmost header under its own id. What the sender wrote stands below it; a header whose writer
 * is in doubt ends the search, as it could be the provider's.
 *
 * @returns the topmost, and after it the others under that id; null where there is none, or the topmost is in doubt
 */
const providersResults = (headers: readonly string[], ids: readonly string[]): AuthenticationResults[] | null => {
  const found: AuthenticationResults[] = []
  for (const header of headers) {
    const id = authservIdOf(header)
    if (id === null && found.length === 0) return null
    if (id === null || !ids.includes(id)) continue
    const results = parseAuthenticationResults(header)
    if (results) found.push(results)
    else if (found.length === 0) return null
  }
  return found.length === 0 ? null : found
}

/**
 * The domain whose signature a result is about: `header.d`, and where only the identity is told (Gmail) the domain of that.
 * @returns null where it is not told, or in doubt: an identity outside of its domain
 */
const signerIn = ({ properties }: MethodResult): string | null => {
  const domain = properties.get('header.d')?.toLowerCase()
  const identity = properties.get('header.i')?.toLowerCase()
  const its = identity === undefined ? domain : IDENTITY.exec(identity)?.[1]
  if (its === undefined || !DOMAIN.test(its)) return null
  if (domain === undefined || its === domain) return its
  return DOMAIN.test(domain) && its.endsWith(`.${domain}`) ? domain : null
}

/** A result that speaks against the bank's signature. One of a signature that is not named could be of the bank's. */
const isAgainst = (bank: string, result: MethodResult): boolean => {
  if (result.method === 'dmarc') return result.result === 'fail'
  if (result.method !== 'dkim') return false
  const signer = signerIn(result)
  return signer === null || (result.result !== 'pass' && bankOfDomain(signer)?.code === bank)
}

const isFor = (bank: string, result: MethodResult): boolean =>
  result.method === 'dkim' && result.result === 'pass' && bankOfDomain(signerIn(result) ?? '')?.code === bank

/** @param signatures  how many the mail has: a result more than that was not written by the provider */
const isSignedBy = (bank: string, found: readonly AuthenticationResults[], signatures: number): boolean => {
  const [topmost] = found
  const about = topmost?.results.filter(({ method }) => method === 'dkim') ?? []
  const isDoubted = found.some(({ results }) => results.some((result) => isAgainst(bank, result)))
  return about.length <= signatures && !isDoubted && about.some((result) => isFor(bank, result))
}

interface Signature {
  domain: string
  /** Names in `h=`, in lower case, as often as they stand there. */
  signed: readonly string[]
  /** With `l=` anybody may write more behind the signed part. */
  isPartial: boolean
}

/** More than any mail has. Signatures, and characters of one. */
const MOST_SIGNATURES = 10
const LONGEST_SIGNATURE = 16 * 1024

/** Tags of a DKIM-Signature (RFC 6376, section 3.2); null where one stands twice, or is none. */
const signatureIn = (header: string): Signature | null => {
  if (header.length > LONGEST_SIGNATURE) return null
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
  if (domain === undefined || !DOMAIN.test(domain) || signed === undefined) return null
  return { domain, signed: signed.toLowerCase().split(':'), isPartial: tags.has('l') }
}

/** Signatures cover a name's headers from the lowest up, one each time it stands in `h=`. */
const coversAll = ({ signed }: Signature, name: string, headers: readonly string[]): boolean =>
  signed.filter((each) => each === name).length >= headers.length

/** @returns null where the mail may be believed */
export const distrustMail = (mail: MailHeaders, mailbox: Mailbox): 'unauthenticated_sender' | null => {
  const bank = bankClaimedBy(mail)
  const results = providersResults(mail.authentication_results, mailbox.authserv_ids)
  const { length } = mail.dkim_signature
  if (bank === null || !results || length > MOST_SIGNATURES || !isSignedBy(bank, results, length))
    return 'unauthenticated_sender'

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
