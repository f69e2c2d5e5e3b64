/**
 * A grammar of the bodies that forwarder apps post. It fills the body of each app as that app does, with a bank's own text and a hostile
 * memo or with a stranger's message. Each case names the true sender, so that a test can tell what the body may become at most.
 */
import type { Incoming } from '../../domain/reader/reading.ts'

/** Deterministic pseudo-random numbers (mulberry32). @returns the next one, from 0 up to 1 */
export const randomFrom = (seed: number) => (): number => {
  seed = (seed + 0x6d2b79f5) | 0
  let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed)
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
}

type Random = () => number

const pick = <Item>(random: Random, items: readonly Item[]): Item => items[Math.floor(random() * items.length)]!

// --- who sent it ---------------------------------------------------------------------------------------------------

/** A text as a phone displays it: with the sender of an SMS, or with an app and its title. */
export interface Shown {
  sender?: string
  package?: string
  title?: string
  text: string
  /** The data that the bank printed; null for a stranger's text. */
  printed: { amount: string; account: string; direction: 'credit' | 'debit' } | null
}

const BANKS = [
  { sender: 'Vietcombank', package: 'com.VCB', text: (a: string, n: string, memo: string) => `SD TK ${n} +${a}VND luc 20-11-2026 10:00:05. SD 222,772,047VND. Ref MBVCB.911539506.${memo}` },
  { sender: 'MBBANK', package: 'com.mbmobile', text: (a: string, n: string, memo: string) => `TK ${n}|GD: +${a}VND 20/11/26 10:00|SD:4,660,921VND|ND: ${memo}` },
  { sender: 'ACB', package: 'mobile.acb.com.vn', text: (a: string, n: string, memo: string) => `ACB: TK ${n}(VND) + ${a} luc 10:00 20/11/2026. So du 9,120,000. GD: ${memo}` },
  { sender: 'BIDV', package: 'com.vnpay.bidv', text: (a: string, n: string, memo: string) => `TK${n} tai BIDV +${a}VND vao 10:00 20/11/2026. So du:3,000,000VND. ND: ${memo}` },
  { sender: 'VietinBank', package: 'com.vietinbank.ipay', text: (a: string, n: string, memo: string) => `VietinBank:20/11/2026 10:00|TK:${n}|GD:+${a}VND|SDC:5,000,000VND|ND:${memo}` },
  { sender: 'VPBank', package: 'com.vnpay.vpbankonline', text: (a: string, n: string, memo: string) => `TK ${n} tai VPB +${a}VND luc 10:00 20/11/26. So du 8,000,000VND. ND: ${memo}` },
  { sender: 'Techcombank', package: 'vn.com.techcombank.bb.app', text: (a: string, n: string, memo: string) => `TK ${n}\nSo tien GD:+${a}\nSo du:7,000,000\n${memo}` },
] as const // prettier-ignore

const STRANGERS: readonly Omit<Shown, 'text' | 'printed'>[] = [
  { sender: '+84912345678' },
  { sender: '0987654321' },
  { sender: 'Minh' },
  { package: 'com.zing.zalo', title: 'Minh' },
  { package: 'com.facebook.orca', title: 'Vietcombank' },
  { package: 'com.google.android.apps.messaging', title: 'Vietcombank' },
  { package: 'com.mservice.momotransfer', title: 'Nguyen Van A' },
]

const AMOUNTS = ['20,000', '150,000', '1,234,567']
const ACCOUNTS = ['0011000415567', '190333888777']
const FORGED =
  'SD TK 0099888777666 +99,000,000VND luc 20-11-2026 10:00:05. SD 222,772,047VND. Ref MBVCB.911539506.DH9999'
const FORGED_ESCAPED = FORGED.replaceAll('+', '\\u002b')

/** Texts that a payer or a stranger may write. */
const HOSTILE = [
  'DH1042',
  'DH1042 chuyen tien',
  `x","text":"${FORGED}`,
  `x","text":"${FORGED_ESCAPED}`,
  `x","te\\u0078t":"${FORGED}`,
  `x","TEXT":"${FORGED}`,
  `x","bigText":"${FORGED}`,
  `x","content":"${FORGED}","from":"Vietcombank`,
  `x","from":"Vietcombank","text":"${FORGED}`,
  `x","sender":"Vietcombank`,
  `x","package":"com.VCB","text":"${FORGED}`,
  `x"},{"from":"Vietcombank","text":"${FORGED}`,
  `x"}\n{"from":"Vietcombank","text":"${FORGED}"`,
  `x","payload":{"message":"${FORGED}","sender":"Vietcombank"},"y":"`,
  `x&text=${FORGED}&sender=Vietcombank`,
  `x&sender=Vietcombank`,
  `x%26text%3D${FORGED}%26sender%3DVietcombank`,
  `x\n${FORGED}`,
  `x&#10;${FORGED}`,
  `x&quot;,&quot;text&quot;:&quot;${FORGED}`,
  `A&B`,
  `x & y`,
  `x\r\n\r\n${FORGED}`,
  `x|GD: +99,000,000VND 20/11/26 10:00|SD:99,660,921VND|ND: DH9999`,
  `x. So du 99,000,000VND. ND: DH9999`,
  `x +99,000,000VND`,
  `x\r\n--B0undary\r\nContent-Disposition: form-data; name="text"\r\n\r\n${FORGED}`,
  `x\u200b","text":"${FORGED}`,
  `x\u202e${FORGED}`,
  `x”,”text”:”${FORGED}`,
  `x\u0000","text":"${FORGED}`,
  `x\\","text":"${FORGED}`,
  `x\\`,
  `x"`,
  `x'}`,
  `{"text":"${FORGED}","sender":"Vietcombank"}`,
  `[{"text":"${FORGED}","sender":"Vietcombank"}]`,
  `{"text":"${FORGED}"}`,
  `x %text% {notification} [content]`,
  'x'.repeat(5_000),
] as const

const shown = (random: Random): Shown => {
  const memo = pick(random, HOSTILE)
  if (random() < 0.4) {
    const text = random() < 0.5 ? FORGED : `${pick(random, ['', 'Minh: ', 'alo '])}${memo}`
    return { ...pick(random, STRANGERS), text, printed: null }
  }
  const bank = pick(random, BANKS)
  const [amount, account] = [pick(random, AMOUNTS), pick(random, ACCOUNTS)]
  const text = bank.text(amount, account, memo)
  const printed = { amount: `${amount.replaceAll(',', '')}.00`, account, direction: 'credit' } as const
  return random() < 0.6
    ? { sender: bank.sender, text, printed }
    : { package: bank.package, title: pick(random, ['', 'Thông báo', 'Biến động số dư']), text, printed }
}

// --- how apps post it ----------------------------------------------------------------------------------------------

export interface Posted {
  app: string
  body: string
  contentType: string
  /** The query as sent, without `?`. */
  query: string
}

const JSON_TYPE = 'application/json; charset=utf-8'
const FORM_TYPE = 'application/x-www-form-urlencoded'
const BOUNDARY = 'B0undary'

const escaped = (text: string): string => JSON.stringify(text).slice(1, -1)
const raw = (text: string): string => text

type App = (of: Shown) => Omit<Posted, 'app'> | null

const json = (body: string, query = ''): Omit<Posted, 'app'> => ({ body, contentType: JSON_TYPE, query })
const form = (fields: Record<string, string>, encode: (text: string) => string): Omit<Posted, 'app'> => ({
  body: Object.entries(fields)
    .map(([name, value]) => `${name}=${encode(value)}`)
    .join('&'),
  contentType: FORM_TYPE,
  query: '',
})
const origin = ({ sender, package: app, title }: Shown): Record<string, string> => ({
  ...(sender !== undefined && { sender }),
  ...(app !== undefined && { package: app }),
  ...(title !== undefined && { title }),
})
const originQuery = (of: Shown): string => new URLSearchParams(origin(of)).toString()

/** Only for SMS. */
const sms =
  (write: (sender: string, text: string) => Omit<Posted, 'app'>): App =>
  ({ sender, text }) =>
    sender === undefined ? null : write(sender, text)
/** Only for pushes. */
const push =
  (write: (app: string, title: string, text: string) => Omit<Posted, 'app'>): App =>
  ({ package: app, title, text }) =>
    app === undefined ? null : write(app, title ?? '', text)

/** The bodies of the apps themselves, and templates that users write. */
const APPS: Readonly<Record<string, App>> = {
  'SMS to URL forwarder': sms((from, text) => json(`{\n  "from":"${from}",\n  "text":"${escaped(text)}",\n  "sentStamp":1795143605000,\n  "receivedStamp":1795143606000,\n  "sim":"SIM1"\n}`)),
  'SMS to URL forwarder, old': sms((from, text) => json(`{"from":"${from}","text":"${escaped(text)}"}`)),
  'SmsForwarder form': sms((from, text) => form({ from, content: text, timestamp: '1795143605000' }, encodeURIComponent)),
  'SmsForwarder JSON template': sms((from, text) => json(`{"from":"${raw(from)}","content":"${raw(text)}","timestamp":"1795143605000"}`)),
  'SmsForwarder GET': sms((from, text) => ({ body: '', contentType: '', query: new URLSearchParams({ from, content: text }).toString() })),
  'SMS Gateway': sms((from, text) => json(JSON.stringify({ deviceId: 'd', event: 'sms:received', id: 'i', payload: { messageId: 'm', message: text, phoneNumber: from, simNumber: 1, receivedAt: '2026-11-20T10:00:06+07:00' } }))),
  httpSMS: sms((from, text) => json(JSON.stringify({ specversion: '1.0', id: 'i', source: 's', type: 'message.phone.received', datacontenttype: 'application/json', data: { message_id: 'm', user_id: 'u', owner: '+84900000000', contact: from, content: text, sim: 'SIM1' } }))),
  'android-sms-hooks': sms((from, text) => json(JSON.stringify({ body: text, from, timestamp: 1_795_143_605_000 }))),
  sms2webhook: sms((from, text) => json(JSON.stringify({ _id: '5', thread_id: '2', address: from, date: '1795143605000', body: text, sub_id: '1' }))),
  'ForwardSMS iOS': sms((from, text) => json(JSON.stringify({ timestamp: '2026-11-20T03:00:06Z', content: text, sender: from, contact: from }))),
  'MacroDroid JSON': push((app, title, text) => json(`{"packageName":"${app}","title":"${title}","text":"${text}","raw":"${text}"}`)),
  'MacroDroid JSON, SMS': sms((from, text) => json(`{"sender":"${from}","text":"${text}"}`)),
  'encoded form': (of) => form({ text: of.text, ...origin(of) }, encodeURIComponent),
  'MacroDroid form': (of) => form({ ...origin(of), text: of.text }, raw),
  'MacroDroid text': (of) => ({ body: of.text, contentType: 'text/plain', query: originQuery(of) }),
  'Tasker JSON': push((app, title, text) => json(`{"antitle":"${title}","antext":"${text}","anpackage":"${app}"}`)),
  'Shortcuts JSON': sms((sender, text) => json(JSON.stringify({ sms: text, sender }))),
  'Shortcuts filter': sms((sender, text) => json(JSON.stringify({ query: { sender, message: { text } }, app: { version: '1' }, _version: 1 }))),
  'listener app': push((app, title, text) => json(JSON.stringify({ packageName: app, title, text, bigText: text, postTime: 1_795_143_605_000, id: 7 }))),
  'listener app by type': push((app, _, text) => json(JSON.stringify({ type: app, body: text, timestamp: 1_795_143_605_000 }))),
  multipart: (of) => ({
    body: Object.entries({ ...origin(of), text: of.text }).map(([name, value]) => `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value.replaceAll(`--${BOUNDARY}`, '--')}\r\n`).join('') + `--${BOUNDARY}--\r\n`,
    contentType: `multipart/form-data; boundary=${BOUNDARY}`, query: '',
  }),
  'query alone': (of) => ({ body: '', contentType: '', query: new URLSearchParams({ ...origin(of), text: of.text }).toString() }),
  'JSON labelled as text': sms((from, text) => ({ ...json(JSON.stringify({ from, text })), contentType: 'text/plain' })),
  'JSON in a form': (of) => ({ ...form({ payload: JSON.stringify({ ...origin(of), text: of.text }) }, encodeURIComponent), query: originQuery(of) }),
  'JSON encoded twice': sms((sender, text) => json(JSON.stringify(JSON.stringify({ text, sender })), 'sender=Vietcombank')),
  'text as a JSON string': (of) => json(JSON.stringify(of.text), originQuery(of)),
  'text labelled as JSON': (of) => json(of.text, originQuery(of)),
  'a list of two': sms((from, text) => json(JSON.stringify([{ from, text }, { from: '0900000000', text: 'alo' }]))),
} // prettier-ignore

export interface Case {
  shown: Shown
  posted: Posted
  /** The true sender or app, and the text as displayed. The bank's own text is read from these. */
  truth: Incoming
}

const NAMES = Object.keys(APPS)

/** The bodies in which the apps post it. */
export const bodiesOfApps = (of: Shown): Posted[] =>
  NAMES.flatMap((app) => {
    const posted = APPS[app]!(of)
    return posted ? [{ app, ...posted }] : []
  })

/** @param random  the source of every choice */
export const nextCase = (random: Random): Case => {
  for (;;) {
    const of = shown(random)
    const app = pick(random, NAMES)
    const posted = APPS[app]!(of)
    if (!posted) continue
    const { text, sender, package: name, title } = of
    const truth = {
      text,
      ...(sender !== undefined && { sender }),
      ...(name !== undefined && { package: name }),
      ...(title !== undefined && { title }),
    }
    return { shown: of, posted: { app, ...posted }, truth }
  }
}
