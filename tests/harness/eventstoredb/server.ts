/**
 * A stand-in for EventStoreDB that speaks its protocol to the real client: gRPC over HTTP/2, and the few HTTP/1 pages that are used, on
 * one port. It is as strict as the real server where that was observed, and never more tolerant.
 */
import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { status, Server, ServerCredentials, type Metadata } from '@grpc/grpc-js'
import gossipService from '@eventstore/db-client/generated/gossip_grpc_pb.js'
import featureService from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js'
import streamsService from '@eventstore/db-client/generated/streams_grpc_pb.js'
import type { IStreamsServer } from '@eventstore/db-client/generated/streams_grpc_pb.js'
import { openAdmin } from './admin.ts'
import { append, batchAppend, deleteStream, tombstone } from './appending.ts'
import { EventLog } from './event-log.ts'
import { featureCalls, gossipCalls, HOST, type Member } from './cluster-calls.ts'
import { failure } from './messages.ts'
import { notReady, read, type Failure } from './reading.ts'
import { Faults } from './faults.ts'
import { Writer } from './writer.ts'

/** The first bytes of every HTTP/2 connection. */
const HTTP2_PREFACE = Buffer.from('PRI * HTTP/2.0')

export interface StandIn {
  port: number
  troubles: Faults
  readonly log: EventLog
  /** The other members of its cluster, as it reports them. */
  others: Member[]
  /** Whether any event was written to a stream. */
  has(stream: string): boolean
  /** Ends every connection immediately. New connections are accepted. */
  dropConnections(): void
  /** Loses everything after a position, and ends every connection. */
  putBack(position: number): void
  /** Ends every connection, accepts none for this time, and forgets what a restarted server forgets. */
  restart(downMs: number): void
  close(): Promise<void>
}

/** The reason to refuse a call; undefined if there is none. */
const refused = (troubles: Faults, metadata: Metadata): Failure | undefined => {
  if (troubles.strikes('not_ready')) return notReady
  if (metadata.get('requires-leader')[0] !== 'true' || !troubles.strikes('not_leader')) return undefined
  const leader = { 'leader-endpoint-host': HOST, 'leader-endpoint-port': String(troubles.leader_port) }
  return failure('not-leader', 'Leader info available', leader, status.NOT_FOUND)
}

const streamCalls = (log: EventLog, troubles: Faults, writer: Writer, dropConnections: () => void): IStreamsServer => ({
  read: (call) => {
    const refusal = refused(troubles, call.metadata)
    if (refusal) call.emit('error', refusal)
    else void troubles.late().then(() => read(log, call))
  },
  batchAppend: (call) => {
    const refusal = refused(troubles, call.metadata)
    if (refusal) call.emit('error', refusal)
    else batchAppend(log, troubles, writer, call, dropConnections)
  },
  append: (call, answer) => append(log, call, answer),
  delete: (call, answer) => deleteStream(log, call, answer),
  tombstone: (call, answer) => tombstone(log, call, answer),
})

interface StandInOptions {
  port?: number
  folder?: string
  /** Its appends take as long as those of a real server. */
  isAsSlowAsReal?: boolean
}

export const startStandIn = async ({
  port = 0,
  folder,
  isAsSlowAsReal = false,
}: StandInOptions = {}): Promise<StandIn> => {
  const troubles = new Faults()
  const log = new EventLog(folder, troubles)
  const others: Member[] = []
  const sockets = new Set<Socket>()
  let isDown = false
  const dropConnections = (): void => {
    for (const socket of sockets) socket.destroy()
  }
  const restart = (downMs: number): void => {
    isDown = true
    log.forgetIds()
    dropConnections()
    setTimeout(() => (isDown = false), downMs)
  }

  const putBack = (position: number): void => {
    log.putBack(position)
    dropConnections()
  }

  const ownPort = () => (front.address() as AddressInfo).port
  const grpc = new Server({ 'grpc.max_receive_message_length': 17 * 1024 * 1024 })
  grpc.addService(
    streamsService.StreamsService,
    streamCalls(log, troubles, new Writer(isAsSlowAsReal), dropConnections),
  )
  grpc.addService(featureService.ServerFeaturesService, featureCalls(troubles))
  grpc.addService(gossipService.GossipService, gossipCalls(troubles, ownPort, others))
  const injector = grpc.createConnectionInjector(ServerCredentials.createInsecure())
  const admin = openAdmin({ log, troubles, putBack, restart })

  const front = createServer({ noDelay: true }, (socket) => {
    socket.on('error', () => {})
    if (isDown) {
      socket.destroy()
      return
    }
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.once('data', (first: Buffer) => {
      socket.pause()
      socket.unshift(first)
      if (first.subarray(0, HTTP2_PREFACE.length).equals(HTTP2_PREFACE)) injector.injectConnection(socket)
      else {
        admin.emit('connection', socket)
        socket.resume()
      }
    })
  })
  front.listen(port, HOST)
  await once(front, 'listening')

  return {
    port: ownPort(),
    troubles,
    log,
    others,
    has: (stream) => Array.isArray(log.visible(stream, { most: 1 })),
    dropConnections,
    putBack,
    restart,
    close: async () => {
      dropConnections()
      grpc.forceShutdown()
      front.close()
      await once(front, 'close')
    },
  }
}
