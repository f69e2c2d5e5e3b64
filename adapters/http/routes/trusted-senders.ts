/** SMS senders believed beside the banks' own, for every bank. */
import { z } from 'zod'
import { setTrustedSenders } from '../../../domain/account/trusted-senders.ts'
import { occasionOf, type ApiContext } from '../context.ts'
import { body } from '../input.ts'
import { data } from '../openapi/answers.ts'
import type { Part } from '../openapi/operation.ts'
import { type Operations } from '../openapi/operations.ts'
import { settled, type ApiParts } from '../parts.ts'
import { line } from '../requests.ts'

const TrustedSenders = z.strictObject({ trusted_senders: z.array(line(100)).max(100) })

const Shown = z.strictObject({ trusted_senders: z.array(z.string()) }).meta({ id: 'TrustedSenders' })

export const trustedSenderRoutes = (operations: Operations, parts: ApiParts, signedIn: Part): void => {
  const { get, put } = operations.of('Account')

  const showSenders = (context: ApiContext) => {
    const { trusted_senders } = context.state.account
    return { trusted_senders: [...trusted_senders] }
  }

  const replaceSenders = async (context: ApiContext, { trusted_senders }: z.infer<typeof TrustedSenders>) => {
    const changed = await parts.accounts.change(occasionOf(context, parts.clock), (account) =>
      setTrustedSenders(account, trusted_senders),
    )
    await settled(parts, changed)
    return { trusted_senders: [...changed.account.trusted_senders] }
  }

  const path = '/api/account/trusted-senders'
  get(path, 'Show the SMS senders trusted besides the banks’', signedIn, data(Shown), showSenders)
  put(path, 'Replace the trusted senders', signedIn, body(TrustedSenders), data(Shown), replaceSenders)
}
