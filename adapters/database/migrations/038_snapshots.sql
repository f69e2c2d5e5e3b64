-- Snapshots of long streams, so that a process need not read them from the start. Operational: a snapshot that is lost, or was written by
-- another version of the fold, is replaced by a read of the events. Rows are deleted with their account.

CREATE TABLE IF NOT EXISTS ops.snapshot (
  user_id    bigint NOT NULL,
  -- The name of the fold: `account`, or `book VCB` for the deduplication window of a bank.
  name       text NOT NULL,
  -- The version of the fold that wrote it.
  format     text NOT NULL,
  -- The process that wrote it.
  writer     uuid NOT NULL,
  -- The last event in it. If the stream does not have it, the snapshot is void.
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

-- Finds the open alerts of one user, however many have ended. New tables are created with this index (`projections/alert/projection.ts`).
DO $$
BEGIN
  IF to_regclass('read_model.alert') IS NOT NULL THEN
    CREATE INDEX IF NOT EXISTS alert_user_id_until_idx ON read_model.alert (user_id, until);
  END IF;
END $$;

-- Up to this position, no event of a stream with this prefix is left.
ALTER TABLE store.retention ADD COLUMN IF NOT EXISTS swept_to bigint NOT NULL DEFAULT 0;

-- The positions of events that are older than the age of their stream, up to a number of them. Events are stored in the order in which they were
-- written, so the expired ones are among the first. The search begins where the first event of the prefix may be, and ends at events that are
-- too young. Ranges without any event of the prefix are not searched again. The clock may have been ahead for a while, so events from the future
-- do not end the search.
CREATE OR REPLACE FUNCTION store.expired(most integer) RETURNS SETOF bigint
LANGUAGE plpgsql SET enable_seqscan = off SET jit = off AS $$
DECLARE
  kind     record;
  here     bigint;
  piece    record;
  matching record;
  is_clear boolean;
  listed   integer := 0;
BEGIN
  FOR kind IN SELECT prefix, now() - max_age AS since, swept_to FROM store.retention LOOP
    here := kind.swept_to;
    is_clear := true;
    WHILE listed < most LOOP
      SELECT max(p.position) AS last, min(p.created_at) AS oldest INTO piece
        FROM (SELECT position, created_at FROM store.event WHERE position > here ORDER BY position LIMIT 2000) p;
      EXIT WHEN piece.last IS NULL OR piece.oldest BETWEEN kind.since AND now();
      SELECT count(*) AS every, count(*) FILTER (WHERE e.created_at < kind.since) AS old INTO matching
        FROM store.event e WHERE e.position > here AND e.position <= piece.last AND starts_with(e.stream, kind.prefix);
      IF matching.old > 0 THEN
        listed := listed + matching.old;
        RETURN QUERY SELECT e.position FROM store.event e
          WHERE e.position > here AND e.position <= piece.last AND starts_with(e.stream, kind.prefix) AND e.created_at < kind.since;
      END IF;
      is_clear := is_clear AND matching.every = 0;
      here := piece.last;
      IF is_clear THEN
        UPDATE store.retention SET swept_to = here WHERE prefix = kind.prefix;
      END IF;
    END LOOP;
  END LOOP;
END
$$;
