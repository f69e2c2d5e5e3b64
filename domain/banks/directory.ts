/** The SMS senders and app packages of each bank, and which of them are trusted (decisions, "Trust"). */
import type { Bank } from './bank.ts'
import { banks } from './index.ts'
import type { Incoming } from '../reader/reading.ts'
import { shadowOf } from '../text.ts'

/** Sender names are compared in upper case and without blanks: `Donga Bank` is `DONGABANK`. */
export const senderKey = (sender: string): string => sender.normalize('NFKC').replace(/\s/g, '').toUpperCase()

const byCode = new Map(banks.map((bank) => [bank.code, bank]))
/** By each name as banks send it, which is found without making its key, and by its key. */
const bySender = new Map(
  banks.flatMap((bank) =>
    bank.senders.flatMap((sender) => [sender, senderKey(sender)].map((name) => [name, bank] as const)),
  ),
)
const byPackage = new Map(banks.flatMap((bank) => bank.packages.map((name) => [name, bank] as const)))
const senderKeys = new Map(
  banks.map((bank) => [bank, [bank.code, bank.name, ...bank.senders, ...bank.names].map(senderKey)]),
)

/** Apps that show SMS. Their notifications count as SMS, with the title as the sender. */
export const smsApps: ReadonlySet<string> = new Set([
  'com.google.android.apps.messaging',
  'com.samsung.android.messaging',
  'com.android.mms',
  'com.android.messaging',
  'com.oneplus.mms',
])

/** Chat, shop, news, mail, browser and game apps. Anyone can write a bank's text there. */
const STRANGERS =
  /^(?:com\.zing\.zalo|com\.facebook\.|com\.whatsapp|org\.telegram|org\.thunderdog|com\.viber|com\.instagram|com\.skype|com\.tencent|com\.discord|jp\.naver\.line|org\.thoughtcrime|com\.microsoft\.teams|com\.slack|com\.linkedin|com\.twitter|com\.zhiliaoapp|com\.ss\.android|com\.google\.android\.(?:gm|youtube|googlequicksearchbox|apps\.magazines)|com\.microsoft\.office\.outlook|com\.android\.chrome|org\.mozilla|com\.coccoc|com\.opera|com\.shopee|com\.lazada|vn\.tiki|com\.sendo|com\.grabtaxi|com\.baomoi|com\.epi|vn\.com\.vnexpress|fpt\.vnexpress)|(?:^|\.)(?:game|games|news|chat|shop)(?:\.|$)/i

/** Whether this app shows texts that anybody can write, so that none of them counts as a bank's. */
export const isStranger = (packageName: string): boolean => STRANGERS.test(packageName)

/** The SMS sender: as given, or the title if an SMS app showed the text. Undefined if unknown. */
export const senderOf = (incoming: Incoming): string | undefined =>
  incoming.package && smsApps.has(incoming.package) ? incoming.title : incoming.sender

const domains: readonly (readonly [string, Bank])[] = banks.flatMap((bank) =>
  bank.domains.map((domain) => [domain, bank] as const),
)

/** The bank that owns this domain or its parent domain. Null if there is none. */
export const bankOfDomain = (domain: string): Bank | null => {
  const sought = domain.toLowerCase()
  return domains.find(([own]) => sought === own || sought.endsWith(`.${own}`))?.[1] ?? null
}

/** The domain of the address in a From header, without regard to the display name. Null if there is no address, or several. */
export const domainOf = (from: string): string | null => {
  const shown = /<([^<>]*)>\s*$/.exec(from)?.[1] ?? from
  return /^[^\s@<>,;]+@([a-z0-9.-]+)$/i.exec(shown.trim())?.[1]?.toLowerCase() ?? null
}

/** Names at the beginning of texts: a bank's own, its senders', and its other names. */
const byName = new Map(
  banks.flatMap((bank) =>
    [bank.name, ...bank.senders, ...bank.names]
      .filter((name) => /[a-z]/i.test(name))
      .map((name) => [senderKey(name), bank] as const),
  ),
)

/**
 * The bank whose name a text begins with: `(TPBank): …`, `NCB : …`, `DongA Bank thong bao: …`. Null if it begins with something
 * else. Only whole words count: VietBank is neither VietinBank nor Vietcombank.
 * @param shadow  the text in shadow form
 */
export const bankSpokenOf = (shadow: string): Bank | null => {
  const start = /^[^a-z0-9]{0,2}([a-z][a-z -]{1,24}?)\)? ?(?:[:|\n]|$|(?=\d))/.exec(shadow)?.[1]
  return (start && byName.get(senderKey(start))) || null
}

/** Apps count their notifications in a field `number`. Phone numbers and addresses are no names. */
const NO_NAME = /^[\s\d+().-]*$|@/

/** The title of a push about money. Some templates send it as the sender. No contact has such a name. */
const MONEY_TITLE = /\b(?:bien dong|so du|thong bao|giao dich|vnd)\b|\d[.,]\d{3} ?d\b/

/** A word also begins at a capital letter after a small one: `MyVIB`. */
const WORD_START = /(?<![\p{L}\p{N}])[\p{L}\p{N}]|(?<=\p{Ll})\p{Lu}/gu
/** Names of apps are shorter, in characters. */
const NAMES_LENGTH = 100

/**
 * Whether a sender beside a package may be the name of the app or its bank, or the title of a push, and not a person's name. Any sender may stand
 * beside a package that is of no bank, and so may a sender that is no name: the trust of the source is checked elsewhere. The name of the bank
 * must begin a word, because names of persons contain codes of banks: `Ngoc Bich`, `Nam Bui`.
 */
export const mayBeNameOfApp = (packageName: string, sender: string): boolean => {
  const bank = byPackage.get(packageName)
  if (!bank || NO_NAME.test(sender) || sender === packageName) return true
  const shown = sender.slice(0, NAMES_LENGTH).normalize('NFKC')
  if (MONEY_TITLE.test(shadowOf(shown))) return true
  const ends = [...shown.matchAll(WORD_START)].map(({ index }) => senderKey(shown.slice(index)))
  return ends.some((end) => senderKeys.get(bank)!.some((name) => end.startsWith(name)))
}

/** The bank that owns this app, sender or mail domain. Null if none is known. It does not check trust. */
export const bankNamedBy = (incoming: Incoming): Bank | null => {
  if (incoming.from !== undefined) return bankOfDomain(domainOf(incoming.from) ?? '')
  const app = incoming.package && byPackage.get(incoming.package)
  if (app) return app
  const sender = senderOf(incoming)
  return (sender && (bySender.get(sender) ?? bySender.get(senderKey(sender)))) || null
}

/** The bank whose name or sender was given in place of its code, in upper case: TECHCOMBANK is TCB. Null for a code, and for any other word. */
export const bankMeantBy = (code: string): Bank | null => (byCode.has(code) ? null : (byName.get(code) ?? null))

/** Name of a bank by its code. Null for an unknown code. */
export const bankName = (bankCode: string): string | null => byCode.get(bankCode)?.name ?? null

/**
 * Whether an SMS of this sender counts as the bank's: the sender is one of the bank's own, or one of the user's
 * `trusted_senders`. The caller handles the case that no sender was given at all.
 */
export const senderIsTrusted = (bankCode: string, sender: string, trustedSenders: readonly string[]): boolean => {
  const key = senderKey(sender)
  if (key === '') return false
  return bySender.get(key)?.code === bankCode || trustedSenders.some((trusted) => senderKey(trusted) === key)
}

/** Whether an app of this package is the bank's own. SMS apps are not: for them the sender decides. */
export const packageIsTrusted = (bankCode: string, packageName: string): boolean =>
  byPackage.get(packageName)?.code === bankCode
