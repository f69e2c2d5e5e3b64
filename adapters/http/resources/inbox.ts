// Tests: tests/integration/http/inbox.test.ts
/**
 * Inboxes: webhook endpoints for users who want to test webhooks before they have a shop. A rule calls an inbox like any other endpoint.
 * The API shows each call and whether its signature is valid.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { z } from 'zod'
import type { Inbox as InboxState } from '../../../domain/account/account.ts'
import { inboxAnswer } from '../../../domain/account/events.ts'
import { changeInbox, closeInbox, LONGEST_DELAY_MS } from '../../../domain/account/inboxes.ts'
import { notFound } from '../../../domain/account/refusals.ts'
import { unlessNotOpened } from '../../../domain/errors.ts'
import { openInbox } from '../../../workflows/accounts/inboxes.ts'
import { openInboxCalls, type InboxCallOf, type InboxCallRow } from '../../inbox/calls.ts'
import { BODY_OF_ANSWER } from '../../inbox/inboxes.ts'
import { inboxUrl } from '../../inbox/url.ts'
import { idOf, occasionOf, type ApiContext } from '../context.ts'
import { openCursors, type Pair } from '../openapi/cursors.ts'
import { body, noBody, query } from '../openapi/input.ts'
import { created, data, message, whole } from '../openapi/answers.ts'
import type { Guard } from '../middleware/guard.ts'
import type { Input } from '../openapi/operation.ts'
import { SEALED, secret } from '../openapi/secrets.ts'
import { refuses, type Operations } from '../openapi/operations.ts'
import { changeOwnAccount, settled, type ApiParts } from '../parts.ts'
import type { Limited } from '../middleware/rate-limits.ts'
import { readBody } from '../middleware/raw-body.ts'
import { byCursor } from '../openapi/pages.ts'
import { InboxList } from './queries.ts'
import { readOnly, withoutReadOnly } from './request-fields.ts'
import { id, moment } from '../../../domain/fields.ts'

const READ_ONLY = ['id', 'url', 'calls']

const InboxChange = z
  .strictObject({
    ...readOnly(...READ_ONLY),
    answer: inboxAnswer.optional(),
    delay_ms: z.int().min(0).max(LONGEST_DELAY_MS).optional(),
  })
  .transform((given) => withoutReadOnly(given, READ_ONLY))

const NewInbox = z.strictObject({ id, token: secret(z.string()), url: secret(z.string()) }).meta({ id: 'NewInbox' })

const settings = {
  id,
  url: secret(z.string(), SEALED),
  answer: inboxAnswer.meta({ description: 'Status code that the inbox returns.' }),
  delay_ms: z.int().min(0),
}
const InboxSettings = z.strictObject(settings).meta({ id: 'ToldInbox' })

const Inbox = z
  .strictObject({
    ...settings,
    calls: z
      .array(
        z.strictObject({
          at: moment,
          method: z.string(),
          headers: z.record(z.string(), z.string()),
          body: secret(z.string(), 'The first 16 KB of the body.'),
          verified: z.boolean().meta({
            description: 'Whether the call has a valid signature with the secret of one of your rules for this inbox.',
          }),
        }),
      )
      .meta({ description: 'The latest 50 calls of the last seven days, newest first.' }),
  })
  .meta({ id: 'Inbox' })

const Inboxes = z.strictObject({ success: z.literal(true), data: z.array(Inbox), ...byCursor })

/** Most bytes of the calls on one page of the list. Together with the inboxes a page stays within 1 MB (decision "Sizes"). */
const PAGE_BYTES = 1_024 ** 2 - 16 * 1_024

/**
 * Takes as many calls as fit on a page, and at least one. The next page begins in the inbox `next[0]`, with the calls older than `next[1]`,
 * or with the newest call if `next[1]` is 0. `next` is null on the last page.
 */
const cutToPage = (rows: readonly InboxCallOf[]): { calls: Map<number, InboxCallRow[]>; next: Pair | null } => {
  const calls = new Map<number, InboxCallRow[]>()
  let bytes = 0
  for (const [index, { id: _, inbox_id, ...call }] of rows.entries()) {
    bytes += Buffer.byteLength(JSON.stringify(call)) + 1
    const last = rows[index - 1]
    if (last && bytes > PAGE_BYTES) return { calls, next: [inbox_id, last.inbox_id === inbox_id ? last.id : 0] }
    const ofInbox = calls.get(inbox_id)
    if (ofInbox) ofInbox.push(call)
    else calls.set(inbox_id, [call])
  }
  return { calls, next: null }
}

const Answered = z.union([
  z.strictObject({ success: z.literal(true) }),
  z.strictObject({ success: z.literal(false), error: z.literal('AS_TOLD'), message: z.string() }),
])

/** Accepts any body as it is, at most 64 KB, because everybody who has the inbox's URL can call it. Webhooks have 4 KB. */
const anything = (inboxes: ApiParts['inboxes']): Input<Buffer> => ({
  read: async (context) => {
    await inboxes.check(context.params.token ?? '')
    return readBody(context, null)
  },
  body: { schema: z.unknown(), required: false, mediaTypes: ['application/json', 'text/plain'] },
  refuses: ['PAYLOAD_TOO_LARGE', 'VALIDATION_FAILED', 'OVERLOADED'],
})

export const inboxRoutes = (
  operations: Operations,
  parts: ApiParts,
  { signedIn, limited }: { signedIn: Guard; limited: Limited },
): void => {
  const { clock, database, vault, inboxes, settings } = parts
  const { get, post, put, remove } = operations.of('Inbox', signedIn)
  const callsOf = ({ state }: ApiContext) => openInboxCalls(database.of(state.account.user_id))

  const presentSettings = ({ inbox_id, sealed_token, answer, delay_ms }: InboxState) => ({
    id: inbox_id,
    url: unlessNotOpened(() => inboxUrl(settings.baseUrl, vault.open(sealed_token))),
    answer,
    delay_ms,
  })

  const present = (inbox: InboxState, calls: InboxCallRow[]) => ({ ...presentSettings(inbox), calls })

  const cursors = openCursors(settings.jwtSecret)

  const list = async (context: ApiContext, { cursor }: z.output<typeof InboxList>) => {
    const { inboxes, user_id } = context.state.account
    const name = `inbox ${user_id}`
    const [first, before] = cursor === undefined ? [Infinity, 0] : cursors.readPair(name, cursor)
    const own = [...inboxes.values()].reverse().filter(({ inbox_id }) => inbox_id <= first)
    // The inbox of the last call on the previous page may have been closed since then.
    const asked = { inboxIds: own.map(({ inbox_id }) => inbox_id), before: own[0]?.inbox_id === first ? before : 0 }
    const { calls, next } = cutToPage(await callsOf(context).page({ ...asked, bytes: PAGE_BYTES }))
    const shown = next ? own.slice(0, own.findIndex(({ inbox_id }) => inbox_id === next[0]) + (next[1] ? 1 : 0)) : own
    return {
      success: true as const,
      data: shown.map((inbox) => present(inbox, calls.get(inbox.inbox_id) ?? [])),
      next_cursor: next && cursors.writePair(name, next),
    }
  }

  const show = async (context: ApiContext) => {
    const inbox = context.state.account.inboxes.get(idOf(context))
    if (!inbox) throw notFound('inbox')
    return present(inbox, await callsOf(context).ofInbox(inbox.inbox_id))
  }

  const open = async (context: ApiContext) => {
    const opened = await settled(parts, openInbox(parts, occasionOf(context, clock)))
    return { id: opened.inbox_id, token: opened.token, url: inboxUrl(settings.baseUrl, opened.token) }
  }

  const change = async (context: ApiContext, given: z.infer<typeof InboxChange>) => {
    const inbox_id = idOf(context)
    const { inboxes: own } = await changeOwnAccount(parts, context, (account) =>
      changeInbox(account, { inbox_id, change: given }),
    )
    return presentSettings(own.get(inbox_id)!)
  }

  const close = async (context: ApiContext) => {
    const inbox_id = idOf(context)
    await changeOwnAccount(parts, context, (account) => closeInbox(account, inbox_id))
    await callsOf(context).forget(inbox_id)
    return 'The inbox was deleted.'
  }

  const take = async (context: ApiContext, bytes: Buffer) => {
    const { method, headers, params } = context
    const { status, delay_ms } = await inboxes.take(params.token ?? '', { method, headers, body: bytes })
    if (delay_ms > 0) await pause(delay_ms, undefined, { ref: false })
    context.status = status
    return BODY_OF_ANSWER[status]
  }

  get('/api/inbox', 'List inboxes and their calls', query(InboxList), whole(Inboxes), list)
  post('/api/inbox', 'Create an inbox', noBody, refuses('CONFLICT'), created(NewInbox), open)
  get('/api/inbox/:id', 'Get an inbox and its calls', data(Inbox), show)
  put('/api/inbox/:id', 'Set the response of an inbox', body(InboxChange), data(InboxSettings), change)
  remove('/api/inbox/:id', 'Delete an inbox', noBody, message, close)

  const callable = operations.of('Inbox')
  const line = [
    limited('inbox'),
    refuses('NOT_FOUND', 'ACCOUNT_LOCKED', 'STORE_UNAVAILABLE'),
    anything(inboxes),
    whole(Answered, [200, 500]),
    take,
  ] as const
  callable.post('/inbox/:token', 'Call an inbox', ...line)
  callable.put('/inbox/:token', 'Call an inbox', ...line)
}
