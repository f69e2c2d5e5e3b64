#!/usr/bin/env node
// The `baoco` command. It runs the bundle, or the sources if the bundle cannot be stored.
import './node-version.mjs'
import { bundled } from './build.mjs'

/** Whether esbuild did not find a package, as after a change to another version. */
const lacksPackage = ({ errors = [] }) => errors.some(({ text }) => /^Could not resolve "[^./]/.test(text))

try {
  const bundle = await bundled({ isLast: true })
  if (bundle) (await import('./run-bundle.mjs')).runBundle(bundle)
  else {
    process.setSourceMapsEnabled(true)
    ;(await import('tsx/esm/api')).register()
    await import('./baoco.ts')
  }
} catch (error) {
  const isMissing = error.code === 'ERR_MODULE_NOT_FOUND'
  if (!isMissing && !lacksPackage(error)) throw error
  const problem = isMissing ? 'Baoco is not installed yet' : 'Baoco has the packages of another version'
  console.error(`${problem}: run \`npm ci\` in its folder, or \`npm start\`, which does it`)
  process.exit(1)
}
