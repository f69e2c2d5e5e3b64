/** A benchmark that fails, or is ended by a signal, while its processes run. Prints the pid of one of them. */
import { startChild } from '../../bench/support/children.ts'
import { launchBaoco, newDataFolder } from '../harness/baoco-process.ts'

const env = {
  DATABASE_URL: 'postgres://nobody@127.0.0.1:9/none',
  JWT_SECRET: 'j'.repeat(32),
  VAULT_KEY: 'ab'.repeat(32),
}
const baoco = launchBaoco(await newDataFolder(), env, 'deliver')
await startChild('./receiver.ts')
console.log(baoco.process.pid)
if (process.argv[2] === 'fail') throw new Error('a benchmark that fails')
await baoco.ended
