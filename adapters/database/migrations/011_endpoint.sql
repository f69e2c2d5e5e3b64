-- How endpoints fare, and how fast rules may call. Operational: losing it costs some calls to endpoints that are down.

-- A row per user and server that failed lately or asked us to wait; shared by all delivery workers.
CREATE TABLE IF NOT EXISTS ops.endpoint (
  user_id    bigint NOT NULL,
  -- Scheme, host and port: `https://shop.vn:443`.
  endpoint   text NOT NULL,
  -- Failures in a row, and up to three of the deliveries that failed.
  failures   integer NOT NULL DEFAULT 0,
  failing    text[] NOT NULL DEFAULT '{}',
  -- Open: only probes, retries by hand and last attempts are made.
  opened_at  timestamptz,
  probe_at   timestamptz,
  closed_at  timestamptz,
  -- It asked to be left alone until then.
  not_before timestamptz,
  PRIMARY KEY (user_id, endpoint)
);

-- A row per rule with a limit: when its next call would be in time, were they spread evenly.
CREATE TABLE IF NOT EXISTS ops.pace (
  rule_id bigint PRIMARY KEY,
  free_at timestamptz NOT NULL DEFAULT now(),
  -- What its last claim was allowed.
  granted integer NOT NULL DEFAULT 0
);
