-- The offset of each consumer group of the embedded log. Operational: if it is lost, past events are delivered to the groups again.

CREATE SCHEMA IF NOT EXISTS ops;

CREATE TABLE IF NOT EXISTS ops.log_offset (
  consumer_group text PRIMARY KEY,
  checkpoint     text NOT NULL,
  updated_at     timestamptz NOT NULL DEFAULT now()
);
