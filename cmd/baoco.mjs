#!/usr/bin/env node
// The `baoco` command: loads TypeScript on the fly, then the commands.
import { register } from 'tsx/esm/api'

register()
await import('./baoco.ts')
