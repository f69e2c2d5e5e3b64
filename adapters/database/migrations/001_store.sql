-- The event store. This schema contains all primary data and follows the rules of the event store port.
--
-- Positions have no gaps, not even for a reader during a write: every writer first locks the one row of `head` and holds it
-- until its commit. So a reader that sees a position sees every event up to it. Every write is one function call outside BEGIN,
-- so the lock lasts only as long as a statement runs, and a client that freezes holds nothing.
--
-- The row is locked, not changed: the newest position is that of the last event. A counter that every commit changes would leave
-- one dead row per commit. While a long transaction, such as a backup, prevents their removal, every append would have to skip
-- all of them.
--
-- The functions switch sequential scans off. Their plans are cached while the tables are still empty, and such a plan would
-- read the whole table for the first minutes of a burst, until the statistics are up to date.

CREATE SCHEMA IF NOT EXISTS store;

CREATE TABLE IF NOT EXISTS store.head (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  -- Positions up to this one were assigned. It matters only if the newest events have expired: otherwise the last event has a higher one.
  given_up_to bigint NOT NULL
);
INSERT INTO store.head (given_up_to) VALUES (0) ON CONFLICT DO NOTHING;

CREATE TABLE IF NOT EXISTS store.event (
  position   bigint PRIMARY KEY,
  created_at timestamptz NOT NULL,
  id         uuid NOT NULL,
  revision   integer NOT NULL,
  stream     text COLLATE "C" NOT NULL,
  type       text NOT NULL,
  data       text NOT NULL,
  metadata   text NOT NULL,
  UNIQUE (stream, revision)
);

-- Streams with this prefix hide events older than the age.
CREATE TABLE IF NOT EXISTS store.retention (
  prefix  text COLLATE "C" PRIMARY KEY,
  max_age interval NOT NULL
);

-- The last revision of each stream whose events have all expired. Its numbering continues.
CREATE TABLE IF NOT EXISTS store.expired_stream (
  stream   text COLLATE "C" PRIMARY KEY,
  revision integer NOT NULL
);

-- The newest position; 0 in an empty store. A writer calls it in a statement after the one that locks the head.
CREATE OR REPLACE FUNCTION store.newest() RETURNS bigint
LANGUAGE sql STABLE AS $$
  SELECT greatest((SELECT given_up_to FROM store.head), (SELECT max(position) FROM store.event))
$$;

-- The revision of a stream's last event, even if that event has expired; -1 if the stream never had one.
CREATE OR REPLACE FUNCTION store.revision_of(wanted text) RETURNS integer
LANGUAGE sql STABLE AS $$
  SELECT coalesce(
    (SELECT revision FROM store.event WHERE stream = wanted ORDER BY revision DESC LIMIT 1),
    (SELECT revision FROM store.expired_stream WHERE stream = wanted),
    -1)
$$;

-- The time before which the events of a stream are hidden; null if its events are kept.
CREATE OR REPLACE FUNCTION store.hidden_before(wanted text) RETURNS timestamptz
LANGUAGE sql STABLE AS $$
  SELECT now() - min(max_age) FROM store.retention WHERE starts_with(wanted, prefix)
$$;

-- Appends a whole group at once. Each column is one text with one value per line: no JSON text, name or id contains a line break, so
-- nothing needs to be escaped or parsed. `streams` and `expected` have one line per stream, the others one line per event.
-- Returns the position before the group's first event, or null if an expected revision does not match. Then nothing was written.
CREATE OR REPLACE FUNCTION store.append(
  streams text, expected text,
  event_streams text, revisions text, ids text, types text, payloads text, metadatas text
) RETURNS bigint
LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
  before bigint;
  added  bigint;
  moment timestamptz;
BEGIN
  PERFORM FROM store.head FOR UPDATE;
  SELECT greatest((SELECT given_up_to FROM store.head), (SELECT max(position) FROM store.event)) INTO before;
  PERFORM FROM unnest(string_to_array(streams, E'\n'), string_to_array(expected, E'\n')::integer[]) AS s (stream, revision)
    WHERE s.revision <> coalesce(
      (SELECT e.revision FROM store.event e WHERE e.stream = s.stream ORDER BY e.revision DESC LIMIT 1),
      (SELECT x.revision FROM store.expired_stream x WHERE x.stream = s.stream),
      -1)
    LIMIT 1;
  IF FOUND THEN
    RETURN NULL;
  END IF;
  moment := clock_timestamp();
  INSERT INTO store.event (position, created_at, id, revision, stream, type, data, metadata)
    SELECT before + n, moment, id, revision, stream, type, data, metadata
    FROM unnest(
      string_to_array(event_streams, E'\n'), string_to_array(revisions, E'\n')::integer[],
      string_to_array(ids, E'\n')::uuid[], string_to_array(types, E'\n'),
      string_to_array(payloads, E'\n'), string_to_array(metadatas, E'\n')
    ) WITH ORDINALITY AS e (stream, revision, id, type, data, metadata, n);
  GET DIAGNOSTICS added = ROW_COUNT;
  PERFORM pg_notify('baoco_store', (before + added)::text);
  RETURN before;
END
$$;

-- The position of the last of these events if the stream has all of them, with these ids, directly after `expected`; otherwise null.
CREATE OR REPLACE FUNCTION store.standing(wanted text, expected integer, events json) RETURNS bigint
LANGUAGE sql STABLE AS $$
  SELECT CASE WHEN count(*) = count(stored.position) THEN max(stored.position) END
  FROM ROWS FROM (json_to_recordset(events) AS (id uuid)) WITH ORDINALITY AS e (id, n)
    LEFT JOIN store.event stored ON stored.stream = wanted AND stored.revision = expected + e.n AND stored.id = e.id
$$;

-- Appends a group in which something does not match: unit by unit, in the given order. `calls` is
-- [[[{stream, expected, events: [{id, type, data, metadata}]}]]]: calls of units of streams, with data and metadata as JSON text in
-- a string. Returns [[{position} | {stream, revision}]] in the same order.
--
-- A unit that does not match is still a success if the stream already has the same event ids at these revisions: it was sent before,
-- and the answer was lost. If an earlier unit of the same call failed on a stream, later units on it fail too, even if their
-- revision would match: they were decided on events that do not exist.
CREATE OR REPLACE FUNCTION store.append_one_by_one(calls json) RETURNS json
LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
  before   bigint;
  place    bigint;
  moment   timestamptz;
  calling  json;
  unit     json;
  part     record;
  failed   text[];
  planned  jsonb;    -- revisions of this unit's streams as its own parts raise them
  fitting  integer[];
  present  integer;
  stood    bigint;
  reached  bigint;
  conflict json;
  answers  json[] := '{}';
  answer   json[];
BEGIN
  PERFORM FROM store.head FOR UPDATE;
  before := store.newest();
  place := before;
  moment := clock_timestamp();
  FOR calling IN SELECT value FROM json_array_elements(calls) LOOP
    failed := '{}';
    answer := '{}';
    FOR unit IN SELECT value FROM json_array_elements(calling) LOOP
      planned := '{}';
      fitting := '{}';
      conflict := NULL;
      reached := 0;
      FOR part IN
        SELECT * FROM ROWS FROM (json_to_recordset(unit) AS (stream text, expected integer, events json))
          WITH ORDINALITY AS p (stream, expected, events, n)
      LOOP
        present := coalesce((planned ->> part.stream)::integer, store.revision_of(part.stream));
        IF present = part.expected AND part.stream <> ALL (failed) THEN
          planned := planned || jsonb_build_object(part.stream, part.expected + json_array_length(part.events));
          fitting := fitting || part.n::integer;
          CONTINUE;
        END IF;
        stood := store.standing(part.stream, part.expected, part.events);
        IF stood IS NULL THEN
          conflict := json_build_object('stream', part.stream, 'revision', store.revision_of(part.stream));
          EXIT;
        END IF;
        reached := greatest(reached, stood);
      END LOOP;
      IF conflict IS NOT NULL THEN
        failed := failed || ARRAY(SELECT stream FROM json_to_recordset(unit) AS (stream text));
        answer := answer || conflict;
        CONTINUE;
      END IF;
      INSERT INTO store.event (position, created_at, id, revision, stream, type, data, metadata)
        SELECT place + row_number() OVER (ORDER BY p.n, e.n), moment, e.id, p.expected + e.n, p.stream, e.type, e.data, e.metadata
        FROM ROWS FROM (json_to_recordset(unit) AS (stream text, expected integer, events json))
            WITH ORDINALITY AS p (stream, expected, events, n),
          ROWS FROM (json_to_recordset(p.events) AS (id uuid, type text, data text, metadata text))
            WITH ORDINALITY AS e (id, type, data, metadata, n)
        WHERE p.n = ANY (fitting);
      IF FOUND THEN
        SELECT place + sum(json_array_length(p.events)) INTO place
          FROM ROWS FROM (json_to_recordset(unit) AS (events json)) WITH ORDINALITY AS p (events, n)
          WHERE p.n = ANY (fitting);
        reached := place;
      END IF;
      answer := answer || json_build_object('position', reached);
    END LOOP;
    answers := answers || array_to_json(answer);
  END LOOP;
  IF place > before THEN
    PERFORM pg_notify('baoco_store', place::text);
  END IF;
  RETURN array_to_json(answers);
END
$$;

-- Reads slices of streams in one round trip, one line per slice. A dash in `starts` means backwards from the newest event; a dash in
-- `limits` means all events.
CREATE OR REPLACE FUNCTION store.read(streams text, starts text, limits text)
RETURNS TABLE (slice bigint, "position" text, id uuid, revision integer, type text, data text, metadata text)
LANGUAGE plpgsql STABLE SET enable_seqscan = off AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
    SELECT s.n - 1, e.position::text, e.id, e.revision, e.type, e.data, e.metadata
    FROM unnest(
        string_to_array(streams, E'\n'), string_to_array(starts, E'\n', '-')::integer[],
        string_to_array(limits, E'\n', '-')::integer[]
      ) WITH ORDINALITY AS s (stream, start, most, n)
      CROSS JOIN LATERAL (SELECT coalesce(store.hidden_before(s.stream), '-infinity') AS since OFFSET 0) h
      CROSS JOIN LATERAL (
        (SELECT * FROM store.event f
          WHERE s.start IS NOT NULL AND f.stream = s.stream AND f.revision >= s.start AND f.created_at >= h.since
          ORDER BY f.revision LIMIT s.most)
        UNION ALL
        (SELECT * FROM store.event b
          WHERE s.start IS NULL AND b.stream = s.stream AND b.created_at >= h.since
          ORDER BY b.revision DESC LIMIT s.most)
      ) e;
END
$$;

-- Reads a page of all events after a position, in order: of streams with one of the prefixes (null: all), among the next `span`
-- positions, up to a number of events and of bytes. The first event may exceed the bytes. The row without an id has the newest
-- position in the same snapshot.
CREATE OR REPLACE FUNCTION store.page(after bigint, span bigint, most integer, most_bytes bigint, prefixes text[])
RETURNS TABLE ("position" bigint, id uuid, revision integer, stream text, type text, data text, metadata text)
LANGUAGE plpgsql STABLE SET enable_seqscan = off AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY SELECT store.newest(), NULL::uuid, NULL::integer, NULL::text, NULL::text, NULL::text, NULL::text;
  RETURN QUERY
    SELECT p.position, p.id, p.revision, p.stream, p.type, p.data, p.metadata
    FROM (
      SELECT e.*, sum(octet_length(e.data)) OVER (ORDER BY e.position ROWS UNBOUNDED PRECEDING) AS bytes
      FROM (
        SELECT * FROM store.event x
        WHERE x.position > after AND x.position <= after + span AND (prefixes IS NULL OR x.stream ^@ ANY (prefixes))
        ORDER BY x.position LIMIT most
      ) e
    ) p
    WHERE p.bytes - octet_length(p.data) < most_bytes
    ORDER BY p.position;
END
$$;

-- The positions of events that are older than the age of their stream, up to a number of them.
CREATE OR REPLACE FUNCTION store.expired(most integer) RETURNS SETOF bigint
LANGUAGE sql STABLE SET enable_seqscan = off AS $$
  SELECT e.position FROM store.retention r
    JOIN store.event e ON e.stream >= r.prefix AND e.stream < r.prefix || chr(1114111) AND e.created_at < now() - r.max_age
    LIMIT most
$$;

-- Removes expired events and stores the last revision of their streams. Returns the number of events removed.
CREATE OR REPLACE FUNCTION store.expire(positions bigint[]) RETURNS bigint
LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
  removed bigint;
BEGIN
  PERFORM FROM store.head FOR UPDATE;
  UPDATE store.head SET given_up_to = store.newest();
  WITH gone AS (
    DELETE FROM store.event WHERE position = ANY (positions) RETURNING stream, revision
  ), remembered AS (
    INSERT INTO store.expired_stream AS x (stream, revision) SELECT stream, max(revision) FROM gone GROUP BY stream
    ON CONFLICT (stream) DO UPDATE SET revision = greatest(x.revision, excluded.revision)
  )
  SELECT count(*) INTO removed FROM gone;
  RETURN removed;
END
$$;

-- Removes every event of a stream except the last one.
CREATE OR REPLACE FUNCTION store.erase(wanted text) RETURNS void
LANGUAGE sql SET enable_seqscan = off AS $$
  DELETE FROM store.event WHERE stream = wanted AND revision < store.revision_of(wanted)
$$;
