-- When the clocks of the database and of the processes were last seen, by scheduled work. Without it, a jump is noticed one time
-- later.

CREATE TABLE IF NOT EXISTS ops.clock (
  one           boolean PRIMARY KEY DEFAULT true CHECK (one),
  seen_at       timestamptz NOT NULL,
  -- Until then, nothing is deleted because it is old.
  doubted_until timestamptz
);
