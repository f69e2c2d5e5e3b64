// Tests: tests/attack/missing-sender.test.ts
/** SMS senders that are trusted for every bank in addition to the banks' own, and whether a notification may omit the sender. */
import { z } from 'zod'
import type { Account } from '../../../domain/account/account.ts'
import { setTrustedSenders } from '../../../domain/account/trusted-senders.ts'
import { type ApiContext } from '../context.ts'
import { body } from '../openapi/input.ts'
import { data } from '../openapi/answers.ts'
import type { Guard } from '../middleware/guard.ts'
import { type Operations } from '../openapi/operations.ts'
import { type ApiParts, changeOwnAccount } from '../parts.ts'
import { line } from './request-fields.ts'

const withoutSender = {
  description: 'Whether the personal URL accepts a notification without sender, package and title.',
}

const TrustedSenders = z
  .strictObject({
    trusted_senders: z.array(line(100)).max(100),
    without_sender: z.boolean().meta(withoutSender),
  })
  .partial()

const Shown = z
  .strictObject({ trusted_senders: z.array(z.string()), without_sender: z.boolean().meta(withoutSender) })
  .meta({ id: 'TrustedSenders' })

const present = ({ trusted_senders, without_sender }: Account): z.output<typeof Shown> => ({
  trusted_senders: [...trusted_senders],
  without_sender,
})

export const trustedSenderRoutes = (operations: Operations, parts: ApiParts, signedIn: Guard): void => {
  const { get, put } = operations.of('Account', signedIn)

  const showSenders = (context: ApiContext) => present(context.state.account)

  const replaceSenders = async (context: ApiContext, change: z.infer<typeof TrustedSenders>) => {
    const set = (account: Account) => setTrustedSenders(account, change)
    return present(await changeOwnAccount(parts, context, set))
  }

  const path = '/api/account/trusted-senders'
  get(path, 'List the trusted senders', data(Shown), showSenders)
  put(path, 'Set the trusted senders', body(TrustedSenders), data(Shown), replaceSenders)
}
