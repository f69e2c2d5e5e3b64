// Tests: tests/integration/roles/shared-settings.test.ts
/** The settings that all processes of an installation must have alike: what one process writes or sends by them, another one reads or continues. */
import { scrypt } from 'node:crypto'
import { promisify } from 'node:util'
import type { SharedSettings } from '../../adapters/database/shared-settings.ts'
import { SETTINGS } from './setting-table.ts'
import type { Settings } from './settings.ts'
import { shownAddress } from './shown-address.ts'

const SHARED = [
  'baseUrl',
  'kafkaTopic',
  'kafkaPersonalData',
  'adminEmail',
  'allowPrivateTargets',
  'retrySchedule',
  'rateLimits',
  'abusePerHour',
  'abusePolls',
  'abuseParallel',
  'overQuotaDelay',
  'planPrefix',
  'planBank',
  'planAccount',
  'planHolder',
  'commission',
  'reparseMaxAge',
  'keepUnread',
] as const satisfies (keyof Settings)[]

/** The names of the settings, in the order in which they are shown. */
export const SHARED_NAMES: readonly string[] = [
  SETTINGS.jwtSecret.env,
  SETTINGS.kafkaBrokers.env,
  SETTINGS.smtpUrl.env,
  ...SHARED.map((key) => SETTINGS[key].env),
]

const scrypted = promisify<string, string, number, { N: number }, Buffer>(scrypt)
/** A guess at the secret takes about 10 ms, and so does this part of a start. */
const COST = { N: 4_096 }

/** @param jwtSecret  that of the settings or of the data folder · @returns a text for the value of each setting, by its name */
export const sharedSettings = async (settings: Settings, jwtSecret: string): Promise<SharedSettings> => {
  const values = { ...settings, baseUrl: isOwnAddress(settings.baseUrl) ? null : settings.baseUrl }
  const name = SETTINGS.jwtSecret.env
  return {
    [name]: (await scrypted(jwtSecret, `shared setting ${name}`, 32, COST)).toString('hex'),
    // The addresses of brokers may differ. But a process without Kafka and one with it miss each other.
    [SETTINGS.kafkaBrokers.env]: settings.kafkaBrokers ? 'set' : 'not set',
    // Without its password, which may be short enough to be guessed.
    [SETTINGS.smtpUrl.env]: settings.smtpUrl ? shownAddress(settings.smtpUrl) : 'not set',
    ...Object.fromEntries(SHARED.map((key) => [SETTINGS[key].env, JSON.stringify(values[key] ?? null)])),
  }
}

/** Without BASE_URL, a process assumes an address such as this. It contains the port of the process, which may differ. */
const isOwnAddress = (baseUrl: string): boolean => /^http:\/\/localhost:\d+$/.test(baseUrl)
