/** Connected systems. */
import type Router from '@koa/router'
import type { z } from 'zod'
import { notFound } from '../../../domain/account/refusals.ts'
import { addSystem, changeSystem, removeSystem } from '../../../workflows/accounts/systems.ts'
import {
  answer,
  answerCreated,
  answerMessage,
  idOf,
  occasionOf,
  type ApiMiddleware,
  type ApiState,
  type Handler,
} from '../context.ts'
import { body, noBody } from '../input.ts'
import { settled, type ApiParts } from '../parts.ts'
import { presentSystem } from '../presenters/account.ts'
import { SystemChange, SystemCreation } from '../requests.ts'

export const systemRoutes = (router: Router<ApiState>, api: ApiParts, signedIn: ApiMiddleware): void => {
  const parts = { ...api, planPrefix: api.settings.planPrefix }

  const listSystems: ApiMiddleware = (context) =>
    answer(context, [...context.state.account.systems.values()].map(presentSystem).reverse())

  const showSystem: ApiMiddleware = (context) => {
    const system = context.state.account.systems.get(idOf(context))
    if (!system) throw notFound('connected system')
    answer(context, presentSystem(system))
  }

  const createSystem: Handler<z.infer<typeof SystemCreation>> = async (context, fields) => {
    const written = await addSystem(parts, occasionOf(context, api.clock), fields)
    await settled(api, written)
    answerCreated(context, presentSystem(written.system))
  }

  const updateSystem: Handler<z.infer<typeof SystemChange>> = async (context, change) => {
    const written = await changeSystem(parts, occasionOf(context, api.clock), idOf(context), change)
    await settled(api, written)
    answer(context, presentSystem(written.system))
  }

  const deleteSystem: Handler<undefined> = async (context) => {
    await settled(api, await removeSystem(parts, occasionOf(context, api.clock), idOf(context)))
    answerMessage(context, 'The connected system was deleted.')
  }

  router.get('/api/systems', signedIn, listSystems)
  router.post('/api/systems', signedIn, body(SystemCreation, createSystem))
  router.get('/api/systems/:id', signedIn, showSystem)
  router.put('/api/systems/:id', signedIn, body(SystemChange, updateSystem))
  router.delete('/api/systems/:id', signedIn, noBody(deleteSystem))
}
