// Tests: tests/integration/http/shop-plugins.test.ts
/** Connected systems. */
import { z } from 'zod'
import { notFound } from '../../../domain/account/refusals.ts'
import { changeSystem, removeSystem } from '../../../domain/account/systems.ts'
import { addSystem } from '../../../workflows/accounts/systems.ts'
import { type ApiContext, idOf, occasionOf } from '../context.ts'
import { body, noBody } from '../openapi/input.ts'
import { created, data, message } from '../openapi/answers.ts'
import type { Guard } from '../middleware/guard.ts'
import { type Operations, refuses } from '../openapi/operations.ts'
import { type ApiParts, changeOwnAccount, settled } from '../parts.ts'
import { SystemChange, SystemCreation } from './request-bodies.ts'
import type { System as SystemState } from '../../../domain/account/account.ts'
import { systemFields } from '../../../domain/account/events.ts'
import { id, moment } from '../../../domain/fields.ts'

export const System = z.strictObject({ id, ...systemFields.shape, created_at: moment }).meta({ id: 'System' })

export const presentSystem = ({
  system_id,
  name,
  type,
  payment_prefix,
  is_active,
  created_at,
}: SystemState): z.output<typeof System> => ({
  id: system_id,
  name,
  type,
  payment_prefix,
  is_active,
  created_at,
})

export const systemRoutes = (operations: Operations, api: ApiParts, signedIn: Guard): void => {
  const parts = { ...api, planPrefix: api.settings.planPrefix }
  const { get, post, put, remove } = operations.of('Connected systems', signedIn)

  const listSystems = (context: ApiContext) => [...context.state.account.systems.values()].map(presentSystem).reverse()

  const showSystem = (context: ApiContext) => {
    const system = context.state.account.systems.get(idOf(context))
    if (!system) throw notFound('connected system')
    return presentSystem(system)
  }

  const createSystem = async (context: ApiContext, fields: z.infer<typeof SystemCreation>) => {
    const written = await settled(api, addSystem(parts, occasionOf(context, api.clock), fields))
    return presentSystem(written.system)
  }

  const updateSystem = async (context: ApiContext, change: z.infer<typeof SystemChange>) => {
    const system_id = idOf(context)
    const { systems } = await changeOwnAccount(api, context, (account) =>
      changeSystem(account, { system_id, change, planPrefix: api.settings.planPrefix }),
    )
    return presentSystem(systems.get(system_id)!)
  }

  const deleteSystem = async (context: ApiContext) => {
    const system_id = idOf(context)
    await changeOwnAccount(api, context, (account) => removeSystem(account, system_id))
    return 'The connected system was deleted.'
  }

  const conflicts = refuses('CONFLICT')
  const limited = refuses('CONFLICT', 'SYSTEM_LIMIT_REACHED')
  get('/api/systems', 'List systems', data(z.array(System)), listSystems)
  post('/api/systems', 'Add a system', body(SystemCreation), limited, created(System), createSystem)
  get('/api/systems/:id', 'Get a system', data(System), showSystem)
  put('/api/systems/:id', 'Update a system', body(SystemChange), conflicts, data(System), updateSystem)
  remove('/api/systems/:id', 'Delete a system', noBody, conflicts, message, deleteSystem)
}
