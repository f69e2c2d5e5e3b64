import { expect } from 'chai'
import { isConnectionLost } from '../../../../adapters/database/connection-lost.ts'

const errorWith = (fields: object, message = 'x'): Error => Object.assign(new Error(message), fields)
const refusedAt = (port: number) => errorWith({ code: 'ECONNREFUSED', syscall: 'connect', port })

describe('a lost connection to the database', () => {
  it('differs from errors of statements, of other servers and of commands', () => {
    const lost = [
      errorWith({ code: '57P01', severity: 'FATAL' }, 'terminating connection due to administrator command'),
      errorWith({ code: '57P03', severity: 'FATAL' }, 'the database system is starting up'),
      errorWith({ code: '08006' }),
      errorWith({ code: 'ECONNRESET', syscall: 'read' }),
      refusedAt(5432),
      new AggregateError([refusedAt(5432), refusedAt(5432)]),
      new Error('Connection terminated unexpectedly'),
      new Error('Client has encountered a connection error and is not queryable'),
    ]
    const others = [
      errorWith({ code: '57014', severity: 'ERROR' }, 'canceling statement due to user request'),
      errorWith({ code: '42P01', severity: 'ERROR' }),
      refusedAt(9092),
      new AggregateError([]),
      new AggregateError([refusedAt(5432), refusedAt(9092)]),
      new Error('no such account: a@b.vn'),
      'a text',
    ]
    expect(lost.filter((error) => !isConnectionLost(error, 5432))).to.deep.equal([])
    expect(others.filter((error) => isConnectionLost(error, 5432))).to.deep.equal([])
  })
})
