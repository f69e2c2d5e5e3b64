#!/usr/bin/env node
// The `baoco` command. It runs the bundle, or the sources if the bundle cannot be stored.
import './node-version.mjs'
import { bundled } from './build.mjs'

try {
  const bundle = await bundled({ isLast: true })
  if (bundle) (await import('./run-bundle.mjs')).runBundle(bundle)
  else {
    process.setSourceMapsEnabled(true)
    ;(await import('tsx/esm/api')).register()
    await import('./baoco.ts')
  }
} catch (error) {
  if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error
  console.error('Baoco is not installed yet: run `npm ci` in its folder, or `npm start`, which does it')
  process.exit(1)
}
