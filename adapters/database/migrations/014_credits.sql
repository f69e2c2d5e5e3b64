-- How far credits have been collected in the memories of the accounts (`credits-<user>-<segment>`). Operational: if it is lost, the
-- store is read from its first event again, which adds nothing twice.

CREATE TABLE IF NOT EXISTS ops.credits_checkpoint (
  only_row   boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  checkpoint text NOT NULL,
  -- The last processed event. With it, a start recognises that the store is the same.
  event_id   uuid NOT NULL,
  stream     text NOT NULL,
  revision   integer NOT NULL,
  updated_at timestamptz NOT NULL DEFAULT now()
);
