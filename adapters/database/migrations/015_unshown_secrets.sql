-- The secrets of the first account, sealed, until a start has printed them.

CREATE TABLE IF NOT EXISTS ops.unshown_secrets (
  id     bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  sealed text NOT NULL
);
