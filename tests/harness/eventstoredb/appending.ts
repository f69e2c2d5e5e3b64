/** The calls that change data: appends, singly or many in one call, and deletes. */
import {
  status,
  type sendUnaryData,
  type ServerDuplexStream,
  type ServerReadableStream,
  type ServerUnaryCall,
} from '@grpc/grpc-js'
import streams from '@eventstore/db-client/generated/streams_pb.js'
import type {
  AppendReq,
  AppendResp,
  BatchAppendReq,
  BatchAppendResp,
  DeleteReq,
  DeleteResp,
  TombstoneReq,
  TombstoneResp,
} from '@eventstore/db-client/generated/streams_pb.js'
import { MOST_APPEND_BYTES, type AppendOutcome, type Expected, type ProposedEvent } from './event.ts'
import type { EventLog } from './event-log.ts'
import { batchAnswer, empty, eventIn, expectedIn, failure, idIn, nameIn } from './messages.ts'
import { streamDeleted, type Failure } from './reading.ts'
import type { Faults } from './faults.ts'
import type { Writer } from './writer.ts'

interface Gathered {
  stream: string
  expected: Expected
  deadline: number
  events: ProposedEvent[]
}

/** Many appends in one call, each in one or more messages, answered in the order in which they are complete. */
export const batchAppend = (
  log: EventLog,
  troubles: Faults,
  writer: Writer,
  call: ServerDuplexStream<BatchAppendReq, BatchAppendResp>,
  dropConnections: () => void,
): void => {
  const gathered = new Map<string, Gathered>()
  call.on('data', (message: BatchAppendReq) => {
    const id = idIn(message.getCorrelationId())
    const options = message.getOptions()
    if (options)
      gathered.set(id, {
        stream: nameIn(options.getStreamIdentifier()),
        expected: expectedIn(options, options.getStreamPosition()),
        deadline: options.getDeadline()?.toDate().getTime() ?? Infinity,
        events: [],
      })
    const one = gathered.get(id)
    if (!one) return
    one.events.push(...message.getProposedMessagesList().map(eventIn))
    if (!message.getIsFinal()) return
    gathered.delete(id)
    if (troubles.isCut(one.stream) || troubles.strikes('drop_before')) return dropConnections()
    writer.write(() => {
      const outcome = outcomeOf(log, one)
      if (troubles.strikes('drop_after')) return dropConnections()
      if (troubles.strikes('lose_answers')) return
      const answer = batchAnswer(message.getCorrelationId(), one.stream, one.expected, outcome)
      if (troubles.answer_late_ms === 0) call.write(answer)
      else void troubles.late().then(() => call.write(answer))
    })
  })
  call.on('end', () => call.end())
  call.on('error', () => {})
}

const outcomeOf = (log: EventLog, { stream, expected, deadline, events }: Gathered) => {
  if (stream === '') return { kind: 'unknown' } as const
  if (deadline <= log.now()) return { kind: 'timeout' } as const
  return log.append(stream, expected, events)
}

/** A separate call for one append. The client makes it if credentials are given with the append. */
export const append = (
  log: EventLog,
  call: ServerReadableStream<AppendReq, AppendResp>,
  answer: sendUnaryData<AppendResp>,
): void => {
  let stream = ''
  let expected: Expected = 'any'
  const events: ProposedEvent[] = []
  call.on('data', (message: AppendReq) => {
    const options = message.getOptions()
    if (options) {
      stream = nameIn(options.getStreamIdentifier())
      expected = expectedIn(options, options.getRevision())
    }
    const proposed = message.getProposedMessage()
    if (proposed) events.push(eventIn(proposed))
  })
  call.on('end', () => {
    if (stream === '') return answer({ code: status.UNKNOWN, details: 'a stream needs a name' })
    const outcome = log.append(stream, expected, events)
    if (outcome.kind === 'stream_deleted') return answer(streamDeleted(stream))
    if (outcome.kind === 'too_big') {
      const most = { 'maximum-append-size': String(MOST_APPEND_BYTES) }
      return answer(failure('maximum-append-size-exceeded', 'Maximum Append Size Exceeded.', most))
    }
    answer(null, appendAnswer(expected, outcome))
  })
}

const appendAnswer = (
  expected: Expected,
  outcome: Extract<AppendOutcome, { kind: 'written' | 'wrong_expected_version' }>,
): AppendResp => {
  const answer = new streams.AppendResp()
  if (outcome.kind === 'written') {
    const success = new streams.AppendResp.Success()
    if (outcome.revision < 0) success.setNoStream(empty())
    else success.setCurrentRevision(String(outcome.revision))
    if (outcome.position === undefined) success.setNoPosition(empty())
    else {
      const position = new streams.AppendResp.Position()
      position.setCommitPosition(String(outcome.position))
      position.setPreparePosition(String(outcome.position))
      success.setPosition(position)
    }
    answer.setSuccess(success)
    return answer
  }
  const wrong = new streams.AppendResp.WrongExpectedVersion()
  if (outcome.revision === undefined) wrong.setCurrentNoStream(empty())
  else wrong.setCurrentRevision(String(outcome.revision))
  if (expected === 'any') wrong.setExpectedAny(empty())
  else if (expected === 'no_stream') wrong.setExpectedNoStream(empty())
  else if (expected === 'stream_exists') wrong.setExpectedStreamExists(empty())
  else wrong.setExpectedRevision(String(expected))
  answer.setWrongExpectedVersion(wrong)
  return answer
}

/** The numbers by which a refused delete reports kinds of expectation. */
const EXPECTED_NUMBERS = { any: -2, no_stream: -1, stream_exists: -4 } as const

const deleteFailure = (stream: string, expected: Expected, outcome: AppendOutcome): Failure => {
  if (outcome.kind === 'stream_deleted') return streamDeleted(stream)
  const actual = outcome.kind === 'wrong_expected_version' ? (outcome.revision ?? -1) : -1
  return failure('wrong-expected-version', `Append failed due to WrongExpectedVersion. Stream: ${stream}`, {
    'stream-name': stream,
    'expected-version': String(typeof expected === 'number' ? expected : EXPECTED_NUMBERS[expected]),
    'actual-version': String(actual),
  })
}

export const deleteStream = (
  log: EventLog,
  call: ServerUnaryCall<DeleteReq, DeleteResp>,
  answer: sendUnaryData<DeleteResp>,
): void => {
  const options = call.request.getOptions()!
  const stream = nameIn(options.getStreamIdentifier())
  const expected = expectedIn(options, options.getRevision())
  const outcome = log.delete(stream, expected)
  if (outcome.kind !== 'written') return answer(deleteFailure(stream, expected, outcome))
  const position = new streams.DeleteResp.Position()
  position.setCommitPosition(String(outcome.position))
  position.setPreparePosition(String(outcome.position))
  const deleted = new streams.DeleteResp()
  deleted.setPosition(position)
  answer(null, deleted)
}

export const tombstone = (
  log: EventLog,
  call: ServerUnaryCall<TombstoneReq, TombstoneResp>,
  answer: sendUnaryData<TombstoneResp>,
): void => {
  const options = call.request.getOptions()!
  const stream = nameIn(options.getStreamIdentifier())
  const expected = expectedIn(options, options.getRevision())
  const outcome = log.tombstone(stream, expected)
  if (outcome.kind !== 'written') return answer(deleteFailure(stream, expected, outcome))
  const position = new streams.TombstoneResp.Position()
  position.setCommitPosition(String(outcome.position))
  position.setPreparePosition(String(outcome.position))
  const deleted = new streams.TombstoneResp()
  deleted.setPosition(position)
  answer(null, deleted)
}
