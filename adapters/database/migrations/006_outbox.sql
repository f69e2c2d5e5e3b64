-- Outgoing mails. Without a mail server they stay here for the operator to read. Operational: if it is lost, unsent mails are
-- lost, and their readers request them again.

CREATE SCHEMA IF NOT EXISTS ops;

CREATE TABLE IF NOT EXISTS ops.outbox (
  id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- Names the reason of the mail. A second mail with the same key is not added.
  key        text UNIQUE,
  recipient  text NOT NULL,
  subject    text NOT NULL,
  -- Emptied when the mail is sent, because it may contain a link that gives access to an account.
  body       text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  tries      integer NOT NULL DEFAULT 0,
  -- The time of the next attempt; infinity after a permanent refusal by the mail server.
  due_at     timestamptz NOT NULL DEFAULT now(),
  sent_at    timestamptz
);

CREATE INDEX IF NOT EXISTS outbox_due ON ops.outbox (due_at) WHERE sent_at IS NULL;
CREATE INDEX IF NOT EXISTS outbox_age ON ops.outbox (created_at);
