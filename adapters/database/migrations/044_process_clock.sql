-- Processes whose clock differs from the database's. Each keeps its own row while it differs.

CREATE TABLE IF NOT EXISTS ops.process_clock (
  process text PRIMARY KEY,
  machine text NOT NULL,
  -- Negative if the process is behind.
  ahead_ms bigint NOT NULL,
  measured_at timestamptz NOT NULL DEFAULT now()
);
