// Tests: tests/integration/account-commands.test.ts
/** `baoco account`: manages accounts for the operator. Each secret is printed once, on its own line. */
import { text } from 'node:stream/consumers'
import { Argument, Option, type Command } from 'commander'
import { eachAccount, type AccountRow } from '../../projections/account/queries.ts'
import { listStreams } from '../../projections/account/streams-queries.ts'
import { dropAbandonedCopies } from '../../projections/engine/abandoned-copies.ts'
import { openReadModelTables } from '../../adapters/postgres/ops/read-models.ts'
import { projectors } from '../../projections/all.ts'
import { mainWith } from '../../projections/main.ts'
import { language, USUAL_LANGUAGE, type Language } from '../../domain/account/language.ts'
import { plan as plans, type Plan } from '../../domain/account/events.ts'
import { unlock as unlockAccount } from '../../domain/account/access.ts'
import { setPlan as changePlan } from '../../domain/account/plan-changes.ts'
import { rotateKey, setPassword } from '../../workflows/accounts/access.ts'
import { whileDeleting } from '../../adapters/postgres/ops/deletions.ts'
import { forgetAccount } from '../../adapters/postgres/ops/forget-account.ts'
import { eraseAccount } from '../../workflows/accounts/delete-account.ts'
import { createAccount } from '../../workflows/accounts/registration.ts'
import { personalUrl } from '../process/greeting.ts'
import { publicAddress } from '../process/public-address.ts'
import { printFirst } from '../command-parts/lost-output.ts'
import { interruptible } from '../command-parts/interruptible.ts'
import { withLists } from '../command-parts/with-lists.ts'
import { withAccounts } from '../command-parts/with-accounts.ts'
import { counted } from '../command-parts/counted.ts'

/** The password from the option, else the first line of piped standard input; undefined: one is generated. */
const givenPassword = async (option: string | undefined): Promise<string | undefined> => {
  if (option !== undefined || process.stdin.isTTY) return option
  return (await text(process.stdin)).split(/\r?\n/)[0] || undefined
}

const NO_ADDRESS =
  'The server has not recorded its address. If it is not the one above, set BASE_URL, or PORT, for this command as for the server.'

/** Begins with the id, by which the log names an account. */
const line = ({ user_id, email, plan, locked, operator }: AccountRow): string =>
  [user_id, email, plan, operator ? 'operator' : '', locked ? 'locked' : ''].filter(Boolean).join('  ')

const list = (group: Command): Command =>
  group
    .command('list')
    .description('list accounts, one line per account, with the user_id of the log')
    .action(() =>
      withAccounts((around) =>
        withLists(around, async () => {
          for await (const row of eachAccount(around.database)) console.log(line(row))
        }),
      ),
    )

const create = (group: Command): Command =>
  group
    .command('create <email>')
    .description('create an account with a verified email, and print its secrets once')
    .addOption(new Option('--plan <plan>', 'plan of the account').choices(plans.options).makeOptionMandatory())
    .addOption(
      new Option('--language <language>', 'language of mails, alerts and pages')
        .choices(language.options)
        .default(USUAL_LANGUAGE),
    )
    .option('--password <password>', 'default: the first line of standard input, or a generated password')
    .action(async (email: string, options: { plan: Plan; language: Language; password?: string }) => {
      const password = await givenPassword(options.password)
      await withAccounts(
        async ({ settings, ...parts }) => {
          const { baseUrl, isKnown } = await publicAddress(settings, parts.database)
          const wanted = { email, password, plan: options.plan, language: options.language }
          await createAccount(parts, wanted, (fresh) =>
            printFirst(
              [
                `e-mail        ${fresh.email}`,
                ...(fresh.password === null ? [] : [`password      ${fresh.password}`]),
                `API key       ${fresh.api_key}`,
                `personal URL  ${personalUrl(baseUrl, fresh.receive_token)}`,
              ].join('\n'),
            ),
          )
          if (!isKnown) console.error(NO_ADDRESS)
        },
        { seals: true },
      )
    })

const setPlan = (group: Command): Command =>
  group
    .command('plan <email>')
    .description('set the plan, without an expiry date')
    .addArgument(new Argument('<plan>').choices(plans.options))
    .action((email: string, plan: Plan) =>
      withAccounts(async ({ accounts, on }) => {
        const { checkpoint } = await accounts.change(await on(email), (present) => changePlan(present, plan))
        console.log(`${email} ${checkpoint === null ? 'already had' : 'now has'} the plan ${plan}`)
      }),
    )

const unlock = (group: Command): Command =>
  group
    .command('unlock <email>')
    .description('unlock an account')
    .action((email: string) =>
      withAccounts(async ({ accounts, on }) => {
        const { checkpoint } = await accounts.change(await on(email), unlockAccount)
        console.log(`${email} ${checkpoint === null ? 'was not locked' : 'is unlocked'}`)
      }),
    )

const resetPassword = (group: Command): Command =>
  group
    .command('password <email>')
    .description('set a new password; every login of the account ends')
    .option('--password <password>', 'default: the first line of standard input, or a generated password')
    .action(async (email: string, options: { password?: string }) => {
      const given = await givenPassword(options.password)
      await withAccounts(async ({ on, ...parts }) => {
        await setPassword(parts, await on(email), given, (made) => printFirst(`password      ${made}`))
        console.log(`${email} has a new password, and its logins have ended`)
      })
    })

const newKey = (group: Command): Command =>
  group
    .command('key <email>')
    .description('create a new API key and print it once; the old key stops working immediately')
    .action((email: string) =>
      withAccounts(async ({ accounts, on }) => {
        await rotateKey({ accounts }, await on(email), printFirst)
      }),
    )

const remove = (group: Command): Command =>
  group
    .command('delete <email>')
    .description('delete an account and erase all of its data permanently')
    .requiredOption('--yes', 'confirm the deletion')
    .action((email: string) =>
      withAccounts(async ({ settings, store, accounts, database, log, on }) => {
        const parts = {
          store,
          accounts,
          list: listStreams(database, store, mainWith(settings)),
          onFullRead: (reason: string) => log.warn({ reason }, 'account.deletion_reads_store'),
          forget: forgetAccount(database),
        }
        const occasion = await on(email)
        const erase = () => eraseAccount(parts, occasion, email)
        const advice = `the deletion of ${email} was interrupted: run the command again to finish it`
        const { transactions, others } = await interruptible(advice, () =>
          whileDeleting(database, occasion.user_id, erase),
        )
        await dropAbandonedCopies(openReadModelTables(database), projectors(settings))
        console.log(
          `${email} is deleted, with ${counted(transactions, 'transaction')} and ${counted(others, 'other stream')} of events`,
        )
      }),
    )

export const account = (program: Command): void => {
  const group = program.command('account').description('manage accounts (operator)')
  for (const add of [list, create, setPlan, unlock, resetPassword, newKey, remove]) add(group)
}
