/** Who speaks for which bank: SMS senders and app packages, and whom to believe (decisions, "Trust"). */
import type { Bank } from './bank.ts'
import { banks } from './banks/index.ts'
import type { Incoming } from './reading.ts'

/** Sender names are compared upper-case and without blanks: `Donga Bank` is `DONGABANK`. */
export const senderKey = (sender: string): string => sender.normalize('NFKC').replace(/\s/g, '').toUpperCase()

const byCode = new Map(banks.map((bank) => [bank.code, bank]))
const bySender = new Map(banks.flatMap((bank) => bank.senders.map((sender) => [senderKey(sender), bank] as const)))
const byPackage = new Map(banks.flatMap((bank) => bank.packages.map((name) => [name, bank] as const)))

/** Apps that show SMS: their notifications count as SMS, with the title as the sender. */
export const smsApps: ReadonlySet<string> = new Set([
  'com.google.android.apps.messaging',
  'com.samsung.android.messaging',
  'com.android.mms',
  'com.android.messaging',
  'com.oneplus.mms',
])

/** Chat, shop, news, mail, browser and game apps: anyone can write a bank's text there. */
const STRANGERS =
  /^(?:com\.zing\.zalo|com\.facebook\.|com\.whatsapp|org\.telegram|org\.thunderdog|com\.viber|com\.instagram|com\.skype|com\.tencent|com\.discord|jp\.naver\.line|org\.thoughtcrime|com\.microsoft\.teams|com\.slack|com\.linkedin|com\.twitter|com\.zhiliaoapp|com\.ss\.android|com\.google\.android\.(?:gm|youtube|googlequicksearchbox|apps\.magazines)|com\.microsoft\.office\.outlook|com\.android\.chrome|org\.mozilla|com\.coccoc|com\.opera|com\.shopee|com\.lazada|vn\.tiki|com\.sendo|com\.grabtaxi|com\.baomoi|com\.epi|vn\.com\.vnexpress|fpt\.vnexpress)|(?:^|\.)(?:game|games|news|chat|shop)(?:\.|$)/i

/** Whether this app shows what anybody writes, so that nothing in it is a bank's word. */
export const isStranger = (packageName: string): boolean => STRANGERS.test(packageName)

/** The SMS sender: as given, or the title where an SMS app showed it; undefined where nobody told. */
export const senderOf = (incoming: Incoming): string | undefined =>
  incoming.package && smsApps.has(incoming.package) ? incoming.title : incoming.sender

/** The bank whose app or sender this is; null where neither is known. Says nothing of trust. */
export const bankNamedBy = (incoming: Incoming): Bank | null => {
  const app = incoming.package && byPackage.get(incoming.package)
  if (app) return app
  const sender = senderOf(incoming)
  return (sender && bySender.get(senderKey(sender))) || null
}

/** Name of a bank by its code; null for a code that is none. */
export const bankName = (bankCode: string): string | null => byCode.get(bankCode)?.name ?? null

/**
 * Whether an SMS of this sender may speak for the bank: one of the bank's own, or one of the user's `trusted_senders`.
 * That no sender was given at all is for the caller to judge.
 */
export const senderIsTrusted = (bankCode: string, sender: string, trustedSenders: readonly string[]): boolean => {
  const key = senderKey(sender)
  return bySender.get(key)?.code === bankCode || trustedSenders.some((trusted) => senderKey(trusted) === key)
}

/** Whether an app of this package is the bank's own. SMS apps are not: there the sender decides. */
export const packageIsTrusted = (bankCode: string, packageName: string): boolean =>
  byPackage.get(packageName)?.code === bankCode
