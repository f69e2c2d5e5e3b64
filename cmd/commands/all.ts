// Tests: tests/integration/baoco-command.test.ts
/** All commands, in the order of `baoco --help`. To add one, add a file in this folder and a line here. */
import type { Command } from 'commander'

type Add = (program: Command) => void

const commands: Record<string, () => Promise<Add>> = {
  serve: async () => (await import('./serve.ts')).serve,
  api: async () => (await import('./api.ts')).api,
  project: async () => (await import('./project.ts')).project,
  relay: async () => (await import('./relay.ts')).relay,
  deliver: async () => (await import('./deliver.ts')).deliver,
  collect: async () => (await import('./collect.ts')).collect,
  account: async () => (await import('./account.ts')).account,
  device: async () => (await import('./device.ts')).device,
  reparse: async () => (await import('./reparse.ts')).reparseCommand,
  config: async () => (await import('./config.ts')).config,
  migrate: async () => (await import('./migrate.ts')).migrate,
  replay: async () => (await import('./replay.ts')).replay,
  'export-events': async () => (await import('./export-events.ts')).exportEventsCommand,
  'import-events': async () => (await import('./import-events.ts')).importEventsCommand,
  status: async () => (await import('./status.ts')).status,
  parked: async () => (await import('./parked.ts')).parked,
  backup: async () => (await import('./backup.ts')).backup,
  restore: async () => (await import('./restore.ts')).restore,
  tail: async () => (await import('./tail.ts')).tail,
  history: async () => (await import('./history.ts')).history,
  audit: async () => (await import('./audit.ts')).audit,
  export: async () => (await import('./export.ts')).exportCommand,
  receiver: async () => (await import('./receiver.ts')).receiver,
}

/** @param asked  the first argument. If it names a command, only that command is loaded, else all are, as for the help */
export const addCommands = async (program: Command, asked = ''): Promise<void> => {
  const load = Object.hasOwn(commands, asked) ? commands[asked] : undefined
  for (const add of await Promise.all((load ? [load] : Object.values(commands)).map((each) => each()))) add(program)
}
