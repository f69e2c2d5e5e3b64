-- The position of each mailbox, and its last error for the owner. Operational: a lost position is found again by date, and the
-- deduplication window recognises the mails.

CREATE SCHEMA IF NOT EXISTS ops;

CREATE TABLE IF NOT EXISTS ops.mailbox (
  mail_account_id bigint PRIMARY KEY,
  -- That of the mail account when the position was stored. With another one, it is another mailbox.
  since           timestamptz,
  uid_validity    text,
  -- The highest UID whose mail is stored.
  uid             bigint,
  last_error      text,
  last_message_at timestamptz
);
