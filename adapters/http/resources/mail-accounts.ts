// Tests: tests/integration/http/mail-accounts.test.ts
/** Mail accounts: mailboxes from which bank mails are collected. Responses never contain the password. */
import { z } from 'zod'
import type { MailAccount as MailAccountState } from '../../../domain/account/account.ts'
import { mailAccountFields } from '../../../domain/account/events.ts'
import { mailAccountOf, removeMailAccount } from '../../../domain/account/mail-accounts.ts'
import { addMailAccount, changeMailAccount } from '../../../workflows/accounts/mail-accounts.ts'
import { testMailbox } from '../../../workflows/mail-ingest/test-mailbox.ts'
import { mailboxPath } from '../../../domain/arrival/receive-paths.ts'
import { mailboxStates, type MailboxState } from '../../../projections/mail-account/queries.ts'
import { lastSeenOf, type LastSeen } from '../../../projections/account/last-seen-queries.ts'
import { idOf, occasionOf, type ApiContext } from '../context.ts'
import { body, noBody } from '../openapi/input.ts'
import { created, data, message, whole } from '../openapi/answers.ts'
import type { Guard } from '../middleware/guard.ts'
import { refuses, type Operations } from '../openapi/operations.ts'
import { changeOwnAccount, settled, type ApiParts } from '../parts.ts'
import { LAST_SEEN_READ_ONLY, lastSeenFields } from './last-seen.ts'
import { line, readOnly, withoutReadOnly } from './request-fields.ts'
import { id, moment } from '../../../domain/fields.ts'

const IMAPS_PORT = 993
const IMAP_PORT = 143

const fieldsGiven = {
  email: z
    .string()
    .trim()
    .max(320)
    .regex(/^[^\s@<>,;:"\p{Cc}]{1,64}@[^\s@<>,;:"\p{Cc}]{1,255}$/u, 'This is not a valid email address.'),
  host: z
    .string()
    .trim()
    .max(255)
    .regex(/^[A-Za-z0-9._:-]+$/, 'This is not a valid host name.'),
  port: z.int().min(1).max(65_535),
  tls: z.boolean(),
  username: line(320),
  password: z
    .string()
    .min(1, 'This must not be empty.')
    .max(1_000)
    .regex(/^[^\r\n\0\p{Surrogate}]*$/u, 'This contains characters that no mail server accepts.'),
  folder: line(200),
  is_active: mailAccountFields.shape.is_active,
  authserv_id: line(255).nullable(),
}

const MailAccountCreation = z
  .strictObject({
    email: fieldsGiven.email,
    host: fieldsGiven.host,
    port: fieldsGiven.port.optional(),
    tls: fieldsGiven.tls.default(true),
    username: fieldsGiven.username.optional(),
    password: fieldsGiven.password,
    folder: fieldsGiven.folder.default('INBOX'),
    is_active: fieldsGiven.is_active.default(1),
    authserv_id: fieldsGiven.authserv_id.default(null),
  })
  .transform((given) => ({
    ...given,
    port: given.port ?? (given.tls ? IMAPS_PORT : IMAP_PORT),
    username: given.username ?? given.email,
  }))

const READ_ONLY = ['id', 'created_at', 'last_error', 'last_message_at', ...LAST_SEEN_READ_ONLY] as const

const MailAccountChange = z
  .strictObject({ ...readOnly(...READ_ONLY), ...z.object(fieldsGiven).partial().shape })
  .meta({ description: 'Required again if host, port, tls or username changes.' })
  .transform((given) => withoutReadOnly(given, READ_ONLY))

const MailAccount = z
  .strictObject({
    id,
    ...mailAccountFields.shape,
    last_error: z.string().nullable().meta({ description: 'null while the mailbox is readable.' }),
    last_message_at: moment.nullable(),
    ...lastSeenFields,
    created_at: moment,
  })
  .meta({ id: 'MailAccount' })

const Tested = z.union([
  z.strictObject({
    success: z.literal(true),
    authserv_id: z
      .string()
      .nullable()
      .meta({ description: 'The authserv-id of the mail provider; null if none was found.' }),
  }),
  z.strictObject({ success: z.literal(false), error: z.string() }),
])

const PAUSED = 'The mailbox is paused. Check the server, then set the mail account active again.'

const NEVER: MailboxState = { last_error: null, last_message_at: null }

const present = (
  { mail_account_id, sealed_password: _, since: __, paused, created_at, ...fields }: MailAccountState,
  { last_error, last_message_at }: MailboxState = NEVER,
  lastSeen: LastSeen,
): z.output<typeof MailAccount> => ({
  id: mail_account_id,
  ...fields,
  last_error: paused === null ? last_error : `${paused} ${PAUSED}`,
  last_message_at,
  ...lastSeen,
  created_at,
})

export const mailAccountRoutes = (operations: Operations, parts: ApiParts, signedIn: Guard): void => {
  const { clock, database, vault, mailServer } = parts
  const { get, post, put, remove } = operations.of('Mail accounts', signedIn)

  const presented = async (context: ApiContext, mailAccounts: readonly MailAccountState[]) => {
    const ids = mailAccounts.map(({ mail_account_id }) => mail_account_id)
    const { user_id } = context.state.account
    const [states, lastSeen] = await Promise.all([
      mailboxStates(database.of(user_id), ids),
      lastSeenOf(database.of(user_id), user_id, clock.now()),
    ])
    return mailAccounts.map((each) =>
      present(each, states.get(each.mail_account_id), lastSeen(mailboxPath(each.mail_account_id))),
    )
  }
  const presentedOne = async (context: ApiContext, mailAccount: MailAccountState) =>
    (await presented(context, [mailAccount]))[0]!

  const list = (context: ApiContext) => presented(context, [...context.state.account.mail_accounts.values()].reverse())

  const show = (context: ApiContext) => presentedOne(context, mailAccountOf(context.state.account, idOf(context)))

  const add = async (context: ApiContext, fields: z.output<typeof MailAccountCreation>) => {
    const written = await settled(parts, addMailAccount(parts, occasionOf(context, clock), fields))
    return presentedOne(context, written.mailAccount)
  }

  const change = async (context: ApiContext, fields: z.output<typeof MailAccountChange>) => {
    const written = await settled(parts, changeMailAccount(parts, occasionOf(context, clock), idOf(context), fields))
    return presentedOne(context, written.mailAccount)
  }

  const drop = async (context: ApiContext) => {
    const mail_account_id = idOf(context)
    await changeOwnAccount(parts, context, (account) => removeMailAccount(account, mail_account_id))
    return 'The mail account was removed. Its mailbox is no longer read.'
  }

  const test = (context: ApiContext) => {
    const { sealed_password, ...login } = mailAccountOf(context.state.account, idOf(context))
    return testMailbox(mailServer, { ...login, password: vault.open(sealed_password) }, clock.now())
  }

  const limited = refuses('MAIL_ACCOUNT_LIMIT_REACHED', 'CONFLICT')
  get('/api/mail-accounts', 'List mail accounts', data(z.array(MailAccount)), list)
  post('/api/mail-accounts', 'Add a mail account', body(MailAccountCreation), limited, created(MailAccount), add)
  get('/api/mail-accounts/:id', 'Get a mail account', data(MailAccount), show)
  put(
    '/api/mail-accounts/:id',
    'Update a mail account',
    body(MailAccountChange),
    refuses('CONFLICT'),
    data(MailAccount),
    change,
  )
  remove('/api/mail-accounts/:id', 'Remove a mail account', noBody, message, drop)
  post('/api/mail-accounts/:id/test', 'Test a mail account', noBody, whole(Tested), test)
}
