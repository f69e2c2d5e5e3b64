/** What the end of this process does to what it has started. One listener serves them all: Node warns of the eleventh one of a process. */
export const atExit = new Set<() => void>()

process.once('exit', () => {
  for (const end of atExit) end()
})
