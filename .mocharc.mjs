/** REQUIRE_ALL=1 is for machines that must run everything: nothing may be left out there, and no test is an error. */
const all = process.env.REQUIRE_ALL === '1'

export default {
  extension: ['ts'],
  spec: ['tests/**/*.test.ts'],
  'node-option': ['import=tsx'],
  require: ['tests/support/hooks.ts'],
  reporter: 'tests/support/reporter.ts',
  timeout: 60000,
  exit: true,
  'forbid-only': all,
  'forbid-pending': all,
  'fail-zero': all,
}
