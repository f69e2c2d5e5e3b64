/** Why settings are refused. */
import { expect } from 'chai'
import { readSettings, SettingsError } from '../../cmd/settings/settings.ts'

/** @returns the message of the error @throws if the settings are accepted */
export const refusal = (env: Record<string, string>): string => {
  try {
    readSettings(env)
  } catch (error) {
    expect(error).to.be.instanceOf(SettingsError)
    return (error as Error).message
  }
  throw new Error(`not refused: ${JSON.stringify(env)}`)
}
