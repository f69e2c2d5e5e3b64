/** Faults that the stand-in causes on command, and a real server only when it fails. Counters count down to zero. */
import { setTimeout as pause } from 'node:timers/promises'

export class Faults {
  /** The delay of the answer to every append and read (milliseconds). */
  answer_late_ms = 0
  /** The number of appends that are written and never answered. The connection stays open. */
  lose_answers = 0
  /** The number of appends that end all connections instead of being written. */
  drop_before = 0
  /** The number of appends that are written, and then end all connections instead of being answered. */
  drop_after = 0
  /** The number of appends still accepted to streams with matching names. Each further one ends all connections. null: no limit. */
  appends_left: number | null = null
  appends_to = ''
  /** The number of calls that require the leader and are redirected to another node. */
  not_leader = 0
  /** The port of that node. */
  leader_port = 0
  /** The number of calls that are refused as by a server that has just started. */
  not_ready = 0
  /** The number of appends to soft-deleted streams after which reads still fail for some milliseconds. */
  undelete_late = 0
  /** The gossip service: it answers, it never answers (a frozen node), or it knows no leader (no quorum). */
  gossip: 'answers' | 'silent' | 'leaderless' = 'answers'
  /** The number of scavenges that stop before they have removed anything. */
  interrupt_scavenges = 0
  /** Its disk, as its statistics report it. null: they do not, as before they were collected. */
  drive: { place: string; free: number; size: number } | null = { place: '/', free: 5e10, size: 1e11 }
  /** A page that its HTTP side returns for everything, as a proxy in front of it may. null: it answers itself. */
  page: string | null = null
  /** How far its clock is ahead (milliseconds). */
  clock_ahead_ms = 0
  /** The duration of a scavenge (milliseconds). */
  scavenge_ms = 30

  /** @returns whether this fault must happen now */
  strikes(
    trouble:
      | 'lose_answers'
      | 'drop_before'
      | 'drop_after'
      | 'not_leader'
      | 'not_ready'
      | 'interrupt_scavenges'
      | 'undelete_late',
  ): boolean {
    if (this[trouble] <= 0) return false
    this[trouble]--
    return true
  }

  /** @returns whether this append exceeds `appends_left` */
  isCut(stream: string): boolean {
    if (this.appends_left === null || !new RegExp(this.appends_to).test(stream)) return false
    return --this.appends_left < 0
  }

  async late(): Promise<void> {
    if (this.answer_late_ms > 0) await pause(this.answer_late_ms)
  }
}
