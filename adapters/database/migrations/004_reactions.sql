-- How far reactions have turned events into commands. Operational: losing it means meeting every event again, which each
-- reaction takes as done.

CREATE SCHEMA IF NOT EXISTS ops;

CREATE TABLE IF NOT EXISTS ops.reaction_checkpoint (
  only_row   boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  checkpoint text NOT NULL,
  -- The event it stands at, by which a start sees that the store is the one it was.
  event_id   uuid NOT NULL,
  stream     text NOT NULL,
  revision   integer NOT NULL,
  updated_at timestamptz NOT NULL DEFAULT now()
);
