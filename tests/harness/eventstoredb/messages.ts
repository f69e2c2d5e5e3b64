/** Converts to and from the messages of the protocol, with the client's generated code. */
import { createRequire } from 'node:module'
import { Metadata, status } from '@grpc/grpc-js'
import shared from '@eventstore/db-client/generated/shared_pb.js'
import type { Empty, StreamIdentifier, UUID } from '@eventstore/db-client/generated/shared_pb.js'
import statusMessages from '@eventstore/db-client/generated/status_pb.js'
import type { Status } from '@eventstore/db-client/generated/status_pb.js'
import streams from '@eventstore/db-client/generated/streams_pb.js'
import type { BatchAppendReq, BatchAppendResp, ReadResp } from '@eventstore/db-client/generated/streams_pb.js'
import { MOST_APPEND_BYTES, type AppendOutcome, type Expected, type ProposedEvent, type StoredEvent } from './event.ts'

type Details = NonNullable<ReturnType<Status['getDetails']>>
interface Serializable {
  serializeBinary(): Uint8Array
}

/** The nested message types come from the library of the client. */
const require = createRequire(createRequire(import.meta.url).resolve('@eventstore/db-client'))
const { Any } = require('google-protobuf/google/protobuf/any_pb.js') as { Any: new () => Details }
const { Empty: GoogleEmpty } = require('google-protobuf/google/protobuf/empty_pb.js') as {
  Empty: new () => NonNullable<ReturnType<BatchAppendReq.Options['getNoStream']>>
}

const TICKS_PER_MS = 10_000n

export const empty = (): Empty => new shared.Empty()

export const nameIn = (identifier: StreamIdentifier | undefined): string =>
  Buffer.from(identifier?.getStreamName_asU8() ?? []).toString('utf8')

export const identifierOf = (name: string): StreamIdentifier => {
  const identifier = new shared.StreamIdentifier()
  identifier.setStreamName(Buffer.from(name).toString('base64'))
  return identifier
}

export const idIn = (uuid: UUID | undefined): string => {
  const structured = uuid?.getStructured()
  if (!structured) return uuid?.getString() ?? ''
  const bits = [structured.getMostSignificantBits(), structured.getLeastSignificantBits()]
  const hex = bits.map((half) => BigInt.asUintN(64, BigInt(half)).toString(16).padStart(16, '0')).join('')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

export const uuidOf = (id: string): UUID => {
  const uuid = new shared.UUID()
  uuid.setString(id)
  return uuid
}

/** The common fields of all three kinds of proposed messages. */
interface ProposedMessage {
  getId(): UUID | undefined
  getMetadataMap(): { get(key: string): string | undefined }
  getData_asU8(): Uint8Array
  getCustomMetadata_asU8(): Uint8Array
}

export const eventIn = (message: ProposedMessage): ProposedEvent => ({
  id: idIn(message.getId()),
  type: message.getMetadataMap().get('type') ?? '',
  contentType: message.getMetadataMap().get('content-type') ?? 'application/octet-stream',
  data: Buffer.from(message.getData_asU8()),
  metadata: Buffer.from(message.getCustomMetadata_asU8()),
})

interface ExpectedOptions {
  hasAny(): boolean
  hasNoStream(): boolean
  hasStreamExists(): boolean
}

/** @param revision  the name of the message's field for a revision */
export const expectedIn = (options: ExpectedOptions, revision: string): Expected => {
  if (options.hasNoStream()) return 'no_stream'
  if (options.hasStreamExists()) return 'stream_exists'
  return options.hasAny() ? 'any' : Number(revision)
}

/** The revision of the event that a tombstone leaves in its stream. */
const TOMBSTONE_REVISION = String(2n ** 63n - 1n)

export const eventMessage = (event: StoredEvent): ReadResp => {
  const recorded = new streams.ReadResp.ReadEvent.RecordedEvent()
  recorded.setId(uuidOf(event.id))
  recorded.setStreamIdentifier(identifierOf(event.stream))
  recorded.setStreamRevision(event.type === '$streamDeleted' ? TOMBSTONE_REVISION : String(event.revision))
  recorded.setCommitPosition(String(event.position))
  recorded.setPreparePosition(String(event.position))
  recorded.setData(new Uint8Array(event.data))
  recorded.setCustomMetadata(new Uint8Array(event.metadata))
  const about = recorded.getMetadataMap()
  about.set('type', event.type)
  about.set('content-type', event.contentType)
  about.set('created', String(BigInt(event.created) * TICKS_PER_MS))
  const read = new streams.ReadResp.ReadEvent()
  read.setEvent(recorded)
  read.setCommitPosition(String(event.position))
  const message = new streams.ReadResp()
  message.setEvent(read)
  return message
}

/** An error that ends a call. The client recognises its kind by the `exception` in the trailers. */
export const failure = (
  exception: string,
  details: string,
  fields: Record<string, string> = {},
  code = status.FAILED_PRECONDITION,
) => {
  const metadata = new Metadata()
  metadata.set('exception', exception)
  // Names may contain other characters than ASCII, headers may not.
  for (const [key, value] of Object.entries(fields)) metadata.set(key, encodeURIComponent(value))
  return { code, details, metadata }
}

const anyOf = (message: Serializable, type: string): Details => {
  const any = new Any()
  any.pack(message.serializeBinary(), `event_store.client.${type}`)
  return any
}

const statusOf = (code: number, text: string, details: Details): Status => {
  const error = new statusMessages.Status()
  error.setCode(code)
  error.setMessage(text)
  error.setDetails(details)
  return error
}

const wrongExpectedVersion = (expected: Expected, revision: number | undefined) => {
  const details = new shared.WrongExpectedVersion()
  if (revision === undefined) details.setCurrentNoStream(new GoogleEmpty())
  else details.setCurrentStreamRevision(String(revision))
  if (expected === 'any') details.setExpectedAny(new GoogleEmpty())
  else if (expected === 'no_stream') details.setExpectedNoStream(new GoogleEmpty())
  else if (expected === 'stream_exists') details.setExpectedStreamExists(new GoogleEmpty())
  else details.setExpectedStreamPosition(String(expected))
  return details
}

/** The answer to one append of the shared call. @param expected  the requested expectation, repeated in a refusal */
export const batchAnswer = (
  correlationId: UUID | undefined,
  stream: string,
  expected: Expected,
  outcome: AppendOutcome | { kind: 'unknown' } | { kind: 'timeout' },
): BatchAppendResp => {
  const answer = new streams.BatchAppendResp()
  answer.setCorrelationId(correlationId)
  answer.setStreamIdentifier(identifierOf(stream))
  if (outcome.kind === 'written') {
    const success = new streams.BatchAppendResp.Success()
    if (outcome.revision < 0) success.setNoStream(new GoogleEmpty())
    else success.setCurrentRevision(String(outcome.revision))
    if (outcome.position === undefined) success.setNoPosition(new GoogleEmpty())
    else {
      const position = new shared.AllStreamPosition()
      position.setCommitPosition(String(outcome.position))
      position.setPreparePosition(String(outcome.position))
      success.setPosition(position)
    }
    answer.setSuccess(success)
    return answer
  }
  const refusals = {
    wrong_expected_version: () =>
      anyOf(
        wrongExpectedVersion(expected, outcome.kind === 'wrong_expected_version' ? outcome.revision : undefined),
        'WrongExpectedVersion',
      ),
    stream_deleted: () => anyOf(new shared.StreamDeleted(), 'StreamDeleted'),
    too_big: () => {
      const details = new shared.MaximumAppendSizeExceeded()
      details.setMaxappendsize(MOST_APPEND_BYTES)
      return anyOf(details, 'MaximumAppendSizeExceeded')
    },
    unknown: () => anyOf(new shared.Unknown(), 'Unknown'),
    timeout: () => anyOf(new shared.Timeout(), 'Timeout'),
  }
  answer.setError(statusOf(status.FAILED_PRECONDITION, outcome.kind, refusals[outcome.kind]()))
  return answer
}
