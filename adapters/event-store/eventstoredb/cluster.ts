// Tests: tests/integration/eventstoredb/cluster.test.ts
/**
 * The nodes of a cluster, from the gossip service that the client also uses to find its node. A single server reports only
 * itself, perhaps with an address that is unreachable from here. So it is reached through the existing connection.
 */
import type { EventStoreDBClient } from '@eventstore/db-client'
import gossipService from '@eventstore/db-client/generated/gossip_grpc_pb.js'
import gossipMessages, { type ClusterInfo } from '@eventstore/db-client/generated/gossip_pb.js'
import sharedMessages from '@eventstore/db-client/generated/shared_pb.js'
import type { Connection } from './connection.ts'

export interface Node {
  host: string
  port: number
  isAlive: boolean
}

/** An internal method of the client: it opens other services on the client's channel. */
interface Inside {
  createGRPCClient<Client>(service: new (...args: never[]) => Client): Promise<Client>
}

const { MANAGER } = gossipMessages.MemberInfo.VNodeState

/** All nodes that store events. Empty for a single server. */
export const nodesOf = async (connection: Connection): Promise<Node[]> => {
  const members = await connection
    .call(async ({ client }) => (await gossip(client)).getMembersList())
    .catch(whereNoneIs)
  if (members.length < 2) return []
  return members
    .filter((member) => member.getState() !== MANAGER)
    .map((member) => {
      const endpoint = member.getHttpEndPoint()
      return { host: endpoint?.getAddress() ?? '', port: endpoint?.getPort() ?? 0, isAlive: member.getIsAlive() }
    })
}

/** gRPC: unimplemented. */
const UNIMPLEMENTED = 12

/** A server without gossip is a single server. */
const whereNoneIs = (error: unknown): [] => {
  if ((error as { code?: unknown }).code === UNIMPLEMENTED) return []
  throw error
}

const gossip = async (client: EventStoreDBClient): Promise<ClusterInfo> => {
  const service = await (client as unknown as Inside).createGRPCClient(gossipService.GossipClient)
  return new Promise((resolve, reject) => {
    service.read(new sharedMessages.Empty(), (error, info) => (error ? reject(error) : resolve(info)))
  })
}

/** The URL of one node of the cluster that `url` names, with the same credentials and options. */
export const urlOfNode = (url: string, { host, port }: Pick<Node, 'host' | 'port'>): string =>
  url.replace(/^(\w+)(?:\+discover)?:\/\/([^@/?]*@)?[^/?]*/, (_, scheme: string, credentials = '') => {
    const address = host.includes(':') ? `[${host}]` : host
    return `${scheme}://${credentials as string}${address}:${port}`
  })
