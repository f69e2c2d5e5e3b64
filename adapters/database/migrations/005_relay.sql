-- The leases of processes, and how far the relay has published events. Operational: if it is lost, work pauses for a few seconds, and
-- events are published twice.

CREATE SCHEMA IF NOT EXISTS ops;

-- One row per held lease.
CREATE TABLE IF NOT EXISTS ops.lease (
  name       text PRIMARY KEY,
  holder     uuid NOT NULL,
  expires_at timestamptz NOT NULL
);

-- One row per topic.
CREATE TABLE IF NOT EXISTS ops.relay_checkpoint (
  topic      text PRIMARY KEY,
  checkpoint text NOT NULL,
  -- The last published event. With it, a start recognises that the store is the same.
  event_id   uuid NOT NULL,
  stream     text NOT NULL,
  revision   integer NOT NULL,
  updated_at timestamptz NOT NULL DEFAULT now()
);
