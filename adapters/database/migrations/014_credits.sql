-- How far credits have been gathered into the accounts' memories (`credits-<user>-<segment>`). Operational: losing it means
-- reading the store from its first event once more, which adds nothing that is remembered already.

CREATE TABLE IF NOT EXISTS ops.credits_checkpoint (
  only_row   boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  checkpoint text NOT NULL,
  -- The event it stands at, by which a start sees that the store is the one it was.
  event_id   uuid NOT NULL,
  stream     text NOT NULL,
  revision   integer NOT NULL,
  updated_at timestamptz NOT NULL DEFAULT now()
);
