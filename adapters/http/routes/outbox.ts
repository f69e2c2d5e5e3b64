/** Mails that were not sent, for the operator: all of them where there is no mail server. */
import type Router from '@koa/router'
import { answer, type ApiMiddleware, type ApiState } from '../context.ts'
import { operatorOnly } from '../operator-only.ts'
import type { ApiParts } from '../parts.ts'

export const outboxRoutes = (router: Router<ApiState>, { outbox }: ApiParts, signedIn: ApiMiddleware): void => {
  const list: ApiMiddleware = async (context) => answer(context, await outbox.list())

  router.get('/api/outbox', signedIn, operatorOnly, list)
}
