/** Runs the program of the command line in this process, for what ends before a command begins: help, and wrong usage. */
import { CommanderError, type Command } from 'commander'
import { openProgram } from '../../cmd/program.ts'

const capture = (command: Command, printed: { stdout: string; stderr: string }): void => {
  command.configureOutput({
    writeOut: (text) => void (printed.stdout += text),
    writeErr: (text) => void (printed.stderr += text),
  })
  for (const each of command.commands) capture(each, printed)
}

/** @returns what a process would print, and its exit status · @throws if a command begins */
export const runInProcess = async (...args: string[]): Promise<{ status: number; stdout: string; stderr: string }> => {
  const printed = { stdout: '', stderr: '' }
  const program = await openProgram(args[0])
  capture(program, printed)
  program.hook('preAction', () => {
    throw new Error(`this is no wrong usage: ${args.join(' ')}`)
  })
  try {
    await program.parseAsync(args, { from: 'user' })
    return { status: 0, ...printed }
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    return { status: error.exitCode === 0 ? 0 : 2, ...printed }
  }
}
