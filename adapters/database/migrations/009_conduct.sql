-- How accounts have called lately, as all processes saw it: for the lock on abuse. Operational and not even logged: after a
-- crash everybody begins at none.

CREATE SCHEMA IF NOT EXISTS ops;

-- `who` is an account since its last lock was lifted.
CREATE UNLOGGED TABLE IF NOT EXISTS ops.conduct_calls (
  who   text NOT NULL,
  -- A piece of an hour, counted from 1970.
  slot  bigint NOT NULL,
  calls integer NOT NULL,
  PRIMARY KEY (who, slot)
);

CREATE UNLOGGED TABLE IF NOT EXISTS ops.conduct_run (
  who       text PRIMARY KEY,
  signature text NOT NULL,
  calls     integer NOT NULL,
  -- Milliseconds since 1970; of what the process that told last saw.
  first_at  bigint NOT NULL,
  last_at   bigint NOT NULL,
  -- It saw something else before.
  broken    boolean NOT NULL
);

CREATE UNLOGGED TABLE IF NOT EXISTS ops.conduct_parallel (
  who      text NOT NULL,
  -- Since 1970.
  second   bigint NOT NULL,
  requests integer NOT NULL,
  PRIMARY KEY (who, second)
);
