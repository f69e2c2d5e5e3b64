import { EventStoreDBClient } from '@eventstore/db-client'
import { expect } from 'chai'
import { clientUrl, eventStoreUrlProblem, hostsOf } from '../../../../../adapters/event-store/eventstoredb/url.ts'

/** The output of the client while it reads a URL. */
const printedBy = (work: () => unknown): string => {
  const { warn, error } = console
  const lines: unknown[] = []
  console.warn = console.error = (...words: unknown[]) => lines.push(...words)
  try {
    work()
  } catch (thrown) {
    lines.push((thrown as Error).message)
  } finally {
    Object.assign(console, { warn, error })
  }
  return lines.join('\n')
}

describe('the URL of EventStoreDB', () => {
  it('is translated into one that the client reads without a warning', () => {
    for (const [url, expected] of [
      ['esdb://a:2113', 'esdb://a:2113?'],
      ['esdb://admin:s%40cret@a,b:2114/?tls=false', 'esdb://admin:s%40cret@a,b:2114?tls=false'],
      ['kurrentdb://admin:changeit@a:2113?tls=false', 'esdb://admin:changeit@a:2113?tls=false'],
      ['kurrentdb+discover://a.example', 'esdb+discover://a.example?'],
      ['esdb+discover://a.example?node_preference=follower', 'esdb+discover://a.example?nodePreference=follower'],
      ['esdb://a?TLS-verify_cert=true&dns_discover=true', 'esdb://a?dnsDiscover=true'],
    ] as const) {
      expect(eventStoreUrlProblem(url), url).to.equal(null)
      expect(clientUrl(url), url).to.equal(expected)
      const own = clientUrl(url, {}, { keepAliveInterval: 10_000 })
      expect(printedBy(() => EventStoreDBClient.connectionString(own))).to.equal('')
    }
  })

  it('gets the defaults and the fixed options of Baoco', () => {
    const url = 'esdb://a?gossipTimeout=7&keep_alive_interval=1'
    expect(clientUrl(url, { gossipTimeout: 2 }, { keepAliveInterval: 10_000 })).to.equal(
      'esdb://a?gossipTimeout=7&keepAliveInterval=10000',
    )
    expect(clientUrl('esdb://a', { gossipTimeout: 2 })).to.equal('esdb://a?gossipTimeout=2')
  })

  it('is refused before the client sees it if the client would print it', () => {
    for (const url of [
      'esdb://admin:hunter2@a:2113?tls=false&tlss=true',
      'esdb://admin:hunter2@a:2113?tls=false&tlsVerifyCert=false',
      'esdb://admin:hunter2@a:2113?tls=false&tls_Verify--cert=false',
      'esdb://admin:hunter2@a:2113?tls=hunter2',
      'esdb://admin:hunter2@a:hunter2',
      'esdb://admin:hunter2@a:2113,b:99999',
      'esdb://admin:hunter2@a:0',
      'esdb://admin:hunter2@a:2113?hunter2',
      'http://admin:hunter2@a:2113',
      'kurrent://admin:hunter2@a:2113',
    ]) {
      expect(eventStoreUrlProblem(url), url).to.be.a('string').and.not.include('hunter2')
      expect(() => clientUrl(url), url)
        .to.throw(Error)
        .with.property('message')
        .that.does.not.include('hunter2')
    }
    expect(eventStoreUrlProblem('esdb://a?tlsVerifyCert=false')).to.include('tlsCAFile')
  })

  it('is refused if the client would refuse the value of an option', () => {
    for (const option of ['defaultDeadline=0', 'keepAliveInterval=-2', 'keepAliveTimeout=-2']) {
      expect(
        printedBy(() => EventStoreDBClient.connectionString(`esdb://a?${option}`)),
        option,
      ).to.match(/^Invalid /)
      expect(eventStoreUrlProblem(`esdb://a?${option}`), option).to.include('bad value')
    }
    expect(eventStoreUrlProblem('esdb://a?defaultDeadline=1&keepAliveInterval=-1&keepAliveTimeout=-1')).to.equal(null)
  })

  it('is named by its hosts and ports alone', () => {
    expect(hostsOf('kurrentdb+discover://admin:hunter2@a,b:2114/?tls=false')).to.equal('a:2113,b:2114')
  })
})
