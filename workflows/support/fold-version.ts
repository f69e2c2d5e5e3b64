// Tests: tests/unit/workflows/support/fold-version.test.ts
// Written by `npm run fold-version` (tests/corpus/fold-version.ts).
/** The version of the folds that have snapshots. A snapshot of another version is not used. */
export const FOLD_VERSION = 'qjJK1Lka6TAxwgCr'
