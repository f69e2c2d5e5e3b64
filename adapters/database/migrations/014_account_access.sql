-- What is known of how accounts are used: from where they log in, and when their scoped keys were used last. Operational.

CREATE SCHEMA IF NOT EXISTS ops;

CREATE TABLE IF NOT EXISTS ops.login_place (
  -- Of the account's e-mail and an address, keyed with the installation's secret: neither can be read from it.
  place   text PRIMARY KEY,
  user_id bigint NOT NULL,
  at      timestamptz NOT NULL
);

CREATE INDEX IF NOT EXISTS login_place_newest ON ops.login_place (user_id, at);

CREATE TABLE IF NOT EXISTS ops.api_key_use (
  user_id      bigint NOT NULL,
  api_key_id   bigint NOT NULL,
  last_used_at timestamptz NOT NULL,
  PRIMARY KEY (user_id, api_key_id)
);
