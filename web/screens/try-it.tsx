// Tests: tests/e2e/browser/dashboard.test.ts
/** Try it: a bank's text, read only, or sent the whole way to the test inbox or to the user's own webhooks. */
import type { ComponentChildren } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { useQuery } from '@tanstack/preact-query'
import { getData, postData } from '../api/client.ts'
import type { BankAccount, DeliveredTransaction, Parsed, Received, System } from '../api/types.ts'
import { calledRules, unconfirmedAccount } from '../app/called-rules.ts'
import { useIntoView } from '../app/into-view.ts'
import { texts } from '../app/language.ts'
import { moment } from '../app/localised.ts'
import { now } from '../app/present.ts'
import { useSettled } from '../app/settled.ts'
import { SAMPLE_BANKS, type SampleBank } from '../app/sample-texts.ts'
import { firstPrefix, submitText } from '../app/try-submission.ts'
import { useAction } from '../ui/action.ts'
import { After } from '../ui/after.tsx'
import { ActionProblem, Amount, Field, Heading, Status, Stranger } from '../ui/basics.tsx'
import { Loaded } from '../ui/loaded.tsx'
import { Select } from '../ui/choices.tsx'
import { useBankAccounts } from '../ui/bank-accounts.tsx'
import { Inboxes, useInboxes } from '../ui/inbox.tsx'
import { Marked } from '../ui/marked-text.tsx'
import { NotSent } from '../ui/not-sent.tsx'
import { Pairs, type Pair } from '../ui/pairs.tsx'
import { useRules, useSystems } from '../ui/rules.tsx'

const LEVELS = ['read', 'inbox', 'rules'] as const
type Level = (typeof LEVELS)[number]

const AMOUNTS = [150_000, 350_000, 890_000, 1_250_000]
const SAMPLE_ACCOUNT = '0011000415567'
const STALE = ['transactions', 'stats', 'notifications', 'inbox', 'webhooks', 'systems', 'sources', 'banks']

const digits = (count: number): string =>
  String(crypto.getRandomValues(new Uint32Array(1))[0]! % 10 ** count).padStart(count, '1')

/** A text that was not sent before. Its account is the user's own, if it is known. */
const textOf = (bank: SampleBank, systems: readonly System[], accounts: readonly BankAccount[]): string =>
  bank.text({
    account:
      accounts.find(({ bank_code, confirmed }) => bank_code === bank.code && confirmed)?.account_number ??
      SAMPLE_ACCOUNT,
    orderId: firstPrefix(systems) + digits(4),
    amount: AMOUNTS[Number(digits(2)) % AMOUNTS.length]!,
    balance: 2_000_000 + Number(digits(6)),
    at: new Date(now()),
    number: digits(9),
  })

const parse = (text: string, sender: string, systems: readonly System[]): Promise<Parsed> =>
  postData<Parsed>('/api/demo/parse', {
    text,
    sender,
    prefixes: systems.filter(({ is_active }) => is_active === 1).map(({ payment_prefix }) => payment_prefix),
  })

/** Below the button, so on a phone perhaps out of sight. */
const Result = ({ children }: { children: ComponentChildren }) => (
  <div ref={useIntoView<HTMLDivElement>()} class="stack tight">
    {children}
  </div>
)

const Reading = ({ text, of: { transaction, reason } }: { text: string; of: Parsed }) => {
  const { tryIt, reasons, transaction: shown } = texts.value
  const t = tryIt.result
  const { counterpart } = shown.facts
  if (!transaction)
    return (
      <div class="notice waiting">
        <p>{t.notRead}</p>
        <p>{reasons[reason ?? ''] ?? reason}</p>
      </div>
    )
  const rows: Pair[] = [
    [t.amount, <Amount of={transaction} />],
    [t.order, transaction.order_id ?? t.none],
    [t.bank, transaction.bank_name],
    [t.account, transaction.account_number ?? t.none],
    [
      counterpart[transaction.transaction_type],
      transaction.counterpart_name ? <Stranger text={transaction.counterpart_name} /> : t.none,
    ],
    [t.ref, transaction.transaction_ref ?? t.none],
    [t.date, moment(transaction.transaction_date)],
  ]
  return (
    <>
      <h3>{t.read}</h3>
      <Marked text={text} read={transaction} />
      <Pairs rows={rows} />
    </>
  )
}

/** The clocks of servers may differ a little. */
const EARLIER_MS = 60_000

const Recorded = ({ id, of: { isRepeated, at } }: { id: number; of: Sent }) => {
  const t = texts.value.tryIt.result
  const found = useQuery({
    queryKey: ['transaction', id, false],
    queryFn: () => getData<DeliveredTransaction>(`/api/transactions/${id}`),
  })
  return (
    <Loaded of={found}>
      {(transaction) => (
        <Result>
          <p>{isRepeated || Date.parse(transaction.created_at) < at - EARLIER_MS ? t.repeated : t.recorded}</p>
          <p class="row">
            <Amount of={transaction} />
            <Status of={transaction.webhook_status} />
            <a href={`/transactions/${id}`}>{t.open(id)}</a>
          </p>
          {transaction.deliveries.length === 0 && transaction.webhook_status !== 'pending' && (
            <NotSent of={transaction} />
          )}
        </Result>
      )}
    </Loaded>
  )
}

interface Sent {
  taken: Received
  /** When it was sent, in milliseconds. */
  at: number
  /** The same text was sent before on this page: Baoco takes it for the same payment. */
  isRepeated: boolean
}

const Taken = ({ of: sent }: { of: Sent }) => {
  const { tryIt, reasons } = texts.value
  const of = sent.taken
  return of.id !== undefined ? (
    <Recorded id={of.id} of={sent} />
  ) : (
    <Result>
      <div class="notice waiting">
        <p>{tryIt.result.ignored}</p>
        <p>{reasons[of.reason ?? ''] ?? of.reason}</p>
      </div>
    </Result>
  )
}

interface CalledProps {
  level: Level
  text: string
  sender: string
  accounts: readonly BankAccount[]
}

/** The webhooks that this text would call. It comes after a moment, so it stands below the button: above, it would move it away from a finger. */
const Called = ({ level, text: typed, sender, accounts }: CalledProps) => {
  const text = useSettled(typed)
  const t = texts.value.tryIt.level
  const systems = useSystems()
  const { data: rules = [] } = useRules()
  const { data: inboxes = [] } = useInboxes()
  const read = useQuery({
    queryKey: ['parse', text, sender, systems.data],
    queryFn: () => parse(text, sender, systems.data ?? []),
    enabled: level !== 'read' && systems.data !== undefined,
    staleTime: 60_000,
  })
  if (level === 'read' || !read.data) return null
  const called = read.data.transaction ? calledRules(read.data.transaction, rules, systems.data ?? []) : []
  const others = called.filter(({ url }) => !inboxes.some((inbox) => inbox.url === url))
  const named = level === 'rules' ? called : others
  const names = named.map(({ name }) => name).join(', ')
  const waiting =
    read.data.transaction &&
    (level === 'inbox' || called.length > 0) &&
    unconfirmedAccount(read.data.transaction, accounts)
  if (level === 'inbox' && read.data.transaction && !waiting && !names) return null
  return (
    <p class="notice waiting">
      {!read.data.transaction ? (
        t.unread
      ) : waiting ? (
        t.unconfirmed(waiting.bank_code, waiting.account_number)
      ) : names ? (
        <Stranger text={level === 'rules' ? t.called(names) : t.alsoCalled(names)} />
      ) : (
        t.nobody
      )}
    </p>
  )
}

const Levels = ({ value, choose }: { value: Level; choose: (level: Level) => void }) => {
  const t = texts.value.tryIt.level
  return (
    <fieldset class="stack tight plain">
      <legend class="hidden-text">{t.title}</legend>
      {LEVELS.map((each) => (
        <label key={each} class="choice">
          <input type="radio" name="level" checked={each === value} onChange={() => choose(each)} />
          <span>
            {t[each]}
            <br />
            <span class="muted">{t[`${each}Hint`]}</span>
          </span>
        </label>
      ))}
    </fieldset>
  )
}

const Trial = ({ systems, accounts }: { systems: readonly System[]; accounts: readonly BankAccount[] }) => {
  const { tryIt: t } = texts.value
  const [bank, setBank] = useState(SAMPLE_BANKS[0]!)
  const [text, setText] = useState(() => textOf(bank, systems, accounts))
  const [level, setLevel] = useState<Level>('read')
  const { sender } = bank
  const read = useAction(async () => ({ text, parsed: await parse(text, sender, systems) }))
  const recorded = useRef(new Set<number>())
  const send = useAction(async (): Promise<Sent> => {
    const at = now()
    const taken = await submitText({ text, sender }, { shop: t.shop, inbox: level === 'inbox' ? t.inboxName : null })
    const isRepeated = taken.id !== undefined && recorded.current.has(taken.id)
    if (taken.id !== undefined) recorded.current.add(taken.id)
    return { taken, at, isRepeated }
  }, STALE)
  const choose = (next: SampleBank): void => {
    setBank(next)
    setText(textOf(next, systems, accounts))
  }
  const run = (): void => {
    read.reset()
    send.reset()
    void (level === 'read' ? read.run() : send.run())
  }
  const isRunning = read.isRunning || send.isRunning
  const error = read.error ?? send.error
  return (
    <div class="stack wide">
      <section class="block stack">
        <h2>{t.text.title}</h2>
        <Select
          label={t.text.bank}
          name="bank"
          value={bank.code}
          options={SAMPLE_BANKS.map(({ code, name }) => [code, name] as const)}
          onChange={(code) => choose(SAMPLE_BANKS.find((each) => each.code === code)!)}
        />
        <Field label={t.text.text} hint={`${t.text.sender(sender)}. ${t.text.hint}`}>
          {(attributes) => (
            <textarea {...attributes} value={text} onInput={(event) => setText(event.currentTarget.value)} />
          )}
        </Field>
        <div>
          <button class="button" type="button" onClick={() => choose(bank)}>
            {t.text.another}
          </button>
        </div>
      </section>
      <section class="block stack">
        <h2>{t.level.title}</h2>
        <Levels value={level} choose={setLevel} />
        {level !== 'read' && <p class="notice waiting">{t.level.asReal}</p>}
        <div>
          <button class="button main" type="button" disabled={isRunning} onClick={run}>
            {t.level.run}
          </button>
        </div>
        <Called level={level} text={text} sender={sender} accounts={accounts} />
      </section>
      <section class="block stack tight" aria-live="polite">
        <h2>{t.result.title}</h2>
        <ActionProblem error={error} />
        {!error && !read.result && !send.result && <p class="muted">{t.result.empty}</p>}
        {read.result && (
          <Result>
            <Reading text={read.result.text} of={read.result.parsed} />
          </Result>
        )}
        {send.result && <Taken of={send.result} />}
      </section>
    </div>
  )
}

export const TryIt = () => {
  const { tryIt: t } = texts.value
  const systems = useSystems()
  const banks = useBankAccounts()
  useInboxes()
  return (
    <>
      <Heading title={t.title} />
      <div class="stack">
        <p>{t.lead}</p>
        <div class="columns">
          <Loaded of={systems}>
            {(all) => <Loaded of={banks}>{(accounts) => <Trial systems={all} accounts={accounts} />}</Loaded>}
          </Loaded>
          <After of={[systems, banks]}>
            <Inboxes />
          </After>
        </div>
      </div>
    </>
  )
}
