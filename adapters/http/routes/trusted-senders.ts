/** SMS senders believed beside the banks' own, for every bank. */
import type Router from '@koa/router'
import { z } from 'zod'
import { setTrustedSenders } from '../../../domain/account/trusted-senders.ts'
import { answer, occasionOf, type ApiMiddleware, type ApiState, type Handler } from '../context.ts'
import { body } from '../input.ts'
import { settled, type ApiParts } from '../parts.ts'
import { line } from '../requests.ts'

export const TrustedSenders = z.strictObject({ trusted_senders: z.array(line(100)).max(100) })

export const trustedSenderRoutes = (router: Router<ApiState>, parts: ApiParts, signedIn: ApiMiddleware): void => {
  const showSenders: ApiMiddleware = (context) => {
    const { trusted_senders } = context.state.account
    answer(context, { trusted_senders })
  }

  const replaceSenders: Handler<z.infer<typeof TrustedSenders>> = async (context, { trusted_senders }) => {
    const changed = await parts.accounts.change(occasionOf(context, parts.clock), (account) =>
      setTrustedSenders(account, trusted_senders),
    )
    await settled(parts, changed)
    answer(context, { trusted_senders: changed.account.trusted_senders })
  }

  router.get('/api/account/trusted-senders', signedIn, showSenders)
  router.put('/api/account/trusted-senders', signedIn, body(TrustedSenders, replaceSenders))
}
