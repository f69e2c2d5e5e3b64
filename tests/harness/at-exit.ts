/** Cleans up when this process ends. One listener serves all callers: Node warns of the eleventh one of a process. */
export const atExit = new Set<() => void>()

process.once('exit', () => {
  for (const end of atExit) end()
})
