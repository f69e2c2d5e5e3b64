// Tests: tests/integration/http/credentials.test.ts
/** Scoped keys, for a shop's plugin or a script in place of the account's own API key (decisions, "Scoped keys"). */
import { z } from 'zod'
import { MOST_KEYS, removeKey, scope, type ScopedKey } from '../../../domain/account/api-keys.ts'
import { newScopedKey } from '../../../workflows/accounts/api-keys.ts'
import type { ApiKeyUses } from '../../postgres/ops/api-key-uses.ts'
import { idOf, occasionOf, type ApiContext } from '../context.ts'
import { body, noBody } from '../openapi/input.ts'
import { created, data, message } from '../openapi/answers.ts'
import type { Guard } from '../middleware/guard.ts'
import { refuses, scopes, type Operations } from '../openapi/operations.ts'
import { changeOwnAccount, settled, type ApiParts } from '../parts.ts'
import { line } from './request-fields.ts'
import { id, moment } from '../../../domain/fields.ts'

const ApiKeyCreation = z.strictObject({
  name: line(100),
  scopes: z
    .array(scope)
    .min(1, 'A key needs at least one scope.')
    .max(20)
    .transform((given) => scope.options.filter((each) => given.includes(each)))
    .meta({ description: 'Any of `read`, `write`, `connect`, `receive`.' }),
  expires_at: z.iso
    .datetime({ offset: true, error: 'This is not a time in ISO 8601 format.' })
    .transform((text) => new Date(text).toISOString())
    .nullish()
    .meta({ description: 'null if the key does not expire.' }),
})

const ApiKey = z
  .strictObject({
    id,
    name: z.string(),
    scopes: z.array(scope),
    expires_at: moment.nullable(),
    created_at: moment,
    last_used_at: moment.nullable(),
  })
  .meta({ id: 'ApiKey' })

const NewScopedKey = ApiKey.extend({
  api_key: z.string().meta({ description: 'Shown only once.' }),
}).meta({ id: 'NewScopedKey' })

const present = (key: ScopedKey, last_used_at: string | null): z.output<typeof ApiKey> => ({
  id: key.api_key_id,
  name: key.name,
  scopes: key.scopes,
  expires_at: key.expires_at,
  created_at: key.created_at,
  last_used_at,
})

type Parts = ApiParts & { keyUses: ApiKeyUses }

export const apiKeyRoutes = (operations: Operations, parts: Parts, signedIn: Guard): void => {
  const { clock, keyUses } = parts
  // These are not available to scoped keys: a scoped key could create a key with more scopes.
  const { get, post, remove } = operations.of('Account', signedIn, scopes())

  const list = async ({ state }: ApiContext) => {
    const { user_id, api_keys } = state.account
    const used = await keyUses.lastUsed(user_id)
    return [...api_keys.values()].reverse().map((key) => present(key, used.get(key.api_key_id) ?? null))
  }

  const add = async (context: ApiContext, { expires_at = null, ...given }: z.infer<typeof ApiKeyCreation>) => {
    const made = await settled(parts, newScopedKey(parts, occasionOf(context, clock), { ...given, expires_at }))
    return { ...present(made.key, null), api_key: made.token }
  }

  const drop = async (context: ApiContext) => {
    const id = idOf(context)
    await changeOwnAccount(parts, context, (account) => removeKey(account, id))
    await keyUses.forget(context.state.account.user_id, id)
    return 'The key was deleted. It no longer works.'
  }

  const path = '/api/account/api-keys'
  const limit = refuses('API_KEY_LIMIT_REACHED')
  get(path, 'List the scoped keys', data(z.array(ApiKey)), list)
  post(path, `Create a scoped key, at most ${MOST_KEYS}`, body(ApiKeyCreation), limit, created(NewScopedKey), add)
  remove(`${path}/:id`, 'Delete a scoped key', noBody, message, drop)
}
