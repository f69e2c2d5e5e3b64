-- What processes folded from long streams, so that another one need not read them from the start. Operational: what is lost, or was written by
-- another version of a fold, is read from the events. Rows end with their account.

CREATE TABLE IF NOT EXISTS ops.snapshot (
  user_id    bigint NOT NULL,
  -- Of the fold: `account`, `book VCB`.
  name       text NOT NULL,
  -- The version of the fold that wrote it.
  format     text NOT NULL,
  -- The process that wrote it.
  writer     uuid NOT NULL,
  -- The last event in it. If it is not in the stream any more, the snapshot is of another past.
  revision   integer NOT NULL,
  event_id   uuid NOT NULL,
  state      bytea NOT NULL,
  -- Its parts, in their order.
  parts      uuid[] NOT NULL,
  written_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (user_id, name)
);

-- The parts of a large state. A part never changes: a newer snapshot has the same part, or another one instead of it.
CREATE TABLE IF NOT EXISTS ops.snapshot_part (
  user_id    bigint NOT NULL,
  name       text NOT NULL,
  id         uuid NOT NULL,
  data       bytea NOT NULL,
  written_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (user_id, name, id)
);

-- Numbers that hardly compress.
ALTER TABLE ops.snapshot_part ALTER COLUMN data SET STORAGE EXTERNAL;
