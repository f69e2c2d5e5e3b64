/** The stand-in's answers about itself and its cluster: the calls it supports, and the members that it knows. */
import { randomUUID } from 'node:crypto'
import gossipMessages from '@eventstore/db-client/generated/gossip_pb.js'
import featureMessages from '@eventstore/db-client/generated/serverfeatures_pb.js'
import type { IGossipServer } from '@eventstore/db-client/generated/gossip_grpc_pb.js'
import type { IServerFeaturesServer } from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js'
import type { Faults } from './faults.ts'
import { uuidOf } from './messages.ts'
import { notReady } from './reading.ts'

type MemberState = Parameters<InstanceType<typeof gossipMessages.MemberInfo>['setState']>[0]

export const HOST = '127.0.0.1'
const VERSION = '23.10.6'
const METHODS = ['read', 'append', 'delete', 'tombstone', 'batchappend']

export interface Member {
  port: number
  isAlive: boolean
}

const methodOf = (name: string) => {
  const method = new featureMessages.SupportedMethod()
  method.setServiceName('event_store.client.streams.streams')
  method.setMethodName(name)
  return method
}

export const featureCalls = (troubles: Faults): IServerFeaturesServer => ({
  getSupportedMethods: (_call, answer) => {
    if (troubles.strikes('not_ready')) return answer(notReady)
    const supported = new featureMessages.SupportedMethods()
    supported.setEventStoreServerVersion(VERSION)
    supported.setMethodsList(METHODS.map(methodOf))
    answer(null, supported)
  },
})

const memberOf = ({ port, isAlive }: Member, state: MemberState) => {
  const endpoint = new gossipMessages.EndPoint()
  endpoint.setAddress(HOST)
  endpoint.setPort(port)
  const member = new gossipMessages.MemberInfo()
  member.setInstanceId(uuidOf(randomUUID()))
  member.setState(state)
  member.setIsAlive(isAlive)
  member.setHttpEndPoint(endpoint)
  return member
}

/** @param ownPort  is known once the server listens */
export const gossipCalls = (troubles: Faults, ownPort: () => number, others: readonly Member[]): IGossipServer => ({
  read: (_call, answer) => {
    if (troubles.gossip === 'silent') return
    const { LEADER, FOLLOWER, UNKNOWN } = gossipMessages.MemberInfo.VNodeState
    const [own, other] = troubles.gossip === 'leaderless' ? [UNKNOWN, UNKNOWN] : [LEADER, FOLLOWER]
    const cluster = new gossipMessages.ClusterInfo()
    cluster.setMembersList([
      memberOf({ port: ownPort(), isAlive: true }, own),
      ...others.map((member) => memberOf(member, other)),
    ])
    answer(null, cluster)
  },
})
