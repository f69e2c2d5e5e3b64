// Tests: tests/e2e/browser/dashboard.test.ts
/** The installation, for its operator: what runs, what waits, versions and disk, accounts, and unsent mails. */
import { useState } from 'preact/hooks'
import { useQuery } from '@tanstack/preact-query'
import { getData } from '../api/client.ts'
import type { Mail, OperatorAccount, OperatorStatus } from '../api/types.ts'
import { bytes, count, day, moment } from '../app/format.ts'
import { language, texts } from '../app/language.ts'
import { useAccount } from '../app/session.ts'
import { Ago, Heading, Loaded, LoadedLines, Stranger } from '../ui/basics.tsx'
import { NotFound } from './not-found.tsx'

const REFETCH_MS = 15_000
const FEW = 20

const useOperator = <Value,>(name: string, path: string) =>
  useQuery({ queryKey: ['operator', name], queryFn: () => getData<Value>(path), refetchInterval: REFETCH_MS })

const number = (value: number): string => count(value, language.value)

const Good = ({ text }: { text: string }) => (
  <span class="status success">
    <span aria-hidden="true">●</span> {text}
  </span>
)

/** What is wrong, or that nothing is. */
const Verdict = ({ of }: { of: OperatorStatus }) => {
  const t = texts.value.operator.verdict
  const behind = of.lag.filter((each) => each.behind).map(({ projector }) => projector)
  const wrong = [
    of.overdue > 0 && t.overdue(number(of.overdue), of.overdue === 1),
    of.parked > 0 && t.parked(number(of.parked), of.parked === 1),
    of.breakers.length > 0 && t.breakers(number(of.breakers.length), of.breakers.length === 1),
    behind.length > 0 && t.behind(behind.join(', ')),
  ].filter((each) => each !== false)
  if (wrong.length === 0)
    return (
      <p class="notice done" role="status">
        {t.good}
      </p>
    )
  return (
    <ul class="stack tight" role="status">
      {wrong.map((each) => (
        <li key={each} class="notice failed">
          {each}
        </li>
      ))}
    </ul>
  )
}

const Processes = ({ of }: { of: OperatorStatus }) => {
  const t = texts.value.operator.processes
  return (
    <section class="block stack tight">
      <h2>{t.title}</h2>
      {of.processes.length === 0 && <p class="muted">{t.empty}</p>}
      <ul class="lines">
        {of.processes.map(({ name, since, address }, index) => (
          <li key={index}>
            <b>{name}</b>
            <div class="muted">
              {t.since} {moment(since, language.value)}
              {address && `, ${t.from(address)}`}
            </div>
          </li>
        ))}
      </ul>
      <h3>{t.leases}</h3>
      {of.leases.length === 0 && <p class="muted">{t.noLeases}</p>}
      <ul class="lines">
        {of.leases.map(({ name, process, since }) => (
          <li key={name}>
            <b>{name}</b>
            <div class="muted">
              {process ?? t.unknown}, {t.since} {moment(since, language.value)}
            </div>
          </li>
        ))}
      </ul>
      <p class="muted">{t.mailboxes(number(of.mailboxes), of.mailboxes === 1)}</p>
    </section>
  )
}

const Queues = ({ of }: { of: OperatorStatus }) => {
  const t = texts.value.operator.queues
  return (
    <section class="block stack tight">
      <h2>{t.title}</h2>
      {of.lanes.length === 0 ? (
        <p class="muted">{t.empty}</p>
      ) : (
        <table>
          <caption class="hidden-text">{t.caption}</caption>
          <thead>
            <tr>
              <th scope="col">{t.lane}</th>
              <th scope="col" class="amount">
                {t.open}
              </th>
              <th scope="col" class="amount">
                {t.due}
              </th>
            </tr>
          </thead>
          <tbody>
            {of.lanes.map(({ lane, open, due }) => (
              <tr key={lane}>
                <td>{t.lanes[lane] ?? lane}</td>
                <td class="amount">{number(open)}</td>
                <td class="amount">{number(due)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <p class="muted">
        {t.overdue}: {number(of.overdue)}
      </p>
    </section>
  )
}

const Projectors = ({ of }: { of: OperatorStatus }) => {
  const t = texts.value.operator.projectors
  return (
    <section class="block stack tight">
      <h2>{t.title}</h2>
      <ul class="lines">
        {of.lag.map(({ projector, behind, last_event_at }) => (
          <li key={projector} class="row between">
            <div>
              <b>{projector}</b>
              <div class="muted">
                {t.last}: {last_event_at ? <Ago at={last_event_at} /> : t.none}
              </div>
            </div>
            {behind ? (
              <span class="status pending">
                <span aria-hidden="true">◐</span> {t.behind}
              </span>
            ) : (
              <Good text={t.good} />
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}

const Breakers = ({ of }: { of: OperatorStatus }) => {
  const t = texts.value.operator.breakers
  return (
    <section class="block stack tight">
      <h2>{t.title}</h2>
      {of.breakers.length === 0 ? (
        <p class="muted">{t.empty}</p>
      ) : (
        <ul class="lines">
          {of.breakers.map(({ user_id, endpoint, since }) => (
            <li key={`${user_id} ${endpoint}`}>
              <code>
                <Stranger text={endpoint} />
              </code>
              <div class="muted">
                {t.of(user_id)}, <Ago at={since} />
              </div>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

const Server = ({ of: { versions, disk } }: { of: OperatorStatus }) => {
  const t = texts.value.operator.server
  const rows: [string, string][] = [
    [t.baoco, versions.baoco],
    [t.postgres, versions.postgres],
    [t.tables, versions.tables],
    [t.node, versions.node],
    [t.database, bytes(disk.database_bytes, language.value)],
    ...disk.schemas.map((each): [string, string] => [t.schemas[each.name] ?? each.name, bytes(each.bytes, language.value)]), // prettier-ignore
  ]
  return (
    <section class="block">
      <h2>{t.title}</h2>
      <dl class="pairs">
        {rows.map(([label, value]) => (
          <>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </>
        ))}
      </dl>
    </section>
  )
}

const Accounts = () => {
  const t = texts.value.operator.accounts
  const found = useOperator<OperatorAccount[]>('accounts', '/api/operator/accounts')
  const stateOf = ({ locked, operator }: OperatorAccount) => (locked ? t.locked : operator ? t.operator : t.normal)
  return (
    <section class="block stack tight">
      <h2>{t.title}</h2>
      <Loaded of={found}>
        {(all) => (
          <>
            <table class="ledger">
              <caption class="muted">{t.caption(number(all.length), all.length === 1)}</caption>
              <thead>
                <tr>
                  <th scope="col">{t.email}</th>
                  <th scope="col">{t.plan}</th>
                  <th scope="col">{t.state}</th>
                </tr>
              </thead>
              <tbody>
                {all.map((each) => (
                  <tr key={each.id}>
                    <td>
                      <Stranger text={each.email} /> <span class="muted">{each.id}</span>
                    </td>
                    <td class="right">
                      {each.plan}
                      {each.plan_expires_at && (
                        <span class="muted"> {t.until(day(each.plan_expires_at, language.value))}</span>
                      )}
                    </td>
                    <td>
                      <span class={each.locked ? 'status failed' : 'status'}>
                        <span aria-hidden="true">{each.locked ? '▲' : '●'}</span> {stateOf(each)}
                      </span>
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
            {all.some(({ locked }) => locked) && <p class="muted">{t.unlock}</p>}
          </>
        )}
      </Loaded>
    </section>
  )
}

const Outbox = () => {
  const t = texts.value.operator.outbox
  const found = useOperator<Mail[]>('outbox', '/api/outbox')
  const [isWhole, showAll] = useState(false)
  const rest = (found.data?.length ?? 0) - FEW
  return (
    <section class="block stack tight">
      <h2>{t.title}</h2>
      <p>{t.text}</p>
      <LoadedLines
        of={{ ...found, data: isWhole ? found.data : found.data?.slice(0, FEW), refetch: found.refetch }}
        empty={t.empty}
      >
        {(each) => (
          <li key={each.id}>
            <details>
              <summary>
                <Stranger text={each.subject} />
              </summary>
              <pre tabIndex={0}>
                <Stranger text={each.text ?? ''} />
              </pre>
            </details>
            <div class="muted">
              <Stranger text={t.to(each.to)} />, <Ago at={each.created_at} />
            </div>
          </li>
        )}
      </LoadedLines>
      {!isWhole && rest > 0 && (
        <div>
          <button class="button" type="button" onClick={() => showAll(true)}>
            {t.more(number(rest))}
          </button>
        </div>
      )}
    </section>
  )
}

const Status = () => {
  const found = useOperator<OperatorStatus>('status', '/api/operator/status')
  return (
    <Loaded of={found}>
      {(of) => (
        <>
          <Verdict of={of} />
          <div class="columns">
            <div class="stack wide">
              <Queues of={of} />
              <Processes of={of} />
            </div>
            <div class="stack wide">
              <Projectors of={of} />
              <Breakers of={of} />
              <Server of={of} />
            </div>
          </div>
        </>
      )}
    </Loaded>
  )
}

export const Operator = () => {
  const { operator: t } = texts.value
  const account = useAccount()
  if (account.data && !account.data.operator) return <NotFound />
  return (
    <>
      <Heading title={t.title} />
      <div class="stack wide">
        <p>{t.lead}</p>
        <Status />
        <Accounts />
        <Outbox />
      </div>
    </>
  )
}
