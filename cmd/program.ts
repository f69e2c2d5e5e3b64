// Tests: tests/integration/baoco-command.test.ts
/** The commands of the `baoco` program, and its help. It throws instead of exiting. */
import { readFileSync } from 'node:fs'
import { Command, Help, type Option } from 'commander'
import { VERSION } from '../adapters/system/version.ts'
import { addCommands } from './commands/all.ts'
import type { Setting } from './settings/setting-table.ts'
import { allSettings } from './settings/settings.ts'

const { description } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  description: string
}

const settingsHelp = (): string => {
  const width = Math.max(...allSettings.map(({ env }) => env.length))
  const line = ({ env, description, fallback }: Setting<unknown>) =>
    `  ${env.padEnd(width)}  ${description}${fallback ? ` [${fallback}]` : ''}`
  const files = allSettings.filter(({ fromFile }) => fromFile).map(({ env }) => `${env}_FILE`)
  return [
    '\nSettings, by environment [default]:',
    ...allSettings.map(line),
    '\nThese name a file that contains the setting:',
    `  ${files.join(' ')}`,
  ].join('\n')
}

/** Commander's help does not say which options a command needs. */
const optionDescription = (option: Option): string =>
  `${Help.prototype.optionDescription(option)}${option.mandatory && option.defaultValue === undefined ? ' (required)' : ''}`.trimStart()

/** Commander exits the process itself, with status 1 for wrong usage. This makes it throw instead, in every command. */
const throwing = (command: Command): void => {
  command.exitOverride().showHelpAfterError('(use --help for more information)').configureHelp({ optionDescription })
  command.commands.forEach(throwing)
}

/** @param asked  the first argument, as in `addCommands` */
export const openProgram = async (asked?: string): Promise<Command> => {
  const program = new Command('baoco').description(description).version(VERSION).addHelpText('after', settingsHelp())
  await addCommands(program, asked)
  throwing(program)
  return program
}
