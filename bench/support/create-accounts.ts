/** Creates accounts on the installation that the environment names. The argument is the number of accounts. Prints their API keys. */
import { createAccount } from '../../workflows/accounts/registration.ts'
import { withAccounts } from '../../cmd/command-parts/with-accounts.ts'

const count = JSON.parse(process.argv[2]!) as number

const keys = await withAccounts(async (parts) => {
  const made: string[] = []
  for (let number = 1; number <= count; number++) {
    const email = `shop${number}@baoco.local`
    const { api_key } = await createAccount(parts, { email, password: 'a password of a benchmark', plan: 'Pro' })
    made.push(api_key)
  }
  return made
})
console.log(JSON.stringify(keys))
