-- The process that holds a lease, and since when. It is only shown to the operator; `holder` decides.

ALTER TABLE ops.lease
  ADD COLUMN IF NOT EXISTS process text,
  ADD COLUMN IF NOT EXISTS since timestamptz NOT NULL DEFAULT now();
