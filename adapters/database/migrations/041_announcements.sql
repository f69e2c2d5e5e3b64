-- A process that is alone on the store tells its own readers of its appends. Announcing them in the database, too, costs each commit a
-- lock, a page and a message to a connection that listens.

CREATE OR REPLACE FUNCTION store.announce(newest bigint) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  IF current_setting('baoco.announces', true) IS DISTINCT FROM 'off' THEN
    PERFORM pg_notify('baoco_store', newest::text);
  END IF;
END
$$;

-- Changes one call in each function, and keeps their settings.
DO $$
DECLARE
  change record;
  whole  text;
BEGIN
  FOR change IN
    SELECT * FROM (VALUES
      ('store.append(text, text, text, text, text, text, text, text)'::regprocedure, '(before + added)', 'before + added'),
      ('store.append_one_by_one(json)'::regprocedure, 'place', 'place')
    ) AS c (function, announced, newest)
  LOOP
    whole := replace(
      pg_get_functiondef(change.function),
      format('PERFORM pg_notify(''baoco_store'', %s::text)', change.announced),
      format('PERFORM store.announce(%s)', change.newest)
    );
    IF position('store.announce' IN whole) = 0 THEN
      RAISE EXCEPTION '% does not announce its appends as expected', change.function;
    END IF;
    EXECUTE whole;
  END LOOP;
END
$$;
