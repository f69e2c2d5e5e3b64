// Tests: tests/e2e/browser/dashboard.test.ts
/** The accountant's month: a file with chosen columns, and a key that can only read. The month is in the address. */
import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { useQuery } from '@tanstack/preact-query'
import { get, queryText } from '../api/client.ts'
import type { ListedTransaction, Page } from '../api/types.ts'
import { isPersonal, latestMonths, MORE_COLUMNS, USUAL_COLUMNS, type ExportColumn } from '../app/export-columns.ts'
import { count } from '../app/localised.ts'
import { language, texts } from '../app/language.ts'
import { presentDay } from '../app/present.ts'
import { Heading } from '../ui/basics.tsx'
import { Loaded } from '../ui/loaded.tsx'
import { Select } from '../ui/choices.tsx'
import { MonthSums } from '../ui/month-sums.tsx'
import { ReadOnlyKey } from '../ui/read-only-key.tsx'

const MONTHS = 24
const ALL = [...USUAL_COLUMNS, ...MORE_COLUMNS]
type Format = 'xlsx' | 'csv'

const useTotal = ({ from, to }: { from: string; to: string }) =>
  useQuery({
    queryKey: ['transactions', 'total', from],
    queryFn: async () =>
      (await get<Page<ListedTransaction>>('/api/transactions', { date_from: from, date_to: to })).total,
  })

const Column = ({ of, isOn, toggle }: { of: ExportColumn; isOn: boolean; toggle: () => void }) => {
  const t = texts.value.exports
  return (
    <label class="choice">
      <input type="checkbox" checked={isOn} onChange={toggle} />
      <span>
        {t.columns[of]}
        {isPersonal(of) && <span class="muted"> ({t.personal})</span>}
      </span>
    </label>
  )
}

interface ColumnsProps {
  chosen: readonly ExportColumn[]
  choose: (columns: readonly ExportColumn[]) => void
}

const Columns = ({ chosen, choose }: ColumnsProps) => {
  const t = texts.value.exports
  const column = (each: ExportColumn) => (
    <Column
      key={each}
      of={each}
      isOn={chosen.includes(each)}
      toggle={() => choose(ALL.filter((other) => (other === each ? !chosen.includes(each) : chosen.includes(other))))}
    />
  )
  return (
    <fieldset class="plain stack tight">
      <legend class="label">{t.columnsTitle}</legend>
      <div class="boxes">{USUAL_COLUMNS.map(column)}</div>
      <details>
        <summary>{t.more}</summary>
        <div class="stack tight">
          <p class="muted">{t.personalHint}</p>
          <div class="boxes">{MORE_COLUMNS.map(column)}</div>
        </div>
      </details>
    </fieldset>
  )
}

const pathOf = (month: string, format: Format, columns: readonly ExportColumn[]): string =>
  `/api/transactions/export${queryText({ month, format, language: language.value, columns: columns.join(',') }).replaceAll('%2C', ',')}`

export const Exports = () => {
  const { exports: t } = texts.value
  const { query, route } = useLocation()
  const [format, setFormat] = useState<Format>('xlsx')
  const [chosen, choose] = useState<readonly ExportColumn[]>(USUAL_COLUMNS)
  const months = latestMonths(MONTHS, presentDay.value)
  const days = months.find(({ month }) => month === query.month) ?? months[0]!
  const { month } = days
  const total = useTotal(days)
  const file = `baoco-${month}.${format}`
  const readable = chosen.filter((each) => !isPersonal(each))
  return (
    <>
      <Heading title={t.title} />
      <div class="stack wide">
        <p>{t.lead}</p>
        <section class="block stack">
          <h2>{t.file}</h2>
          <div class="filters">
            <Select
              label={t.month}
              name="month"
              value={month}
              options={months.map(({ month: each }) => [each, t.monthOf(each.slice(5), each.slice(0, 4))] as const)}
              onChange={(value) => route(`/exports${queryText({ month: value })}`, true)}
            />
            <Select
              label={t.format}
              name="format"
              value={format}
              options={Object.entries(t.formats)}
              onChange={(value) => setFormat(value as Format)}
            />
          </div>
          <Columns chosen={chosen} choose={choose} />
          <Loaded of={total}>
            {(number) =>
              number === 0 ? (
                <p>{t.empty}</p>
              ) : (
                <div class="row">
                  {chosen.length > 0 && (
                    <a class="button main" href={pathOf(month, format, chosen)} download={file}>
                      {t.download}
                    </a>
                  )}
                  <span role="status">{chosen.length === 0 ? t.noColumn : t.count(count(number), number === 1)}</span>
                </div>
              )
            }
          </Loaded>
        </section>
        <MonthSums from={days.from} to={days.to} />
        <ReadOnlyKey
          path={pathOf(month, format, readable.length > 0 ? readable : USUAL_COLUMNS)}
          file={file}
          isShortened={readable.length < chosen.length}
        />
      </div>
    </>
  )
}
