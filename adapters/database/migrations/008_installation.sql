-- Which installation's read models and operational tables these are, and where its events are: by this a start sees that its
-- settings name another one's store or database. Losing it means that the next start is believed.

CREATE SCHEMA IF NOT EXISTS ops;

CREATE TABLE IF NOT EXISTS ops.installation (
  only_row        boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  installation_id uuid NOT NULL,
  -- 'postgres' or 'eventstoredb'
  event_store     text NOT NULL
);
