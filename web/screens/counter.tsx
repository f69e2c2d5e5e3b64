// Tests: tests/e2e/browser/dashboard.test.ts
/**
 * The screen in the shop: the last payments in large type, with sound if somebody wants it. The token in the address opens nothing else,
 * so there is no login, and nothing but amounts, times and order ids.
 */
import { useEffect, useRef, useState } from 'preact/hooks'
import { errorOf } from '../api/client.ts'
import { mergedPayments, newestArrived, type Payment } from '../app/counter-payments.ts'
import { playPayment } from '../app/counter-sound.ts'
import { followStream } from '../app/follow-stream.ts'
import { whenBack } from '../app/when-back.ts'
import { count, money, signedMoney } from '../app/localised.ts'
import { language, texts } from '../app/language.ts'
import { noticeServerTime } from '../app/present.ts'
import { Preferences } from '../ui/preferences.tsx'
import { Logo } from '../ui/logo.tsx'
import { Heading, lettersOf, Stranger, When } from '../ui/basics.tsx'

const ENDED: ReadonlySet<string> = new Set(['NOT_FOUND', 'ACCOUNT_LOCKED'])

type State = 'connecting' | 'live' | 'away' | 'over'

/** As a voice says it. */
const spoken = ({ amount, currency }: Payment): string => {
  const t = texts.value.counter
  const isDong = currency === 'VND' && amount.endsWith('.00')
  return t.received(isDong ? t.dong(count(Number(amount))) : money(amount, currency))
}

/** Follows the payments. @param onNew  called with the newest of those that arrive while the page is open */
const usePayments = (onNew: (payment: Payment) => void): { state: State; payments: readonly Payment[] | null } => {
  const [state, setState] = useState<State>('connecting')
  const [payments, setPayments] = useState<readonly Payment[] | null>(null)
  const tell = useRef(onNew)
  tell.current = onNew
  useEffect(() => {
    let known: readonly Payment[] | null = null
    const show = (next: readonly Payment[]): void => {
      const newest = known && newestArrived(known, next)
      if (newest) tell.current(newest)
      known = next
      setPayments(known)
    }
    const followed = followStream({
      // Each stream begins with the last payments, so none is missed.
      path: () => `${location.pathname}/stream`,
      onOpen: ({ headers }) => {
        noticeServerTime(headers)
        setState('live')
      },
      onAway: () => setState('away'),
      onEvent: ({ event, data }) => {
        if (event === 'reset') followed.again()
        // A payment that was deleted meanwhile is not among them.
        if (event === 'payments') show((JSON.parse(data!) as { payments: Payment[] }).payments)
        if (event === 'transaction') show(mergedPayments(known ?? [], [JSON.parse(data!) as Payment]))
      },
      onRefused: async (response) => {
        // A proxy may answer 403 or 404 for a while. Only Baoco knows that the link has ended.
        const isOver = ENDED.has((await errorOf(response)).code)
        if (isOver) setState('over')
        return isOver
      },
    })
    const stopWaiting = whenBack(followed.comeBack)
    return () => {
      stopWaiting()
      followed.stop()
    }
  }, [])
  return { state, payments }
}

/** A screen that switches itself off shows no payments. Some browsers cannot keep it on. */
const useLight = (): void =>
  useEffect(() => {
    const keepOn = (): void => void navigator.wakeLock?.request('screen').catch(() => undefined)
    keepOn()
    return whenBack(keepOn)
  }, [])

const received = ({ amount, currency }: Payment): string =>
  signedMoney({ amount, currency, transaction_type: 'credit' })

const Line = ({ of, isFirst = false }: { of: Payment; isFirst?: boolean }) => (
  <>
    {isFirst ? (
      <b class="sum credit" style={lettersOf(received(of))}>
        {received(of)}
      </b>
    ) : (
      <b class="credit">{received(of)}</b>
    )}
    {of.order_id && (
      <span class="order">
        <Stranger text={isFirst ? texts.value.counter.order(of.order_id) : of.order_id} />
      </span>
    )}
    <When at={of.at} />
  </>
)

const Payments = ({ of: [latest, ...earlier] }: { of: readonly Payment[] }) => {
  const { counter: t } = texts.value
  if (!latest) return <p class="block">{t.empty}</p>
  return (
    <>
      <section class="latest" aria-label={t.latest} key={latest.id}>
        <Line of={latest} isFirst />
      </section>
      {earlier.length > 0 && (
        <section>
          <h2>{t.earlier}</h2>
          <ol class="lines">
            {earlier.map((each) => (
              <li key={each.id}>
                <Line of={each} />
              </li>
            ))}
          </ol>
        </section>
      )}
    </>
  )
}

export const Counter = () => {
  const { counter: t } = texts.value
  const [isLoud, setLoud] = useState(false)
  const [sentence, setSentence] = useState('')
  useLight()
  const { state, payments } = usePayments((newest) => {
    const text = spoken(newest)
    setSentence(text)
    if (isLoud) playPayment(text, language.value)
  })
  return (
    <main class="counter" id="content">
      <div class="row between">
        <div class="brand">
          <Logo />
          Baoco
        </div>
        <span class="live" role="status">
          {state === 'over' ? '' : t.state[state]}
        </span>
      </div>
      <Heading title={t.title} />
      {state === 'over' ? (
        <div class="notice failed" role="alert">
          <p>{t.state.over}</p>
          <p>{t.overText}</p>
        </div>
      ) : (
        payments && <Payments of={payments} />
      )}
      <p class="hidden-text" role="status">
        {sentence}
      </p>
      <div class="row between foot">
        {state !== 'over' && (
          <label class="choice">
            <input
              type="checkbox"
              role="switch"
              checked={isLoud}
              onChange={(event) => setLoud(event.currentTarget.checked)}
            />
            {t.sound}
          </label>
        )}
        <div class="preferences">
          <Preferences />
        </div>
      </div>
    </main>
  )
}
