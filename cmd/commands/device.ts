// Tests: tests/integration/account-commands.test.ts
/** `baoco device`: manages phones that post notifications. */
import { InvalidArgumentError, type Command } from 'commander'
import { line } from '../../adapters/http/resources/request-fields.ts'
import { newDevice } from '../../workflows/accounts/devices.ts'
import { withAccounts } from '../command-parts/with-accounts.ts'

/** As in the API. @throws {InvalidArgumentError} reported as wrong usage */
const deviceName = (text: string): string => {
  const { data, error } = line(100).safeParse(text)
  if (error) throw new InvalidArgumentError(error.issues[0]!.message)
  return data
}

export const device = (program: Command): void => {
  program
    .command('device')
    .description('manage devices')
    .command('token')
    .description('add a device to an account and print its token, once')
    .argument('<email>')
    .argument('<name>', '', deviceName)
    .action((email: string, name: string) =>
      withAccounts(async ({ accounts, ids, on }) => {
        const { token } = await newDevice({ accounts, ids }, await on(email), name)
        console.log(token)
      }),
    )
}
