// Tests: tests/unit/web/app/curl.test.ts
/** A request as a shell command. */
import type { Delivery } from '../api/types.ts'

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** curl takes brackets and braces in an address for a range of several addresses. */
const HAS_RANGE = /[[\]{}]/

export const curlOf = ({ method, url, headers, body }: NonNullable<Delivery['request']>): string =>
  [
    `curl -X ${method} ${HAS_RANGE.test(url) ? '--globoff ' : ''}${quoted(url)}`,
    ...Object.entries(headers).map(([name, value]) => `  -H ${quoted(`${name}: ${value}`)}`),
    ...(body === null ? [] : [`  --data-raw ${quoted(body)}`]),
  ].join(' \\\n')
