/** REQUIRE_ALL=1 is for machines that must run everything: nothing may be left out there, and no test is an error. */
const all = process.env.REQUIRE_ALL === '1'

/** Else mocha would run those as well as all. */
const namesFiles = process.argv.some((argument) => argument.endsWith('.test.ts'))

export default {
  // Most of what a file does is to wait, for servers that start, stop and are killed.
  parallel: true,
  jobs: 2,
  extension: ['ts'],
  ...(!namesFiles && { spec: ['tests/**/*.test.ts'] }),
  'node-option': ['import=tsx'],
  reporter: 'tests/harness/reporter.ts',
  timeout: 60000,
  exit: true,
  'forbid-only': all,
  'forbid-pending': all,
  'fail-zero': all,
}
