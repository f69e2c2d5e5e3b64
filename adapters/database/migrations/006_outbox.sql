-- Mails on their way out; without a mail server they stay here for the operator to read. Operational: losing it loses mails
-- that were not sent yet, which their readers ask for again.

CREATE SCHEMA IF NOT EXISTS ops;

CREATE TABLE IF NOT EXISTS ops.outbox (
  id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- What the mail is about, once: who sends it again under the same key sends nothing.
  key        text UNIQUE,
  recipient  text NOT NULL,
  subject    text NOT NULL,
  -- Empty once it was sent: it may hold a link that opens an account.
  body       text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  tries      integer NOT NULL DEFAULT 0,
  -- When it is tried next; infinity where the mail server said that it never takes it.
  due_at     timestamptz NOT NULL DEFAULT now(),
  sent_at    timestamptz
);

CREATE INDEX IF NOT EXISTS outbox_due ON ops.outbox (due_at) WHERE sent_at IS NULL;
CREATE INDEX IF NOT EXISTS outbox_age ON ops.outbox (created_at);
