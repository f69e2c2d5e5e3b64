-- When the last removal of everything that has expired began, in a store that removes it at once. Operational: without it, a missed one
-- is made up two days later.

CREATE TABLE IF NOT EXISTS ops.scavenge (
  one      boolean PRIMARY KEY DEFAULT true CHECK (one),
  begun_at timestamptz NOT NULL
);
