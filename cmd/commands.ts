/** Every command, in the order `baoco --help` lists them. A new one is a file in this folder and a line here. */
import type { Command } from 'commander'
import { account } from './account.ts'
import { config } from './config.ts'
import { device } from './device.ts'
import { migrate } from './migrate.ts'
import { replay } from './replay.ts'
import { serve } from './serve.ts'

export const commands: readonly ((program: Command) => void)[] = [serve, account, device, config, migrate, replay]
