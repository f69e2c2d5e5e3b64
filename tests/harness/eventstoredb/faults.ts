/** What the stand-in does on command, and a real server only when it goes wrong. Counters count down to nothing. */
import { setTimeout as pause } from 'node:timers/promises'

export class Faults {
  /** Every append and read is answered so much later (milliseconds). */
  answer_late_ms = 0
  /** So many appends are written and never answered; the connection stays. */
  lose_answers = 0
  /** So many appends end all connections instead of being written. */
  drop_before = 0
  /** So many appends are written, and end all connections instead of being answered. */
  drop_after = 0
  /** So many appends more are taken to streams whose names match; then each ends all connections. null: all are. */
  appends_left: number | null = null
  appends_to = ''
  /** So many calls that require the leader are sent to another node. */
  not_leader = 0
  /** Where to. */
  leader_port = 0
  /** So many calls are refused as by a server that has just started. */
  not_ready = 0
  /** So many scavenges stop before they have removed anything. */
  interrupt_scavenges = 0
  /** A scavenge takes so long (milliseconds). */
  scavenge_ms = 30

  /** @returns whether this trouble is to happen now */
  strikes(
    trouble: 'lose_answers' | 'drop_before' | 'drop_after' | 'not_leader' | 'not_ready' | 'interrupt_scavenges',
  ): boolean {
    if (this[trouble] <= 0) return false
    this[trouble]--
    return true
  }

  /** @returns whether this append is one too many */
  isCut(stream: string): boolean {
    if (this.appends_left === null || !new RegExp(this.appends_to).test(stream)) return false
    return --this.appends_left < 0
  }

  async late(): Promise<void> {
    if (this.answer_late_ms > 0) await pause(this.answer_late_ms)
  }
}
