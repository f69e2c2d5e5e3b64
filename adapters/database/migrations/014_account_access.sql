-- The addresses from which accounts log in, and when their scoped keys were last used. Operational.

CREATE SCHEMA IF NOT EXISTS ops;

CREATE TABLE IF NOT EXISTS ops.login_place (
  -- A keyed hash of the account's email and an address. Neither can be derived from it without the installation's secret.
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
