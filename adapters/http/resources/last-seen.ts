// Tests: tests/integration/http/sources.test.ts
/** When a source was last seen, for devices, mail accounts and the personal URL. */
import { z } from 'zod'

const moment = z.iso.datetime()

export const lastSeenFields = {
  last_heard_at: moment.nullable(),
  silent_since: moment
    .nullable()
    .meta({ description: 'null while the source reports as usual, or while too little is known about it.' }),
}
