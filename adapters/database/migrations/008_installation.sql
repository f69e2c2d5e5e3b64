-- The installation to which these read models and operational tables belong, and the store of its events. With it, a start recognises
-- that its settings name the store or database of another installation. If it is lost, the next start is trusted.

CREATE SCHEMA IF NOT EXISTS ops;

CREATE TABLE IF NOT EXISTS ops.installation (
  only_row        boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  installation_id uuid NOT NULL,
  -- 'postgres' or 'eventstoredb'
  event_store     text NOT NULL
);
