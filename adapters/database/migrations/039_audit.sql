-- The last `baoco audit`: when it ended, how much it checked and what it found. Only numbers.

CREATE TABLE IF NOT EXISTS ops.audit (
  one          boolean PRIMARY KEY DEFAULT true CHECK (one),
  ended_at     timestamptz NOT NULL,
  events       bigint NOT NULL,
  transactions bigint NOT NULL,
  faults       bigint NOT NULL
);
