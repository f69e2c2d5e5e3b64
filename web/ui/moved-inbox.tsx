// Tests: tests/e2e/browser/dashboard.test.ts
/** Says that a webhook calls the test inbox at its former address, shows the current one, and changes to it. */
import { useQuery } from '@tanstack/preact-query'
import { putData } from '../api/client.ts'
import type { Rule } from '../api/types.ts'
import { announce } from '../app/announce.ts'
import { texts } from '../app/language.ts'
import { movedInbox } from '../app/moved-inbox.ts'
import { listInboxes } from '../app/try-submission.ts'
import { useAction } from './action.ts'
import { ActionProblem, Copyable } from './basics.tsx'

export const MovedInbox = ({ of }: { of: Rule }) => {
  const { movedInbox: t } = texts.value.webhook
  const { data: inboxes = [] } = useQuery({
    queryKey: ['inbox'],
    queryFn: listInboxes,
    enabled: of.url.includes('/inbox/'),
  })
  const change = useAction((url: string) => putData(`/api/webhooks/${of.id}`, { url }), ['webhooks'])
  const url = movedInbox(of, inboxes)
  if (url === null) return null
  return (
    <div class="notice waiting stack tight">
      <p>{t.text}</p>
      <Copyable text={url} />
      <ActionProblem error={change.error} />
      <div>
        <button
          class="button main"
          type="button"
          disabled={change.isRunning}
          onClick={() => void change.run(url).then((done) => done && announce(t.changed))}
        >
          {t.change}
        </button>
      </div>
    </div>
  )
}
