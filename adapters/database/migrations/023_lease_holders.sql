-- Which process holds a lease, and since when. For the operator only: the holder decides.

ALTER TABLE ops.lease
  ADD COLUMN IF NOT EXISTS process text,
  ADD COLUMN IF NOT EXISTS since timestamptz NOT NULL DEFAULT now();
