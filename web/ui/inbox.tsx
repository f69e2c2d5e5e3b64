// Tests: tests/e2e/browser/dashboard.test.ts
/** The built-in inbox: its address, what it answers, and its calls with their signatures. */
import { useQuery } from '@tanstack/preact-query'
import { putData } from '../api/client.ts'
import type { Inbox, InboxCall } from '../api/types.ts'
import { texts } from '../app/language.ts'
import { refetchAfter, useAccount } from '../app/session.ts'
import { isCalled, listInboxes, needInbox } from '../app/try-submission.ts'
import { useAction } from './action.ts'
import { ActionProblem, Copyable, StatusText, Stranger, When } from './basics.tsx'
import { Loaded } from './loaded.tsx'
import { Select } from './choices.tsx'
import { useRules } from './rules.tsx'

/** A call of a stranger is not in the live stream. */
const REFETCH_MS = 10_000

export const useInboxes = () =>
  useQuery({
    queryKey: ['inbox'],
    queryFn: listInboxes,
    refetchInterval: ({ state }) => refetchAfter(state.error, REFETCH_MS),
  })

const readable = (body: string): string => {
  try {
    return JSON.stringify(JSON.parse(body), null, 2)
  } catch {
    return body
  }
}

const Call = ({ of }: { of: InboxCall }) => {
  const t = texts.value.tryIt.inbox
  return (
    <li class="stack tight">
      <div class="row between">
        <span>
          <b>{of.method}</b> <When at={of.at} />
        </span>
        <StatusText kind={of.verified ? 'success' : 'failed'} text={of.verified ? t.verified : t.unverified} />
      </div>
      <details>
        <summary>{t.body}</summary>
        <pre tabIndex={0}>
          <Stranger text={readable(of.body)} />
        </pre>
      </details>
      <details>
        <summary>{t.headers}</summary>
        <pre tabIndex={0}>
          <Stranger
            text={Object.entries(of.headers)
              .map(([name, value]) => `${name}: ${value}`)
              .join('\n')}
          />
        </pre>
      </details>
    </li>
  )
}

const OneInbox = ({ of }: { of: Inbox }) => {
  const t = texts.value.tryIt.inbox
  const change = useAction((answer: number) => putData(`/api/inbox/${of.id}`, { answer }), ['inbox'])
  return (
    <>
      {of.url !== null && <Copyable text={of.url} />}
      <Select
        label={t.answer}
        name="answer"
        value={String(of.answer)}
        options={Object.entries(t.answers)}
        onChange={(answer) => void change.run(Number(answer))}
      />
      <ActionProblem error={change.error} />
      <h3>{t.calls}</h3>
      {of.calls.length === 0 ? (
        <p>{t.empty}</p>
      ) : (
        <ul class="lines">
          {of.calls.map((call, index) => (
            <Call key={`${call.at}-${of.calls.length - index}`} of={call} />
          ))}
        </ul>
      )}
    </>
  )
}

export const Inboxes = () => {
  const { inbox: t, inboxName } = texts.value.tryIt
  const inboxes = useInboxes()
  const rules = useRules().data
  const account = useAccount().data
  const isLimited = account !== undefined && account.plan !== 'Pro'
  const create = useAction(() => needInbox(inboxName), ['inbox', 'webhooks'])
  return (
    <section class="block stack">
      <h2>{t.title}</h2>
      <p>
        {t.text} {isLimited && t.counts}
      </p>
      <ActionProblem error={create.error} />
      <Loaded of={inboxes}>
        {(all) => {
          const [first] = all
          const isUncalled = first !== undefined && rules !== undefined && !isCalled(first, rules)
          return (
            <>
              {isUncalled && <p class="notice waiting">{t.uncalled}</p>}
              {(!first || isUncalled) && (
                <div>
                  <button class="button" type="button" disabled={create.isRunning} onClick={() => void create.run()}>
                    {first ? t.call : t.create}
                  </button>
                </div>
              )}
              {all.map((each) => (
                <OneInbox key={each.id} of={each} />
              ))}
            </>
          )
        }}
      </Loaded>
    </section>
  )
}
