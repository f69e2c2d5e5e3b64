-- The recent calls to inboxes. Operational: if it is lost, only calls that were already shown are lost.

CREATE TABLE IF NOT EXISTS ops.inbox_call (
  id       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  user_id  bigint NOT NULL,
  inbox_id bigint NOT NULL,
  at       timestamptz NOT NULL DEFAULT now(),
  method   text NOT NULL,
  headers  json NOT NULL,
  body     text NOT NULL,
  verified boolean NOT NULL
);

CREATE INDEX IF NOT EXISTS inbox_call_newest ON ops.inbox_call (inbox_id, id);
