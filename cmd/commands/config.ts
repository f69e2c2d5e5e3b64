// Tests: tests/integration/baoco-command.test.ts
/** `baoco config`: prints the current settings. */
import type { Command } from 'commander'
import { refusingLostOutput } from '../command-parts/lost-output.ts'
import { shownAddress } from '../settings/shown-address.ts'
import { SETTINGS } from '../settings/setting-table.ts'
import { readSettings, type Settings } from '../settings/settings.ts'

const HIDDEN = '(set, hidden)'

const shown = (value: Settings[keyof Settings]): string => {
  if (value === undefined) return '(not set)'
  if (typeof value === 'boolean') return value ? '1' : '0'
  // Brokers are host:port, not URLs. Text before an `@` may be a password, so it is hidden.
  if (Array.isArray(value)) return value.map((item) => String(item).replace(/^.*@/s, '***@')).join(',')
  if (typeof value === 'object') {
    return Object.entries(value)
      .map(([name, { requests, seconds }]) => `${name}=${requests}/${seconds}`)
      .join(',')
  }
  return shownAddress(String(value))
}

/** One line per setting: `NAME=value`. Secrets are hidden. */
export const configLines = (settings: Settings): string[] =>
  (Object.keys(SETTINGS) as (keyof Settings)[]).map((key) => {
    const { env } = SETTINGS[key]
    const hide = 'secret' in SETTINGS[key] && settings[key] !== undefined
    return `${env}=${hide ? HIDDEN : shown(settings[key])}`
  })

export const config = (program: Command): void => {
  program
    .command('config')
    .description('print the current settings, without secrets')
    .action(() => refusingLostOutput(async () => console.log(configLines(readSettings(process.env)).join('\n'))))
}
