/**
 * Starts and stops Baoco once, so that the code that V8 compiles for a whole start is kept (`cmd/run-bundle.mjs`). Most processes of tests are
 * killed before they keep it, and one that does not find it takes half a second more of CPU time.
 */
import { NODE_OPTIONS, removeDataFolder, startBaoco } from './baoco-process.ts'
import { newFolderWithCluster } from './copied-cluster.ts'

/** @param more  options of Node that the processes of the tests have besides those of `npm start`, because V8 keeps code for each set of them */
export const warmStart = async (more: readonly string[]): Promise<void> => {
  const dataFolder = await newFolderWithCluster()
  const baoco = await startBaoco(dataFolder, {}, 'serve', { nodeOptions: [...NODE_OPTIONS, ...more] })
  await baoco.stop()
  await removeDataFolder(dataFolder)
}
