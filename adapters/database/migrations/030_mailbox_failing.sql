-- Since when a mailbox cannot be read; null while it can. An alert follows if that lasts.

ALTER TABLE ops.mailbox ADD COLUMN IF NOT EXISTS failing_since timestamptz;

UPDATE ops.mailbox SET failing_since = now() WHERE last_error IS NOT NULL AND failing_since IS NULL;
