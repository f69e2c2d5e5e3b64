-- The settings of a session that the store needs, whatever the defaults of the server, the database and the role are.

-- A write to the store waits for the disk before the answer. The SET clause of a function ends before the commit, so it
-- cannot do this; a setting of the transaction can. An operator may ask for more than `on`, such as waiting for a replica.
CREATE OR REPLACE FUNCTION store.wait_for_disk() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  IF current_setting('synchronous_commit') = 'off' THEN
    PERFORM set_config('synchronous_commit', 'on', true);
  END IF;
  RETURN NULL;
END
$$;

CREATE OR REPLACE TRIGGER wait_for_disk BEFORE INSERT OR UPDATE OR DELETE ON store.event
  FOR EACH STATEMENT EXECUTE FUNCTION store.wait_for_disk();
CREATE OR REPLACE TRIGGER wait_for_disk BEFORE INSERT OR UPDATE OR DELETE ON store.retention
  FOR EACH STATEMENT EXECUTE FUNCTION store.wait_for_disk();

-- A plan that may not use sequential scans and still needs one, on a table without an index for it, counts as extremely
-- expensive (until version 17). With jit on, which is the default, the server would compile it at every call.
ALTER FUNCTION store.append(text, text, text, text, text, text, text, text) SET jit = off;
ALTER FUNCTION store.append_one_by_one(json) SET jit = off;
ALTER FUNCTION store.read(text, text, text) SET jit = off;
ALTER FUNCTION store.page(bigint, bigint, integer, bigint, text[]) SET jit = off;
ALTER FUNCTION store.expired(integer) SET jit = off;
ALTER FUNCTION store.expire(bigint[]) SET jit = off;
ALTER FUNCTION store.erase(text) SET jit = off;
