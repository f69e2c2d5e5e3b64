-- Deletions of accounts that have begun and not ended. The events name the account: this has no personal data.

CREATE TABLE IF NOT EXISTS ops.deletion (
  user_id  bigint PRIMARY KEY,
  begun_at timestamptz NOT NULL DEFAULT now()
);
