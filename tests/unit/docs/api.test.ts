/** The page about the API lists every error, limit, status, reason and alert, and no other. */
import { expect } from 'chai'
import { readFileSync } from 'node:fs'
import { STATUS } from '../../../adapters/http/middleware/errors.ts'
import { rateLimits } from '../../../cmd/settings/setting-text.ts'
import { alertKind } from '../../../domain/alert/events.ts'
import { webhookStatus } from '../../../domain/transaction/events.ts'
import { reasons } from '../../../web/texts/en/try-it.ts'

const ROOT = new URL('../../../', import.meta.url)
const read = (path: string): string => readFileSync(new URL(path, ROOT), 'utf8')
const page = read('docs/api.md')

/** The cells of the rows of the first table with this heading. */
const tableOf = (heading: string): string[][] => {
  const [, part = ''] = page.split(`\n## ${heading}\n`)
  return [.../^\|.*\n\|[-|]+\n((?:\|.*\n)+)/m.exec(part)![1]!.matchAll(/^\| (.*) \|$/gm)].map(([, row]) =>
    row!.split(/\s*\|\s*/),
  )
}

const codeIn = (text: string): string[] => [...text.matchAll(/`([^`]+)`/g)].map(([, name]) => name!)

const namesOf = (heading: string): string[] => tableOf(heading).flatMap(([first]) => codeIn(first!))

describe('docs/api.md', () => {
  it('lists every error code with its status', () => {
    const shown = tableOf('Errors').flatMap(([status, codes]) => codeIn(codes!).map((code) => [code, Number(status)]))
    expect(Object.fromEntries(shown)).to.deep.equal({ ...STATUS, INTERNAL_ERROR: 500 })
  })

  it('lists every rate limit with its default', () => {
    const shown = tableOf('Limits').map(([name, , limit]) => {
      const [, requests, seconds] = /^(\d+) in (\d+) s$/.exec(limit!)!
      return [codeIn(name!)[0], { requests: Number(requests), seconds: Number(seconds) }]
    })
    expect(Object.fromEntries(shown)).to.deep.equal(rateLimits.parse(''))
  })

  it('lists every status of a transaction', () => {
    expect(namesOf('Status of a transaction')).to.have.members(webhookStatus.options)
  })

  it('lists every class of error of an attempt', () => {
    const [, classes = ''] = /FailureClass =([^]*?)\n\n/.exec(read('adapters/webhook-sender/failure.ts'))!
    const known = [...classes.matchAll(/'(\w+)'/g)].map(([, name]) => name)
    expect(known).to.include('dns')
    const shown = namesOf('Errors of an attempt').filter((name) => !/^http_|^…$/.test(name))
    expect(shown).to.have.members([...known, 'redirect', 'not_formed'])
  })

  it('lists every reason of a notification', () => {
    expect(namesOf('Reasons of a notification')).to.have.members(Object.keys(reasons))
  })

  it('lists every kind of alert', () => {
    expect(namesOf('Alerts')).to.have.members(alertKind.options)
  })
})
