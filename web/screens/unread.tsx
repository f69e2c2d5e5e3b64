// Tests: tests/e2e/browser/dashboard.test.ts
/** Texts that are not transactions: the reason, what helps, and reading them again. */
import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { keepPreviousData, useInfiniteQuery } from '@tanstack/preact-query'
import { get, getData, postData, putData } from '../api/client.ts'
import type { Notification, Page, TrustedSenders } from '../api/types.ts'
import { announce } from '../app/announce.ts'
import { count } from '../app/localised.ts'
import { marked } from '../app/hidden-characters.ts'
import { texts } from '../app/language.ts'
import { nextPage } from '../app/next-page.ts'
import { PARTS } from '../paths.ts'
import { useAction } from '../ui/action.ts'
import { ActionProblem, Empty, Heading, Stranger, When } from '../ui/basics.tsx'
import { Loaded } from '../ui/loaded.tsx'
import { Confirm } from '../ui/confirm.tsx'
import { Tabs } from '../ui/tabs.tsx'
import { More } from '../ui/more.tsx'

const VIEWS = ['unparsed', 'ignored'] as const
type View = (typeof VIEWS)[number]
const STALE = ['notifications', 'transactions', 'stats']

/** The reasons that a better template of the forwarder app removes. */
const TEMPLATES: ReadonlySet<string> = new Set(['unsafe', 'unknown_sender', 'unknown_app', 'placeholder', 'empty'])

const reread = (id: number, json?: { confirmed: true }): Promise<Notification> =>
  postData<Notification>(`/api/notifications/${id}/reread`, json)

const trust = async (sender: string): Promise<TrustedSenders> => {
  const path = '/api/account/trusted-senders'
  const { trusted_senders } = await getData<TrustedSenders>(path)
  return putData<TrustedSenders>(path, { trusted_senders: [...trusted_senders, sender] })
}

const TrustSender = ({ sender }: { sender: string }) => {
  const { unread: t } = texts.value
  return (
    <Confirm
      button={t.trust(marked(sender))}
      title={t.trustTitle(sender)}
      text={t.trustText}
      act={() => trust(sender)}
      stale={['notifications', 'senders']}
      done={t.trusted(marked(sender))}
      isDangerous={false}
    />
  )
}

/** Why it does not count, and what the owner can do about it. */
const Reason = ({ of: { reason, unsafe, untrusted_sender } }: { of: Notification }) => {
  const { reasons, unread: t } = texts.value
  const advice = t.advice[unsafe ? 'unsafe' : (reason ?? '')]
  const help = unsafe ? 'unsafe' : reason
  return (
    <>
      <p>{unsafe ? t.unsafe[unsafe] : (reasons[reason ?? 'unparsed'] ?? reason)}</p>
      {advice && <p class="muted">{advice}</p>}
      <div class="row">
        {untrusted_sender && <TrustSender sender={untrusted_sender} />}
        {help === 'unknown_sender' && !untrusted_sender && <a href={PARTS.senders}>{t.senders}</a>}
        {TEMPLATES.has(help ?? '') && <a href={PARTS.recipes}>{t.forwarder}</a>}
        {help === 'unauthenticated_sender' && <a href={PARTS.mailboxes}>{t.mailbox}</a>}
      </div>
    </>
  )
}

const Line = ({ of, isShown }: { of: Notification; isShown: boolean }) => {
  const { unread: t, common } = texts.value
  const again = useAction(() => reread(of.id), STALE)
  const read = async (): Promise<void> => {
    const result = await again.run()
    if (result) announce(result.transaction_id === null ? t.still : t.read)
  }
  return (
    <li class="stack tight">
      <div class="row between">
        <span class="muted">
          <When at={of.received_at} /> · {common.source[of.source_type]}
        </span>
        {of.status === 'unparsed' && (
          <div class="row">
            {of.unsafe && (
              <Confirm
                button={t.genuine}
                title={t.genuineTitle}
                text={t.genuineText}
                act={() => reread(of.id, { confirmed: true })}
                stale={STALE}
                done={t.read}
                isDangerous={false}
              />
            )}
            {!of.unsafe && (
              <button
                class="button"
                type="button"
                aria-label={t.rereadOf(of.id)}
                disabled={again.isRunning}
                onClick={() => void read()}
              >
                {t.reread}
              </button>
            )}
          </div>
        )}
      </div>
      <Reason of={of} />
      {isShown && (
        <pre tabIndex={0}>{of.text ? <Stranger text={of.text} /> : <span class="muted">{t.noText}</span>}</pre>
      )}
      <ActionProblem error={again.error} />
    </li>
  )
}

const useNotifications = (status: View, isRaw: boolean) =>
  useInfiniteQuery({
    queryKey: ['notifications', status, isRaw],
    queryFn: ({ pageParam, signal }) =>
      get<Page<Notification>>('/api/notifications', { status, include_raw: isRaw ? 1 : '', cursor: pageParam }, signal),
    initialPageParam: '',
    getNextPageParam: nextPage,
    placeholderData: keepPreviousData,
  })

export const Unread = () => {
  const { unread: t, transactions } = texts.value
  const { query } = useLocation()
  const view: View = query.status === 'ignored' ? 'ignored' : 'unparsed'
  const [isShown, show] = useState(false)
  const found = useNotifications(view, isShown)
  const rows = found.data?.pages.flatMap(({ data }) => data).filter(({ status }) => status === view) ?? []
  const total = found.data?.pages[0]?.total ?? 0
  return (
    <>
      <Heading title={t.title} />
      <div class="stack">
        <p>{t.lead}</p>
        <Tabs
          label={t.views}
          of={VIEWS.map((each) => ({
            text: t.view[each],
            href: each === 'unparsed' ? '/unread' : '/unread?status=ignored',
            isCurrent: each === view,
          }))}
        />
        <Loaded of={found}>
          {() =>
            rows.length === 0 &&
            !found.isPlaceholderData && (
              <Empty text={t.empty[view]}>
                {view === 'unparsed' && (
                  <a class="button" href="/unread?status=ignored">
                    {t.seeIgnored}
                  </a>
                )}
              </Empty>
            )
          }
        </Loaded>
        {rows.length > 0 && (
          <>
            <div class="row between">
              <span class="muted">{t.caption(count(total), total === 1)}</span>
              <button class="button" type="button" onClick={() => show(!isShown)}>
                {isShown ? t.hide : t.show}
              </button>
            </div>
            {!isShown && <p class="muted">{t.text}</p>}
            <ul class="lines">
              {rows.map((each) => (
                <Line key={each.id} of={each} isShown={isShown} />
              ))}
            </ul>
          </>
        )}
        <More of={found} text={transactions.more} />
      </div>
    </>
  )
}
