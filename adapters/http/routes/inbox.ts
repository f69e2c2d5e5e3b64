/**
 * Inboxes: for who wants to see webhooks before there is a shop. A rule points at one like at any endpoint; what came is shown
 * with whether its signature is right.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { z } from 'zod'
import type { Inbox as InboxState } from '../../../domain/account/account.ts'
import { inboxAnswer } from '../../../domain/account/events.ts'
import { LONGEST_DELAY_MS } from '../../../domain/account/inboxes.ts'
import { notFound } from '../../../domain/account/refusals.ts'
import { changeInbox, closeInbox, openInbox } from '../../../workflows/accounts/inboxes.ts'
import type { InboxCallRow } from '../../inbox/calls.ts'
import { BODY_OF_ANSWER } from '../../inbox/inboxes.ts'
import { inboxUrl } from '../../inbox/url.ts'
import { idOf, occasionOf, type ApiContext } from '../context.ts'
import { body, noBody } from '../input.ts'
import { created, data, message, whole } from '../openapi/answers.ts'
import type { Input, Part } from '../openapi/operation.ts'
import { secret } from '../openapi/secrets.ts'
import { refuses, type Operations } from '../openapi/operations.ts'
import { settled, type ApiParts } from '../parts.ts'
import type { Limited } from '../rate-limits.ts'
import { readBody } from '../raw-body.ts'
import { readOnly, withoutReadOnly } from '../requests.ts'

const id = z.int().positive()
const READ_ONLY = ['id', 'url', 'calls']

export const InboxChange = z
  .strictObject({
    ...readOnly(...READ_ONLY),
    answer: inboxAnswer.optional(),
    delay_ms: z.int().min(0).max(LONGEST_DELAY_MS).optional(),
  })
  .transform((given) => withoutReadOnly(given, READ_ONLY))

const NewInbox = z.strictObject({ id, token: secret(z.string()), url: secret(z.string()) }).meta({ id: 'NewInbox' })

const told = {
  id,
  url: secret(z.string()),
  answer: inboxAnswer.meta({ description: 'The status it answers.' }),
  delay_ms: z.int().min(0),
}
const ToldInbox = z.strictObject(told).meta({ id: 'ToldInbox' })

const Inbox = z
  .strictObject({
    ...told,
    calls: z
      .array(
        z.strictObject({
          at: z.iso.datetime(),
          method: z.string(),
          headers: z.record(z.string(), z.string()),
          body: z.string().meta({ description: 'Its first 16 KB.' }),
          verified: z
            .boolean()
            .meta({ description: 'Signed with the secret of a rule of yours that leads to this inbox.' }),
        }),
      )
      .meta({ description: 'The last 50 of the last seven days, newest first.' }),
  })
  .meta({ id: 'Inbox' })

const Answered = z.union([
  z.strictObject({ success: z.literal(true) }),
  z.strictObject({ success: z.literal(false), error: z.literal('AS_TOLD'), message: z.string() }),
])

/** Whatever comes, as it comes: at most 64 KB, as everybody who was told of the inbox can call it. Webhooks have 4 KB. */
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
  { signedIn, limited }: { signedIn: Part; limited: Limited },
): void => {
  const { clock, vault, inboxes, inboxCalls, settings } = parts
  const { get, post, put, remove } = operations.of('Inbox')

  const presentTold = ({ inbox_id, sealed_token, answer, delay_ms }: InboxState) => ({
    id: inbox_id,
    url: inboxUrl(settings.baseUrl, vault.open(sealed_token)),
    answer,
    delay_ms,
  })

  const present = (inbox: InboxState, calls: ReadonlyMap<number, InboxCallRow[]>) => ({
    ...presentTold(inbox),
    calls: calls.get(inbox.inbox_id) ?? [],
  })

  const list = async ({ state }: ApiContext) => {
    const own = [...state.account.inboxes.values()].reverse()
    const calls = await inboxCalls.list(own.map(({ inbox_id }) => inbox_id))
    return own.map((inbox) => present(inbox, calls))
  }

  const show = async (context: ApiContext) => {
    const inbox = context.state.account.inboxes.get(idOf(context))
    if (!inbox) throw notFound('inbox')
    return present(inbox, await inboxCalls.list([inbox.inbox_id]))
  }

  const open = async (context: ApiContext) => {
    const opened = await openInbox(parts, occasionOf(context, clock))
    await settled(parts, opened)
    return { id: opened.inbox_id, token: opened.token, url: inboxUrl(settings.baseUrl, opened.token) }
  }

  const change = async (context: ApiContext, given: z.infer<typeof InboxChange>) => {
    const written = await changeInbox(parts, occasionOf(context, clock), idOf(context), given)
    await settled(parts, written)
    return presentTold(written.inbox)
  }

  const close = async (context: ApiContext) => {
    const inbox_id = idOf(context)
    await settled(parts, await closeInbox(parts, occasionOf(context, clock), inbox_id))
    await inboxCalls.forget(inbox_id)
    return 'The inbox was deleted.'
  }

  const take = async (context: ApiContext, bytes: Buffer) => {
    const { method, headers, params } = context
    const { status, delay_ms } = await inboxes.take(params.token ?? '', { method, headers, body: bytes })
    if (delay_ms > 0) await pause(delay_ms, undefined, { ref: false })
    context.status = status
    return BODY_OF_ANSWER[status]
  }

  get('/api/inbox', 'List the inboxes and what came', signedIn, data(z.array(Inbox)), list)
  post('/api/inbox', 'Open an inbox', signedIn, noBody, refuses('CONFLICT'), created(NewInbox), open)
  get('/api/inbox/:id', 'Show an inbox and what came', signedIn, data(Inbox), show)
  put('/api/inbox/:id', 'Tell it what to answer', signedIn, body(InboxChange), data(ToldInbox), change)
  remove('/api/inbox/:id', 'Delete an inbox', signedIn, noBody, message, close)

  const line = [
    limited('inbox'),
    refuses('NOT_FOUND', 'ACCOUNT_LOCKED', 'STORE_UNAVAILABLE'),
    anything(inboxes),
    whole(Answered, [200, 500]),
    take,
  ] as const
  post('/inbox/:token', 'Call an inbox', ...line)
  put('/inbox/:token', 'Call an inbox', ...line)
}
