-- The times of the clocks of the database and of the processes at the last run of scheduled work. If it is lost, a jump is noticed one
-- run later.

CREATE TABLE IF NOT EXISTS ops.clock (
  one           boolean PRIMARY KEY DEFAULT true CHECK (one),
  seen_at       timestamptz NOT NULL,
  -- Until then, nothing is deleted because it is old.
  doubted_until timestamptz
);
