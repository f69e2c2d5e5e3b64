-- Counts the recent calls of each caller. Operational and unlogged: after a crash, all counts begin at 0.

CREATE SCHEMA IF NOT EXISTS ops;

-- One row per limit and caller with an open window. The library that counts here defines the columns.
CREATE UNLOGGED TABLE IF NOT EXISTS ops.rate_limit (
  key    text PRIMARY KEY,
  points integer NOT NULL DEFAULT 0,
  -- Milliseconds since 1970.
  expire bigint
);

CREATE INDEX IF NOT EXISTS rate_limit_expire ON ops.rate_limit (expire);
