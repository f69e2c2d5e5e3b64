// Tests: tests/e2e/browser/dashboard.test.ts
/** The history of a transaction, the latest first. */
import { useQuery } from '@tanstack/preact-query'
import { getData } from '../api/client.ts'
import type { HistoryLine } from '../api/types.ts'
import { historyText, orderText } from '../app/history-text.ts'
import { texts } from '../app/language.ts'
import { Stranger, When } from './basics.tsx'
import { Loaded } from './loaded.tsx'
import { useRules } from './rules.tsx'

/** Oldest first. */
export const useHistory = (id: number, enabled = true) =>
  useQuery({
    queryKey: ['transaction', id, 'history'],
    queryFn: () => getData<HistoryLine[]>(`/api/transactions/${id}/history`),
    enabled,
  })

export const History = ({ id }: { id: number }) => {
  const t = texts.value.transaction
  const { data: rules = [] } = useRules()
  const history = useHistory(id)
  const nameOf = (rule: number) => rules.find((each) => each.id === rule)?.name ?? t.history.rule(rule)
  return (
    <Loaded of={history}>
      {(lines) => (
        <ol class="timeline">
          {[...lines].reverse().map((line, index) => (
            <li key={`${line.at}-${index}`}>
              <div>
                {t.events[line.event] ?? line.event}
                {[orderText(line, texts.value), historyText(line, texts.value, nameOf)].filter(Boolean).map((text) => (
                  <div key={text} class="muted">
                    <Stranger text={text} />
                  </div>
                ))}
              </div>
              <When at={line.at} />
            </li>
          ))}
        </ol>
      )}
    </Loaded>
  )
}
