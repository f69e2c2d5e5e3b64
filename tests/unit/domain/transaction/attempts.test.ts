import {
  answered, cameLate, captured, deleted, delivered, ended, exhausted, given, later, removed, retrying, retryRequested,
  ruleDeleted, statusChanged,
} from './sentences.ts' // prettier-ignore

describe('an attempt', () => {
  it('that is answered 2xx ends the delivery as a success', () => {
    given(captured([7]))
      .when(answered(7, 1, 200))
      .then(delivered(7, 1), statusChanged('pending', 'success'))
  })

  it('that fails is due again by the schedule', () => {
    given(captured([7]))
      .when(answered(7, 1, 500))
      .then(retrying(7, 1, later(60)))
    given(captured([7]), retrying(7, 1, later(60)))
      .when(answered(7, 2, 404))
      .then(retrying(7, 2, later(300), 404))
  })

  it('that got no answer, or a redirect, is due again', () => {
    given(captured([7]))
      .when(answered(7, 1, 0))
      .then(retrying(7, 1, later(60), 0))
    given(captured([7]))
      .when(answered(7, 1, 301))
      .then(retrying(7, 1, later(60), 301))
  })

  it('waits as long as a 503 asks', () => {
    given(captured([7]))
      .when(answered(7, 1, 503, 600))
      .then(retrying(7, 1, later(600), 503))
  })

  it('fails the delivery when the schedule is used up', () => {
    given(captured([7]), retrying(7, 1, later(60)), retrying(7, 2, later(300)))
      .when(answered(7, 3, 500))
      .then(exhausted(7, 3), statusChanged('pending', 'failed'))
  })

  it('that is answered 410 ends the delivery as failed at once', () => {
    given(captured([7])).when(answered(7, 1, 410)).then(exhausted(7, 1, 410), ended(7, 'gone'), statusChanged('pending', 'failed')) // prettier-ignore
  })

  it('of a deleted transaction is not recorded', () => {
    given(captured([7]), deleted())
      .when(answered(7, 1, 200))
      .nothing()
  })

  it('of a rule the transaction never fired is not recorded', () => {
    given(captured([7]))
      .when(answered(8, 1, 200))
      .nothing()
  })

  it('whose number is known is recorded and sets no due time', () => {
    given(captured([7]), retrying(7, 1, later(60)))
      .when(answered(7, 1, 500))
      .then(cameLate(7, 1))
    given(captured([7]), retrying(7, 1, later(60)))
      .when(answered(7, 1, 410))
      .then(cameLate(7, 1, 410))
  })

  it('whose number is known ends the delivery when it is a success', () => {
    given(captured([7]), retrying(7, 1, later(60))).when(answered(7, 1, 200)).then(delivered(7, 1), statusChanged('pending', 'success')) // prettier-ignore
  })

  it('that fails after a success changes nothing', () => {
    given(captured([7]), delivered(7, 1), statusChanged('pending', 'success')).when(answered(7, 2, 500)).then(cameLate(7, 2)) // prettier-ignore
  })

  it('that was in flight when its rule was deleted is recorded', () => {
    const end = [captured([7]), ended(7, 'rule_deleted'), statusChanged('pending', 'no_match')]
    given(...end).when(answered(7, 1, 500)).then(cameLate(7, 1)) // prettier-ignore
    given(...end).when(answered(7, 1, 200)).then(delivered(7, 1), statusChanged('no_match', 'success')) // prettier-ignore
  })

  it('after a retry by hand counts in a fresh schedule, its number going on', () => {
    const again = [captured([7]), exhausted(7, 3), statusChanged('pending', 'failed'), retryRequested([7], 'pending'), statusChanged('failed', 'pending')] // prettier-ignore
    given(...again).when(answered(7, 4, 500)).then(retrying(7, 4, later(60))) // prettier-ignore
    given(...again, retrying(7, 4, later(60)), retrying(7, 5, later(300))).when(answered(7, 6, 500)).then(exhausted(7, 6), statusChanged('pending', 'failed')) // prettier-ignore
  })
})

describe('several rules', () => {
  it('wait while any is open', () => {
    given(captured([7, 8]))
      .when(answered(7, 1, 200))
      .then(delivered(7, 1))
    given(captured([7, 8]))
      .when(answered(7, 1, 410))
      .then(exhausted(7, 1, 410), ended(7, 'gone'))
  })

  it('have failed when any failed', () => {
    given(captured([7, 8]), exhausted(7, 3)).when(answered(8, 1, 200)).then(delivered(8, 1), statusChanged('pending', 'failed')) // prettier-ignore
  })

  it('have succeeded when any did and the others were deleted', () => {
    given(captured([7, 8]), delivered(7, 1)).when(ruleDeleted(8)).then(ended(8, 'rule_deleted'), statusChanged('pending', 'success')) // prettier-ignore
  })

  it('are no match when all were deleted', () => {
    given(captured([7]))
      .when(ruleDeleted(7))
      .then(ended(7, 'rule_deleted'), statusChanged('pending', 'no_match'))
  })
})

describe('the end of a rule', () => {
  it('says nothing where the delivery has ended', () => {
    given(captured([7]), delivered(7, 1), statusChanged('pending', 'success'))
      .when(ruleDeleted(7))
      .nothing()
    given(captured([7]), deleted())
      .when(ruleDeleted(7))
      .nothing()
    given().when(ruleDeleted(7)).nothing()
  })
})

describe('a removed transaction', () => {
  it('keeps its owner and its day, and whether it counted', () => {
    given(captured([7]))
      .when(removed)
      .then(deleted())
  })
})
