import { expect } from 'chai'
import { FOLD_VERSION } from '../../../../workflows/support/fold-version.ts'
import { foldVersion } from '../../../corpus/fold-version.ts'

describe('the version of the folds that have snapshots', () => {
  it('matches the code: after a change of a fold, `npm run fold-version` writes a new one', async () => {
    expect(FOLD_VERSION).to.equal(await foldVersion())
  })
})
