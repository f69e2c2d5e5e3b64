// Tests: tests/integration/http/session.test.ts
/** The dashboard's sessions. A session is a signed cookie that expires by itself, so the account only stores which ended early. */
import type { SessionEnded } from './access-events.ts'
import type { AccountEvent } from './events.ts'
import type { Account, EndedSessions } from './state.ts'

/** Adds an ended session, and drops those that have expired by now. */
export const ended = (sessions: EndedSessions, { session_id, ended_at, expires_at }: SessionEnded): EndedSessions =>
  new Map([...[...sessions].filter(([, until]) => until > ended_at), [session_id, expires_at]])

export const endSession = (
  { user_id, ended_sessions }: Account,
  { session_id, expires_at, at }: { session_id: string; expires_at: Date; at: Date },
): AccountEvent[] =>
  ended_sessions.has(session_id)
    ? []
    : [
        {
          type: 'SessionEnded',
          data: { user_id, session_id, ended_at: at.toISOString(), expires_at: expires_at.toISOString() },
        },
      ]
