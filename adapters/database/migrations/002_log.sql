-- Where each consumer group of the embedded log stands. Operational: losing it means handing the store's past over again.

CREATE SCHEMA IF NOT EXISTS ops;

CREATE TABLE IF NOT EXISTS ops.log_offset (
  consumer_group text PRIMARY KEY,
  checkpoint     text NOT NULL,
  updated_at     timestamptz NOT NULL DEFAULT now()
);
