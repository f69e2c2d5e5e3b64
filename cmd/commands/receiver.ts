// Tests: tests/integration/baoco-command.test.ts
/** `baoco receiver`: an example shop server, to test webhooks with and to copy. */
import { once } from 'node:events'
import { InvalidArgumentError, Option, type Command } from 'commander'
import type { z } from 'zod'
import { createReceiver } from '../../adapters/receiver/receiver.ts'
import { accountNumber, bankOfTransfers, prefix as paymentPrefix } from '../settings/setting-text.ts'
import { stopSignal } from '../process/stop-signal.ts'
import { portNumber } from '../command-parts/whole-number.ts'

interface Given {
  port: number
  secret: string
  prefix: string
  bank: string
  account: string
  holder: string
}

/** Anyone can sign with an empty secret, as an unset variable of a shell gives it. @throws {InvalidArgumentError} reported as wrong usage */
const givenSecret = (text: string): string => {
  if (text.trim() === '') throw new InvalidArgumentError('it must not be empty')
  return text
}

/** Every QR code needs them. @returns a parser of an option @throws {InvalidArgumentError} reported as wrong usage */
const as =
  (form: z.ZodType<string, string>) =>
  (text: string): string => {
    const { data, error } = form.safeParse(text)
    if (data === undefined) throw new InvalidArgumentError(`it ${error!.issues[0]!.message}`)
    return data
  }

const run = async ({ port, secret, prefix, bank, account, holder }: Given): Promise<void> => {
  const stopping = stopSignal()
  const server = createReceiver({
    secret,
    prefix,
    bank: { bank_code: bank, account_number: account, account_holder: holder },
  })
  server.listen(port)
  await once(server, 'listening')
  console.log(`The receiver is ready: webhooks at http://localhost:${port}/webhook, orders at /orders`)
  if (!stopping.aborted) await once(stopping, 'abort')
  server.close()
  server.closeAllConnections()
}

export const receiver = (program: Command): void => {
  program
    .command('receiver')
    .description('run an example shop that receives webhooks, to test rules with and to copy')
    .requiredOption('--port <port>', 'port to listen on', portNumber)
    .requiredOption('--secret <secret>', "the rule's secret_key", givenSecret)
    .addOption(new Option('--prefix <prefix>', "the shop's payment prefix").argParser(as(paymentPrefix)).default('DH'))
    .addOption(
      new Option('--bank <code>', "bank code of the shop's account").argParser(as(bankOfTransfers)).default('VCB'),
    )
    .addOption(new Option('--account <number>', 'account number').argParser(as(accountNumber)).default('0011000415567'))
    .addOption(new Option('--holder <name>', 'account holder').default('BAOCO DEMO'))
    .action(run)
}
