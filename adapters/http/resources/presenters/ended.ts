// Tests: tests/attack/secret-rotation.test.ts
/** Lists what `end_everything` revoked, for the responses of the login and of the password reset. */
import { z } from 'zod'

export const Ended = z
  .strictObject({
    api_key: z.boolean().meta({ description: 'Create a new one with POST /api/account/api-key/rotate.' }),
    scoped_keys: z.int().min(0),
    personal_url: z.boolean().meta({ description: 'Create a new one with POST /api/receive-url/rotate.' }),
    devices: z.int().min(0).meta({ description: 'Pair the phones again.' }),
    counter: z.boolean(),
  })
  .meta({ id: 'Ended', description: 'Only if end_everything was true.' })

/** A message, and a list of what was revoked. */
export const MessageAndEnded = z.strictObject({
  success: z.literal(true),
  message: z.string(),
  ended: Ended.optional(),
})

/** Empty if `end_everything` was not requested. */
export const presentEnded = (ended: z.output<typeof Ended> | null) => (ended === null ? {} : { ended })
