#!/usr/bin/env node
// The `baoco` command: loads TypeScript on the fly, then the commands.
const { register } = await import('tsx/esm/api').catch((error) => {
  if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error
  console.error('Baoco is not installed yet: run `npm ci` in its folder, or `npm start`, which does it')
  process.exit(1)
})
register()
await import('./baoco.ts')
