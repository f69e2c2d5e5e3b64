-- Events that wait for a reactor: it needs an event that cannot be read, or failed because of the data. Operational: if the table is
-- lost together with the reactors' checkpoint, the reactors read the store from its first event.

CREATE TABLE IF NOT EXISTS ops.put_off_reaction (
  reactor  text NOT NULL,
  stream   text NOT NULL,
  revision bigint NOT NULL,
  -- Why it waits, for the operator.
  reason   text NOT NULL,
  since    timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (reactor, stream, revision)
);
