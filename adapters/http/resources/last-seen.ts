// Tests: tests/integration/http/mail-accounts.test.ts
/** When a source was last seen, for devices, mail accounts and the personal URL. */
import { z } from 'zod'
import { moment } from '../../../domain/fields.ts'

/** Fields of responses. A caller may send them back, and they are ignored. */
export const LAST_SEEN_READ_ONLY = ['last_heard_at', 'usual_pause_s', 'silent_since'] as const

export const lastSeenFields = {
  last_heard_at: moment.nullable(),
  usual_pause_s: z
    .int()
    .min(0)
    .nullable()
    .meta({ description: 'The longest usual pause in seconds; null while too little is known about it.' }),
  silent_since: moment
    .nullable()
    .meta({ description: 'null while the source reports as usual, or while too little is known about it.' }),
}
