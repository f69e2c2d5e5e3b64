/**
 * Decides whether a mail is from the bank and was sent to this mailbox (decisions, "Trust"). Anybody can write a From header. So
 * only the checks of the mailbox's provider count: a DKIM signature of the bank's domain that passed, and that covers the header
 * which names this mailbox. Without the last condition, a real mail of the bank to another person could be forwarded here.
 *
 * Every doubt counts as no. In particular, all signatures that claim to be the bank's must cover the required headers, because it
 * is not known which of them passed. And an answer does not count, because the bank's servers and staff quote what a stranger wrote
 * to them. A notification answers no mail.
 */
import {
  authservIdOf,
  parseAuthenticationResults,
  type AuthenticationResults,
  type MethodResult,
} from './authentication-results.ts'
import { bankOfDomain } from '../banks/directory.ts'
import { addressesIn } from './mail-address.ts'
import { isIdAmong } from './mail-providers.ts'

/**
 * Header values as they arrived, folded or not. If a name occurs more than once, the topmost value comes first. Results that the provider
 * divided among several headers are one value (`joinedResults`).
 */
export interface MailHeaders {
  from: readonly string[]
  to: readonly string[]
  cc: readonly string[]
  authentication_results: readonly string[]
  dkim_signature: readonly string[]
  /** `In-Reply-To`, `References` and `Auto-Submitted`. */
  in_reply_to: readonly string[]
  references: readonly string[]
  auto_submitted: readonly string[]
}

export const NO_HEADERS: MailHeaders = {
  from: [],
  to: [],
  cc: [],
  authentication_results: [],
  dkim_signature: [],
  in_reply_to: [],
  references: [],
  auto_submitted: [],
}

export interface Mailbox {
  /** The mailbox's own address. */
  email: string
  /** The ids under which its provider writes. If there are none, no mail is trusted. */
  authserv_ids: readonly string[]
}

/** The bank that a mail claims to be from: the bank of the only address in its only From header. Null for any other mail. */
export const bankClaimedBy = ({ from }: Pick<MailHeaders, 'from'>): string | null => {
  const addresses = from.flatMap(addressesIn)
  const domain = domainIn(addresses[0] ?? '')
  return from.length === 1 && addresses.length === 1 && DOMAIN.test(domain)
    ? (bankOfDomain(domain)?.code ?? null)
    : null
}

const domainIn = (address: string): string => address.slice(address.lastIndexOf('@') + 1)

/** A domain name in the form of DNS: ASCII, no dot at the end. */
const DOMAIN = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)+$/i
const IDENTITY = /^[^@]*@([^@]+)$/

/**
 * The provider's results: the topmost header with its own id. Headers of the sender stand below it. A header with a doubtful
 * writer ends the search, because it could be the provider's.
 *
 * @returns the topmost header, then the others with that id. Null if there is none, or if the topmost is doubtful.
 */
const providersResults = (headers: readonly string[], ids: readonly string[]): AuthenticationResults[] | null => {
  const found: AuthenticationResults[] = []
  for (const header of headers) {
    const id = authservIdOf(header)
    if (id === null && found.length === 0) return null
    if (id === null || !isIdAmong(ids, id)) continue
    const results = parseAuthenticationResults(header)
    if (results) found.push(results)
    else if (found.length === 0) return null
  }
  return found.length === 0 ? null : found
}

/**
 * The domain of the signature that a result describes: `header.d`, or the domain of the identity if only that is given (Gmail).
 * @returns null if it is not given, or doubtful: an identity outside of its domain
 */
const signerIn = ({ properties }: MethodResult): string | null => {
  const domain = properties.get('header.d')?.toLowerCase()
  const identity = properties.get('header.i')?.toLowerCase()
  const its = identity === undefined ? domain : IDENTITY.exec(identity)?.[1]
  if (its === undefined || !DOMAIN.test(its)) return null
  if (domain === undefined || its === domain) return its
  return DOMAIN.test(domain) && its.endsWith(`.${domain}`) ? domain : null
}

/** Whether a result contradicts the bank's signature. A result for an unnamed signature could describe the bank's. */
const isAgainst = (bank: string, result: MethodResult): boolean => {
  if (result.method === 'dmarc') return result.result === 'fail'
  if (result.method !== 'dkim') return false
  const signer = signerIn(result)
  return signer === null || (result.result !== 'pass' && bankOfDomain(signer)?.code === bank)
}

const isFor = (bank: string, result: MethodResult): boolean =>
  result.method === 'dkim' && result.result === 'pass' && bankOfDomain(signerIn(result) ?? '')?.code === bank

/** @param signatures  the number of signatures in the mail. The provider cannot have written more results than that. */
const isSignedBy = (bank: string, found: readonly AuthenticationResults[], signatures: number): boolean => {
  const [topmost] = found
  const about = topmost?.results.filter(({ method }) => method === 'dkim') ?? []
  const isDoubted = found.some(({ results }) => results.some((result) => isAgainst(bank, result)))
  return about.length <= signatures && !isDoubted && about.some((result) => isFor(bank, result))
}

interface Signature {
  domain: string
  /** Names in `h=`, in lower case, including repeated ones. */
  signed: readonly string[]
  /** With `l=`, anybody may append text after the signed part. */
  isPartial: boolean
}

/** Limits above what any mail has: signatures, and characters of one signature. */
const MOST_SIGNATURES = 10
const LONGEST_SIGNATURE = 16 * 1024

/** Parses the tags of a DKIM-Signature (RFC 6376, section 3.2). Null if a tag occurs twice or is malformed. */
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

/** Signatures cover the headers of a name from the lowest up, one for each time that the name occurs in `h=`. */
const coversAll = ({ signed }: Signature, name: string, headers: readonly string[]): boolean =>
  signed.filter((each) => each === name).length >= headers.length

/** Whether the mail answers another one, or a program sent it as an answer (RFC 5322, section 3.6.4; RFC 3834, section 5). */
const isAnswer = ({ in_reply_to, references, auto_submitted }: MailHeaders): boolean =>
  [...in_reply_to, ...references].some((value) => value.trim() !== '') ||
  auto_submitted.some((value) => /^\s*auto-replied\b/i.test(value))

/** @returns null if the mail is trusted */
export const distrustMail = (mail: MailHeaders, mailbox: Mailbox): 'unauthenticated_sender' | null => {
  const bank = bankClaimedBy(mail)
  const results = providersResults(mail.authentication_results, mailbox.authserv_ids)
  const { length } = mail.dkim_signature
  if (bank === null || !results || length > MOST_SIGNATURES || !isSignedBy(bank, results, length) || isAnswer(mail))
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
