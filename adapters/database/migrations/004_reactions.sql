-- How far the reactors have processed the events. Operational: if it is lost, they process every event again, and each
-- recognises what is done.

CREATE SCHEMA IF NOT EXISTS ops;

CREATE TABLE IF NOT EXISTS ops.reaction_checkpoint (
  only_row   boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  checkpoint text NOT NULL,
  -- The last processed event. With it, a start recognises that the store is the same.
  event_id   uuid NOT NULL,
  stream     text NOT NULL,
  revision   integer NOT NULL,
  updated_at timestamptz NOT NULL DEFAULT now()
);
