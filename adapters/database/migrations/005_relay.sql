-- Which process does what only one may do, and how far the relay has sent events on. Operational: losing it costs a few
-- seconds and events sent twice.

CREATE SCHEMA IF NOT EXISTS ops;

-- A row per lease that is held.
CREATE TABLE IF NOT EXISTS ops.lease (
  name       text PRIMARY KEY,
  holder     uuid NOT NULL,
  expires_at timestamptz NOT NULL
);

-- A row per topic.
CREATE TABLE IF NOT EXISTS ops.relay_checkpoint (
  topic      text PRIMARY KEY,
  checkpoint text NOT NULL,
  -- The event it stands at, by which a start sees that the store is the one it was.
  event_id   uuid NOT NULL,
  stream     text NOT NULL,
  revision   integer NOT NULL,
  updated_at timestamptz NOT NULL DEFAULT now()
);
