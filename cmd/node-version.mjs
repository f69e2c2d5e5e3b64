/** Ends the process with one sentence if Node.js is too old. Imported first, so that nothing is installed or loaded before. */
const LEAST = 20

if (Number(process.versions.node.split('.')[0]) < LEAST) {
  console.error(`Baoco needs Node ${LEAST} or later; this is Node ${process.versions.node}.`)
  process.exit(1)
}
