// Tests: tests/unit/projections/generations.test.ts
/**
 * The history of the read models. Their number in this list is their generation: a process never rebuilds read models of a higher one,
 * which a newer version of Baoco has built. After a change of a table or of a projection's version, `npm run generations` adds a line.
 */

export const MAIN_GENERATIONS: readonly string[] = [
  'b9b8822829b67f0b',
  'ba28be29c337767b',
  'd69f31bacf6cadea',
  'af707a785250c094',
  'f40e2d5178e2a594',
  'af2d884cd16ac5e8',
  '1dc7c98d119daa90',
]

export const SEARCH_GENERATIONS: readonly string[] = ['49d135aab758cfdd', '8927ee25351fe259', 'e14064099f7035f3']
