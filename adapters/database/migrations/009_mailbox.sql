-- How far each mailbox was collected, and what its owner is told of it. Operational: what is lost is found again by date, and
-- the book knows the mails.

CREATE SCHEMA IF NOT EXISTS ops;

CREATE TABLE IF NOT EXISTS ops.mailbox (
  mail_account_id bigint PRIMARY KEY,
  -- Of the mail account when the place was kept: with another it is another mailbox.
  since           timestamptz,
  uid_validity    text,
  -- The highest UID whose mail is stored.
  uid             bigint,
  last_error      text,
  last_message_at timestamptz
);
