/** REQUIRE_ALL=1 is for machines that must run everything: a skipped suite, and a run without tests, are errors. */
const all = process.env.REQUIRE_ALL === '1'

/** mocha adds named files to `spec`, so `spec` is left out then. */
const namesFiles = process.argv.some((argument) => argument.endsWith('.test.ts'))

export default {
  // Most files mostly wait, for servers that start, stop and are killed.
  parallel: true,
  jobs: 2,
  extension: ['ts'],
  ...(!namesFiles && { spec: ['tests/**/*.test.ts'] }),
  'node-option': ['import=tsx', 'no-experimental-require-module'],
  reporter: 'tests/harness/reporter.ts',
  timeout: 240_000,
  exit: true,
  'forbid-only': all,
  'forbid-pending': all,
  'fail-zero': all,
}
