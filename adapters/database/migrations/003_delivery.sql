-- The delivery workers, and which of them may make which call. Operational: if it is lost, calls may be repeated, but none is missed.

CREATE SCHEMA IF NOT EXISTS ops;

-- One row per delivery worker. `beat` rises while it is alive.
CREATE TABLE IF NOT EXISTS ops.worker (
  worker     uuid PRIMARY KEY,
  beat       bigint NOT NULL,
  started_at timestamptz NOT NULL DEFAULT now(),
  beaten_at  timestamptz NOT NULL DEFAULT now(),
  -- Set when it signs off: its open claims may then be taken over at once.
  ended_at   timestamptz
);

-- One row per delivery: the attempt that is claimed, and its worker. The number only rises. No projection writes here.
CREATE TABLE IF NOT EXISTS ops.claim (
  transaction_id bigint NOT NULL,
  rule_id        bigint NOT NULL,
  attempt        integer NOT NULL,
  worker         uuid NOT NULL,
  claimed_at     timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (transaction_id, rule_id)
);

-- Finds the claims of a dead worker.
CREATE INDEX IF NOT EXISTS claim_worker ON ops.claim (worker);
