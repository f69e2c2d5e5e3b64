// Tests: tests/integration/account-commands.test.ts
/** `baoco device`: manages phones that post notifications. */
import type { Command } from 'commander'
import { newDevice } from '../../workflows/accounts/devices.ts'
import { withAccounts } from '../process/with-accounts.ts'

export const device = (program: Command): void => {
  program
    .command('device')
    .description('manage devices')
    .command('token <email> <name>')
    .description('add a device to an account and print its token, once')
    .action((email: string, name: string) =>
      withAccounts(async ({ accounts, ids, on }) => {
        const { token } = await newDevice({ accounts, ids }, await on(email), name)
        console.log(token)
      }),
    )
}
