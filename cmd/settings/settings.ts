/** Reads and checks all settings once, at the start. */
import { resolve } from 'node:path'
import type { z } from 'zod'
import { readSecretFile } from './secret-file.ts'
import { SETTINGS, type Setting } from './setting-table.ts'
import { withPassword } from './url-password.ts'

type Read = { [Key in keyof typeof SETTINGS]: z.output<(typeof SETTINGS)[Key]['schema']> }

/** `dataDir` is absolute. `baseUrl` has no trailing slash. */
export type Settings = Readonly<Omit<Read, 'baseUrl'> & { baseUrl: string }>

/** Invalid settings, which prevent the start. The message is one line that names the settings and never shows a secret. */
export class SettingsError extends Error {
  override name = 'SettingsError'
}

const entries = Object.entries(SETTINGS) as [keyof typeof SETTINGS, Setting<unknown>][]
export const allSettings: readonly Setting<unknown>[] = entries.map(([, setting]) => setting)

type Environment = Readonly<Record<string, string | undefined>>

/** A shell leaves a carriage return at the end of each line of a file from Windows. JWT_SECRET keeps it, because another secret ends every login. */
const withoutLineEnd = (name: string, text: string): string =>
  name === SETTINGS.jwtSecret.env ? text : text.replace(/[\r\n]+$/, '')

/**
 * The text of a setting, from the environment or from the file that `<env>_FILE` names; undefined if it is not set.
 * @throws an error whose message continues "setting "
 */
const textOf = ({ env: name, secret, fromFile }: Setting<unknown>, env: Environment): string | undefined => {
  // Secrets are not trimmed, because a password may begin with a blank.
  const given = (env[name]?.trim() && (secret ? withoutLineEnd(name, env[name]) : env[name].trim())) || undefined
  const file = fromFile && env[`${name}_FILE`]?.trim()
  if (!file) return given
  if (given !== undefined) throw new Error(`${name} and ${name}_FILE are both set: unset one of them`)
  const { content, problem } = readSecretFile(file)
  if (problem !== undefined) throw new Error(`${name}_FILE ${problem}`)
  return secret ? content : content.trim()
}

/** The text of a setting; a URL contains its password. @throws as `textOf` */
const wholeTextOf = (setting: Setting<unknown>, env: Environment): string | undefined => {
  const text = textOf(setting, env) ?? setting.fallback
  const [, holder] = entries.find(([, { env: name }]) => name === setting.passwordIn) ?? []
  const password = holder && textOf(holder, env)
  if (text === undefined || password === undefined) return text
  const url = withPassword(text, password)
  if (url === null) throw new Error(`${setting.passwordIn} needs a user in ${setting.env}, as in …://user@host`)
  return url
}

/**
 * @param env  the process's environment; an empty value counts as not set
 * @throws {SettingsError} for an invalid value, an unknown `BAOCO_…` variable, or a missing secret with external servers
 */
export const readSettings = (env: Environment): Settings => {
  const faults: string[] = []
  const known = new Set(entries.map(([, { env }]) => env))
  for (const name of Object.keys(env)) {
    if (name.startsWith('BAOCO_') && !known.has(name)) faults.push(`unknown setting ${name}`)
  }
  const read = entries.map(([key, setting]) => {
    try {
      const given = wholeTextOf(setting, env)
      if (given === undefined) return [key, undefined]
      const parsed = setting.schema.safeParse(given)
      if (!parsed.success) faults.push(`setting ${setting.env} ${parsed.error.issues[0]?.message ?? 'is not valid'}`)
      return [key, parsed.data]
    } catch (error) {
      faults.push(`setting ${(error as Error).message}`)
      return [key, undefined]
    }
  })
  if (faults.length > 0) throw new SettingsError([...new Set(faults)].join('; '))
  const settings = Object.fromEntries(read) as Read
  refuseGaps(settings)
  return {
    ...settings,
    dataDir: resolve(settings.dataDir),
    baseUrl: (settings.baseUrl ?? `http://localhost:${settings.port}`).replace(/\/+$/, ''),
  }
}

const refuseGaps = (settings: Read): void => {
  if (settings.databaseDiskGb !== undefined && settings.databaseUrl === undefined)
    throw new SettingsError(
      'setting DATABASE_DISK_GB must not be set without DATABASE_URL: the disk of the embedded database is measured anyway',
    )
  const isSet = (key: keyof Read): boolean => settings[key] !== undefined
  // Secrets generated in a data folder would differ between machines, and would be lost with the machine while the events stay.
  refuseWithout(['jwtSecret', 'vaultKey'], (['databaseUrl', 'eventStoreUrl'] as const).filter(isSet).slice(0, 1), isSet)
  // With a part of the account no plan could be ordered, and nothing would say why.
  refuseWithout(PLAN_ACCOUNT, PLAN_ACCOUNT.filter(isSet), isSet)
}

const PLAN_ACCOUNT = ['planBank', 'planAccount', 'planHolder'] as const

/** @param given  settings that are set and need all of `needed`; none: nothing is needed */
const refuseWithout = (
  needed: readonly (keyof Read)[],
  given: readonly (keyof Read)[],
  isSet: (key: keyof Read) => boolean,
): void => {
  const names = (keys: readonly (keyof Read)[]): string => keys.map((key) => SETTINGS[key].env).join(' and ')
  const missing = needed.filter((key) => !isSet(key))
  if (given.length > 0 && missing.length > 0)
    throw new SettingsError(`setting ${names(missing)} must be set with ${names(given)}`)
}
