/** Every problem that the API names has a text in both languages of the dashboard. */
import { expect } from 'chai'
import { STATUS } from '../../../../adapters/http/middleware/errors.ts'
import { problemText } from '../../../../web/app/problem-text.ts'
import { common as english } from '../../../../web/texts/en/shell.ts'
import { problems } from '../../../../web/texts/vi/problems.ts'
import { common as vietnamese } from '../../../../web/texts/vi/shell.ts'
import { apiSentences } from '../../../harness/api-sentences.ts'

/** Sentences that the dashboard cannot cause. Programs read them, and the command line. */
const FOR_PROGRAMS: readonly (readonly [at: RegExp, text: RegExp])[] = [
  // Codes beside them have the text, one for each limit of a plan.
  [/account\/plan\.ts/, /plan allows at most/],
  // Advice of UNAUTHORIZED, whose code has the text.
  [/(?:metrics-guard|signed-in|receive\/credential)\.ts/, /./],
  // Calls that no screen makes, or makes otherwise.
  [/affiliate/, /./],
  [/account\/rules\.ts/, /^This rule belongs to a connected shop, so its system stays/],
  [/http\/api\.ts|json-body\.ts|query-length\.ts|openapi\/input\.ts/, /./],
  [/resources\/(?:receive|shop-connection)\.ts/, /./],
  [/queries\.ts/, /^A page is/],
  [/access\.ts/, /^The operator's account cannot be deleted/],
  // The command line.
  [/registration\.ts/, /^An account with this email already exists/],
  // The login has its own text for an old link.
  [/session\.ts/, /^The link was used/],
  // A whole answer ends a call that sent one already.
  [/webhook-sender\/call\.ts/, /^The answer was long enough/],
  // Sentences that end with another part of the program. Their ends are tested with `problemText`.
  [/./, /^The (?:URL|host|server|template cannot be used:) 7\.$/],
]

describe('the problems that the API names', () => {
  const sentences = apiSentences()

  it('are found in the source code', () => {
    const texts = sentences.map(({ text }) => text)
    // One of each kind: a refusal, an issue, a rule of a schema, a sentence for a pattern, advice.
    expect(texts).to.include.members([
      'Verify the email address first.',
      'This is not a valid email address.',
      'This must not be empty.',
      'The server refuses the connection.',
      'The storage does not respond. The request may not have been stored. Send the request again.',
    ])
    expect(texts).not.to.include('You are logged in.')
  })

  it('have a Vietnamese text, by their code or by their sentence', () => {
    const isKnown = (text: string, code: string | null): boolean =>
      (code !== null && code in vietnamese.errors) || problemText(problems, text) !== text
    const missing = sentences
      .filter(({ text, code }) => !isKnown(text, code))
      .filter(({ at, text }) => !FOR_PROGRAMS.some(([place, words]) => place.test(at) && words.test(text)))
    expect(missing.map(({ at, text }) => `${at}: ${text}`)).to.deep.equal([])
  })

  it('have a text by their code in both languages, or in none', () => {
    expect(Object.keys(english.errors).sort()).to.deep.equal(Object.keys(vietnamese.errors).sort())
    const codes = [...Object.keys(STATUS), 'INTERNAL_ERROR', 'OFFLINE', 'UNKNOWN_OUTCOME']
    expect(codes).to.include.members(Object.keys(vietnamese.errors))
  })
})
