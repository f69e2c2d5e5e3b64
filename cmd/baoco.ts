// Tests: tests/integration/baoco-command.test.ts
/** The `baoco` program. Each command has its own file; this file defines how all commands exit. */
import { readFileSync } from 'node:fs'
import { Command, CommanderError, Help, type Option } from 'commander'
import { showSources, withSources } from '../adapters/system/source-positions.ts'
import { VERSION } from '../adapters/system/version.ts'
import { addCommands } from './commands/all.ts'
import { failureText } from './command-parts/failure-text.ts'
import { settingLines } from './settings/settings.ts'

/** Exit status: 0 done, 1 failed, 2 wrong usage. */
const FAILED = 1
const WRONG_USAGE = 2

const STILL_OPEN_MS = 5_000

const { description } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  description: string
}

const settingsHelp = (): string => {
  const lines = settingLines()
  const width = Math.max(...lines.map(({ name }) => name.length))
  const line = (setting: (typeof lines)[number]) =>
    `  ${setting.name.padEnd(width)}  ${setting.description}${setting.default && ` [${setting.default}]`}`
  const files = lines.filter(({ fromFile }) => fromFile).map(({ name }) => `${name}_FILE`)
  return [
    '\nSettings, by environment [default]:',
    ...lines.map(line),
    '\nThese name a file that contains the setting:',
    `  ${files.join(' ')}`,
  ].join('\n')
}

const program = new Command('baoco').description(description).version(VERSION).addHelpText('after', settingsHelp())

/** Commander's help does not say which options a command needs. */
const optionDescription = (option: Option): string =>
  `${Help.prototype.optionDescription(option)}${option.mandatory && option.defaultValue === undefined ? ' (required)' : ''}`.trimStart()

/** Commander exits the process itself, with status 1 for wrong usage. This makes it throw instead, in every command. */
const throwing = (command: Command): void => {
  command.exitOverride().showHelpAfterError('(use --help for more information)').configureHelp({ optionDescription })
  command.commands.forEach(throwing)
}

const main = async (): Promise<void> => {
  try {
    await addCommands(program, process.argv[2])
    throwing(program)
    await program.parseAsync()
  } catch (error) {
    if (error instanceof CommanderError) {
      process.exitCode = error.exitCode === 0 ? 0 : WRONG_USAGE
    } else {
      console.error(
        `baoco: ${process.env.LOG_LEVEL === 'debug' ? withSources(String((error as Error).stack)) : failureText(error)}`,
      )
      process.exitCode = FAILED
      // A failed process must end even if something was not closed. Otherwise nobody would restart it.
      setTimeout(() => process.exit(), STILL_OPEN_MS).unref()
    }
  }
}

showSources()
void main()
