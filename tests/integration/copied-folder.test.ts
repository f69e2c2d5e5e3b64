/** A copy of a data folder is its own installation: commands on it never reach the database of the original. */
import { execFileSync } from 'node:child_process'
import { copyFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { newDataFolder, removeDataFolder, startBaoco, type DataFolder, type Running } from '../harness/baoco-process.ts'
import { commandInProcess } from '../harness/command-in-process.ts'
import { newFolderWithCluster } from '../harness/copied-cluster.ts'

describe('a copied data folder', () => {
  let original: DataFolder
  let copy: DataFolder
  let live: Running
  before(async () => {
    ;[original, copy] = await Promise.all([newFolderWithCluster(), newDataFolder()])
    live = await startBaoco(original)
    await live.stop()
    rmSync(copy.dataDir, { recursive: true })
    execFileSync('cp', ['-a', original.dataDir, copy.dataDir])
    live = await startBaoco(original)
    // As if the folder had been copied while Baoco runs.
    for (const name of ['lock', 'postgres.json']) copyFileSync(join(original.dataDir, name), join(copy.dataDir, name))
  })
  after(async () => {
    await live.kill()
    await Promise.all([original, copy].map(removeDataFolder))
  })

  const baoco = async ({ dataDir }: DataFolder, ...args: string[]): Promise<string> => {
    const env = { PATH: process.env.PATH, HOME: process.env.HOME, BAOCO_DATA_DIR: dataDir }
    const { status, stdout, stderr } = await commandInProcess(args, env)
    expect(status, stderr).to.equal(0)
    return stdout
  }

  it('has its own accounts, even while the original runs', async () => {
    const made = await baoco(copy, 'account', 'create', 'only@copy.example', '--plan', 'Free')
    expect(made).to.include('only@copy.example')
    expect(await baoco(original, 'account', 'list')).to.not.include('only@copy.example')
    await baoco(copy, 'audit')
  })

  it('does not stop the original', async () => {
    expect((await fetch(`${live.baseUrl}/readyz`)).status).to.equal(200)
  })
})
