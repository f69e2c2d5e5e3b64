-- Links that sign in once, by the hash of their token.

CREATE TABLE IF NOT EXISTS ops.sign_in_link (
  token_hash    text PRIMARY KEY,
  user_id       bigint NOT NULL,
  -- A later version of the account's tokens, such as a new password brings, voids the link.
  token_version integer NOT NULL,
  expires_at    timestamptz NOT NULL
);
