// Tests: tests/e2e/browser/dashboard.test.ts
/** Money in and out of a month by bank. A copy of a transaction does not count again, as in the file. */
import { useQuery } from '@tanstack/preact-query'
import { getData } from '../api/client.ts'
import type { Stats } from '../api/types.ts'
import { signedSum } from '../app/localised.ts'
import { texts } from '../app/language.ts'
import { sumsByBank } from '../app/month-sums.ts'
import { Loaded } from './loaded.tsx'
import { Pairs } from './pairs.tsx'

/** @param from  first day @param to  last day */
export const MonthSums = ({ from, to }: { from: string; to: string }) => {
  const t = texts.value.exports
  const stats = useQuery({ queryKey: ['stats', from, to], queryFn: () => getData<Stats>('/api/stats', { from, to }) })
  return (
    <Loaded of={stats}>
      {({ days }) =>
        days.length > 0 && (
          <section class="block stack tight">
            <h2>{t.sums}</h2>
            <Pairs
              rows={sumsByBank(days).map(({ bank, currency, credit, debit }) => [
                bank,
                <>
                  {t.columns.money_in}: {signedSum('credit', credit, currency)}
                  <br />
                  {t.columns.money_out}: {signedSum('debit', debit, currency)}
                </>,
              ])}
            />
          </section>
        )
      }
    </Loaded>
  )
}
