import {
  answered, answeredLast, cameLate, captured, deleted, delivered, ended, exhausted, given, later, removed, retrying, retryRequested,
  ruleDeleted, statusChanged,
} from './sentences.ts' // prettier-ignore

describe('an attempt', () => {
  it('with a 2xx response ends the delivery as a success', () => {
    given(captured([7]))
      .when(answered(7, 1, 200))
      .then(delivered(7, 1), statusChanged('pending', 'success'))
  })

  it('that fails is retried by the schedule', () => {
    given(captured([7]))
      .when(answered(7, 1, 500))
      .then(retrying(7, 1, later(60)))
    given(captured([7]), retrying(7, 1, later(60)))
      .when(answered(7, 2, 404))
      .then(retrying(7, 2, later(300), 404))
  })

  it('without a response, or with a redirect, is retried', () => {
    given(captured([7]))
      .when(answered(7, 1, 0))
      .then(retrying(7, 1, later(60), 0))
    for (const redirect of [300, 301])
      given(captured([7]))
        .when(answered(7, 1, redirect))
        .then(retrying(7, 1, later(60), redirect))
  })

  it('is retried after the delay that a 503 requests', () => {
    given(captured([7]))
      .when(answered(7, 1, 503, 600))
      .then(retrying(7, 1, later(600), 503))
  })

  it('fails the delivery at the end of the schedule', () => {
    given(captured([7]), retrying(7, 1, later(60)), retrying(7, 2, later(300)))
      .when(answered(7, 3, 500))
      .then(exhausted(7, 3), statusChanged('pending', 'failed'))
  })

  it('fails the delivery if the schedule has passed while its endpoint was down', () => {
    given(captured([7]))
      .when(answeredLast(7, 1, 500))
      .then(exhausted(7, 1), statusChanged('pending', 'failed'))
  })

  it('with a 410 response ends the delivery as failed at once', () => {
    given(captured([7]))
      .when(answered(7, 1, 410))
      .then(exhausted(7, 1, 410), ended(7, 'gone'), statusChanged('pending', 'failed'))
  })

  it('of a deleted transaction is not recorded', () => {
    given(captured([7]), deleted())
      .when(answered(7, 1, 200))
      .nothing()
  })

  it('of a rule that the transaction never fired is not recorded', () => {
    given(captured([7]))
      .when(answered(8, 1, 200))
      .nothing()
  })

  it('with a known number is recorded and sets no due time', () => {
    given(captured([7]), retrying(7, 1, later(60)))
      .when(answered(7, 1, 500))
      .then(cameLate(7, 1))
    given(captured([7]), retrying(7, 1, later(60)))
      .when(answered(7, 1, 410))
      .then(cameLate(7, 1, 410))
  })

  it('with a known number ends the delivery if it succeeds', () => {
    given(captured([7]), retrying(7, 1, later(60)))
      .when(answered(7, 1, 200))
      .then(delivered(7, 1), statusChanged('pending', 'success'))
  })

  it('that fails after a success changes nothing', () => {
    given(captured([7]), delivered(7, 1), statusChanged('pending', 'success'))
      .when(answered(7, 2, 500))
      .then(cameLate(7, 2))
  })

  it('that was in flight when its rule was deleted is recorded', () => {
    const end = [captured([7]), ended(7, 'rule_deleted'), statusChanged('pending', 'no_match')]
    given(...end)
      .when(answered(7, 1, 500))
      .then(cameLate(7, 1))
    given(...end)
      .when(answered(7, 1, 200))
      .then(delivered(7, 1), statusChanged('no_match', 'success'))
  })

  it('after a manual retry starts a new schedule and continues the numbers', () => {
    const again = [
      captured([7]),
      exhausted(7, 3),
      statusChanged('pending', 'failed'),
      retryRequested([7], 'pending'),
      statusChanged('failed', 'pending'),
    ]
    given(...again)
      .when(answered(7, 4, 500))
      .then(retrying(7, 4, later(60)))
    given(...again, retrying(7, 4, later(60)), retrying(7, 5, later(300)))
      .when(answered(7, 6, 500))
      .then(exhausted(7, 6), statusChanged('pending', 'failed'))
  })
})

describe('the status of a transaction with several rules', () => {
  it('is pending while any delivery is open', () => {
    given(captured([7, 8]))
      .when(answered(7, 1, 200))
      .then(delivered(7, 1))
    given(captured([7, 8]))
      .when(answered(7, 1, 410))
      .then(exhausted(7, 1, 410), ended(7, 'gone'))
  })

  it('is failed if any delivery failed', () => {
    given(captured([7, 8]), exhausted(7, 3))
      .when(answered(8, 1, 200))
      .then(delivered(8, 1), statusChanged('pending', 'failed'))
  })

  it('is success if one delivery succeeded and the other rules were deleted', () => {
    given(captured([7, 8]), delivered(7, 1))
      .when(ruleDeleted(8))
      .then(ended(8, 'rule_deleted'), statusChanged('pending', 'success'))
  })

  it('is no_match if all rules were deleted', () => {
    given(captured([7]))
      .when(ruleDeleted(7))
      .then(ended(7, 'rule_deleted'), statusChanged('pending', 'no_match'))
  })
})

describe('the deletion of a rule', () => {
  it('records nothing if the delivery has ended', () => {
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
  it('keeps its owner, its date and whether it counted', () => {
    given(captured([7]))
      .when(removed)
      .then(deleted())
  })
})
