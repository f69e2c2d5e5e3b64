-- Who delivers, and who may make which call. Operational: losing it costs calls made twice, never one lost.

CREATE SCHEMA IF NOT EXISTS ops;

-- A row per delivery worker; `beat` rises while it lives.
CREATE TABLE IF NOT EXISTS ops.worker (
  worker     uuid PRIMARY KEY,
  beat       bigint NOT NULL,
  started_at timestamptz NOT NULL DEFAULT now(),
  beaten_at  timestamptz NOT NULL DEFAULT now(),
  -- Set by its goodbye: what it still holds may be taken over at once.
  ended_at   timestamptz
);

-- A row per delivery: which attempt of it is whose to make. The number only rises; no projection touches it.
CREATE TABLE IF NOT EXISTS ops.claim (
  transaction_id bigint NOT NULL,
  rule_id        bigint NOT NULL,
  attempt        integer NOT NULL,
  worker         uuid NOT NULL,
  claimed_at     timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (transaction_id, rule_id)
);

-- For taking over what a dead worker held.
CREATE INDEX IF NOT EXISTS claim_worker ON ops.claim (worker);
