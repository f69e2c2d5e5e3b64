// Tests: tests/integration/http/protocol.test.ts
/** The release that runs, as `--version`, `/healthz`, the metrics and the API's document report it. */
import { readFileSync } from 'node:fs'

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string
}

export const VERSION: string = version
