// Tests: tests/e2e/browser/dashboard.test.ts
/** The status of the installation: what is wrong, queues, processes, read models, addresses that are cut off, versions and disk. */
import type { OperatorStatus } from '../api/types.ts'
import { bytes, count, moment } from '../app/localised.ts'
import { texts } from '../app/language.ts'
import { Ago, DoneNotice, StatusText, Stranger } from './basics.tsx'
import { Pairs, type Pair } from './pairs.tsx'

interface Props {
  of: OperatorStatus
  /** The number of mails that the mail server has not taken; undefined if that is not known. */
  unsent: number | undefined
}

/** The problems, or the statement that there is none. */
const Verdict = ({ of, unsent }: Props) => {
  const { verdict: t, projectors, processes } = texts.value.operator
  const behind = of.lag.filter((each) => each.behind).map(({ projector }) => projectors.names[projector] ?? projector)
  const wrong = [
    ...(of.disk.low ?? []).map(({ disk, free_bytes, full, refusing }) =>
      t.disk(
        t.disks[disk],
        free_bytes === null ? null : bytes(free_bytes),
        refusing ? 'refuses' : full ? 'waits' : 'low',
      ),
    ),
    ...(of.clocks ?? []).map(({ process, ahead_seconds }) =>
      processes.clock(process, count(Math.round(Math.abs(ahead_seconds))), ahead_seconds > 0),
    ),
    of.overdue > 0 && t.overdue(count(of.overdue), of.overdue === 1),
    of.parked > 0 && t.parked(count(of.parked), of.parked === 1),
    of.breakers.length > 0 && t.breakers(count(of.breakers.length), of.breakers.length === 1),
    of.audit !== null && of.audit.faults > 0 && t.faults(count(of.audit.faults), of.audit.faults === 1),
    behind.length > 0 && t.behind(behind.join(', ')),
    !!unsent && t.mails(count(unsent), unsent === 1),
  ].filter((each) => each !== false)
  if (wrong.length === 0) return unsent === undefined ? null : <DoneNotice text={t.good} />
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
              {since && `${t.since} ${moment(since)}`}
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
            <b>{t.leaseNames[name] ?? name}</b>
            <div class="muted">
              {process === null ? t.unknown : t.holder(process)}, {t.since} {moment(since)}
            </div>
          </li>
        ))}
      </ul>
      <p class="muted">{t.mailboxes(count(of.mailboxes), of.mailboxes === 1)}</p>
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
                <td class="amount">{count(open)}</td>
                <td class="amount">{count(due)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <p class="muted">
        {t.overdue}: {count(of.overdue)}
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
              <b>{t.names[projector] ?? projector}</b>
              <div class="muted">
                {t.last}: {last_event_at ? <Ago at={last_event_at} /> : t.none}
              </div>
            </div>
            {behind ? <StatusText kind="pending" text={t.behind} /> : <StatusText kind="success" text={t.good} />}
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

/** The last check of all events. It is a command, because it reads everything. */
const Audit = ({ of: { audit } }: { of: OperatorStatus }) => {
  const t = texts.value.operator.audit
  return (
    <section class="block stack tight">
      <h2>{t.title}</h2>
      {audit ? (
        <p>
          {audit.faults > 0 ? (
            <StatusText kind="failed" text={t.faults(count(audit.faults), audit.faults === 1)} />
          ) : (
            <StatusText kind="success" text={t.good} />
          )}
          <br />
          <span class="muted">
            <Ago at={audit.ended_at} />, {t.checked(count(audit.events), count(audit.transactions))}
            {audit.whole_at !== audit.ended_at && (
              <>
                <br />
                {t.whole} <Ago at={audit.whole_at} />
              </>
            )}
          </span>
        </p>
      ) : (
        <p>{t.never}</p>
      )}
      <p class="muted">{t.how}</p>
    </section>
  )
}

const Server = ({ of: { versions, disk } }: { of: OperatorStatus }) => {
  const t = texts.value.operator.server
  const rows: Pair[] = [
    [t.baoco, versions.baoco],
    [t.postgres, versions.postgres],
    [t.tables, versions.tables],
    [t.node, versions.node],
    [t.database, bytes(disk.database_bytes)],
    ...disk.schemas.map((each): Pair => [t.schemas[each.name] ?? each.name, bytes(each.bytes)]),
    ...(disk.free_bytes === null ? [] : [[t.free, bytes(disk.free_bytes)] satisfies Pair]),
    ...disk.servers.map((each): Pair => [t.freeOn[each.server], bytes(each.free_bytes)]),
  ]
  return (
    <section class="block">
      <h2>{t.title}</h2>
      <Pairs rows={rows} />
    </section>
  )
}

export const Installation = ({ of, unsent }: Props) => (
  <>
    <Verdict of={of} unsent={unsent} />
    <div class="columns">
      <div class="stack wide">
        <Queues of={of} />
        <Processes of={of} />
        <Audit of={of} />
      </div>
      <div class="stack wide">
        <Projectors of={of} />
        <Breakers of={of} />
        <Server of={of} />
      </div>
    </div>
  </>
)
