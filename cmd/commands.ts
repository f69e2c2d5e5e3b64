/** Every command, in the order `baoco --help` lists them. A new one is a file in this folder and a line here. */
import type { Command } from 'commander'
import { account } from './account.ts'
import { api } from './api.ts'
import { audit } from './audit.ts'
import { collect } from './collect.ts'
import { config } from './config.ts'
import { deliver } from './deliver.ts'
import { device } from './device.ts'
import { exportCommand } from './export.ts'
import { exportEventsCommand } from './export-events.ts'
import { history } from './history.ts'
import { importEventsCommand } from './import-events.ts'
import { migrate } from './migrate.ts'
import { project } from './project.ts'
import { receiver } from './receiver.ts'
import { relay } from './relay.ts'
import { replay } from './replay.ts'
import { reparseCommand } from './reparse.ts'
import { serve } from './serve.ts'
import { tail } from './tail.ts'

const roles = [serve, api, project, relay, deliver, collect]
const events = [replay, exportEventsCommand, importEventsCommand, tail]
const looks = [history, audit, exportCommand]

export const commands: readonly ((program: Command) => void)[] = [
  ...roles,
  account,
  device,
  reparseCommand,
  config,
  migrate,
  ...events,
  ...looks,
  receiver,
]
