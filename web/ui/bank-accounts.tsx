// Tests: tests/e2e/browser/dashboard.test.ts
/** The numbers that texts have named: which are the owner's, and which are never sent. */
import { useQuery } from '@tanstack/preact-query'
import { getData, postData, putData } from '../api/client.ts'
import type { BankAccount } from '../api/types.ts'
import { announce } from '../app/announce.ts'
import { moment } from '../app/localised.ts'
import { texts } from '../app/language.ts'
import { now } from '../app/present.ts'
import { DAY_MS } from '../app/vietnam-time.ts'
import { useAction } from './action.ts'
import { ActionProblem, PartHeading, StatusText } from './basics.tsx'
import { LoadedLines } from './loaded.tsx'
import { Confirm } from './confirm.tsx'
import { useFew } from './few.tsx'
import { Switch } from './switch.tsx'

const PATH = '/api/bank-accounts'
const FEW = 10
const STALE = ['banks', 'alerts', 'transactions', 'transaction', 'stats']

export const useBankAccounts = () => useQuery({ queryKey: ['banks'], queryFn: () => getData<BankAccount[]>(PATH) })

/** One tap. The confirmation is final. */
export const ConfirmBankAccount = ({ of }: { of: BankAccount }) => {
  const t = texts.value.settings.banks
  const confirm = useAction(() => putData(`${PATH}/${of.id}`, { confirmed: 1 }), STALE)
  return (
    <>
      <button
        class="button main"
        type="button"
        aria-label={`${t.mine}: ${of.bank_code} ${of.account_number}`}
        disabled={confirm.isRunning}
        onClick={() => void confirm.run().then((done) => done && announce(t.confirmed))}
      >
        {t.mine}
      </button>
      <ActionProblem error={confirm.error} />
    </>
  )
}

const Line = ({ of }: { of: BankAccount }) => {
  const t = texts.value.settings.banks
  return (
    <li class="stack tight">
      <div class="row between">
        <div>
          <h3>
            {of.bank_code} {of.account_number}
          </h3>
          <StatusText kind={of.confirmed ? 'success' : 'pending'} text={of.confirmed ? t.known : t.waiting} />
        </div>
        {!of.confirmed && <ConfirmBankAccount of={of} />}
      </div>
      <Switch
        label={t.active(of.bank_code, of.account_number)}
        isOn={of.is_active === 1}
        change={(isOn) => putData(`${PATH}/${of.id}`, { is_active: isOn ? 1 : 0 })}
        stale={STALE}
      />
    </li>
  )
}

export const BankAccounts = () => {
  const t = texts.value.settings.banks
  const banks = useBankAccounts()
  const { data, rest } = useFew(banks.data, FEW, t.more, ({ confirmed }) => !confirmed)
  const learn = (): Promise<{ learning_until: string }> => postData(`${PATH}/learn`)
  return (
    <section class="block stack">
      <PartHeading of="banks" text={t.title} />
      <p>{t.text}</p>
      <LoadedLines of={{ ...banks, data, refetch: banks.refetch }} empty={t.empty}>
        {(each) => <Line key={each.id} of={each} />}
      </LoadedLines>
      {rest}
      <div>
        <Confirm
          button={t.learn}
          title={t.learnTitle}
          text={t.learnText}
          act={learn}
          stale={['banks']}
          done={t.learning(moment(new Date(now() + DAY_MS).toISOString()))}
          isDangerous={false}
        />
      </div>
    </section>
  )
}
