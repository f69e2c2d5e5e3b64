-- How often somebody called lately. Operational and not even logged: after a crash everybody begins at none.

CREATE SCHEMA IF NOT EXISTS ops;

-- A row per limit and caller whose window has begun; its columns are those of the library that counts in it.
CREATE UNLOGGED TABLE IF NOT EXISTS ops.rate_limit (
  key    text PRIMARY KEY,
  points integer NOT NULL DEFAULT 0,
  -- Milliseconds since 1970.
  expire bigint
);

CREATE INDEX IF NOT EXISTS rate_limit_expire ON ops.rate_limit (expire);
