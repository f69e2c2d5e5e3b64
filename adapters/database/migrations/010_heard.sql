-- When each source was heard last, and how long it usually pauses. Operational: what is lost is learnt anew.

CREATE SCHEMA IF NOT EXISTS ops;

CREATE TABLE IF NOT EXISTS ops.heard (
  user_id        bigint NOT NULL,
  -- The way in: `device-7`, `mailbox-3`, `url`.
  door           text NOT NULL,
  first_heard_at timestamptz NOT NULL,
  last_heard_at  timestamptz NOT NULL,
  heard          integer NOT NULL,
  -- Seconds.
  usual_pause_s  double precision NOT NULL,
  PRIMARY KEY (user_id, door)
);
