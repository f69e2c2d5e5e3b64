-- When each source was last seen, and how long it usually pauses. Operational: if it is lost, it is measured again.

CREATE SCHEMA IF NOT EXISTS ops;

CREATE TABLE IF NOT EXISTS ops.heard (
  user_id        bigint NOT NULL,
  -- The receive path: `device-7`, `mailbox-3`, `url`.
  door           text NOT NULL,
  first_heard_at timestamptz NOT NULL,
  last_heard_at  timestamptz NOT NULL,
  heard          integer NOT NULL,
  -- Seconds.
  usual_pause_s  double precision NOT NULL,
  PRIMARY KEY (user_id, door)
);
