-- The recent usage of accounts, counted over all processes, for the lock on abuse. Operational and unlogged: after a crash, all
-- counts begin at 0.

CREATE SCHEMA IF NOT EXISTS ops;

-- `who` is an account and the end of its last lock: an unlock begins new counts.
CREATE UNLOGGED TABLE IF NOT EXISTS ops.conduct_calls (
  who   text NOT NULL,
  -- A part of an hour, counted from 1970.
  slot  bigint NOT NULL,
  calls integer NOT NULL,
  PRIMARY KEY (who, slot)
);

CREATE UNLOGGED TABLE IF NOT EXISTS ops.conduct_run (
  who       text PRIMARY KEY,
  signature text NOT NULL,
  calls     integer NOT NULL,
  -- Milliseconds since 1970, as seen by the process that reported last.
  first_at  bigint NOT NULL,
  last_at   bigint NOT NULL,
  -- Whether it saw another request before.
  broken    boolean NOT NULL
);

CREATE UNLOGGED TABLE IF NOT EXISTS ops.conduct_parallel (
  who      text NOT NULL,
  -- Since 1970.
  second   bigint NOT NULL,
  requests integer NOT NULL,
  PRIMARY KEY (who, second)
);
