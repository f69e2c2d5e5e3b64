-- The state of endpoints, and the pace of limited rules. Operational: if it is lost, some calls go to endpoints that are down.

-- One row per user and endpoint that failed recently or asked to wait. All delivery workers share it.
CREATE TABLE IF NOT EXISTS ops.endpoint (
  user_id    bigint NOT NULL,
  -- Scheme, host and port: `https://shop.vn:443`.
  endpoint   text NOT NULL,
  -- Failures in a row, and up to three of the deliveries that failed.
  failures   integer NOT NULL DEFAULT 0,
  failing    text[] NOT NULL DEFAULT '{}',
  -- Open: only probes, manual retries and last attempts are made.
  opened_at  timestamptz,
  probe_at   timestamptz,
  closed_at  timestamptz,
  -- The endpoint asked not to be called before this time.
  not_before timestamptz,
  PRIMARY KEY (user_id, endpoint)
);

-- One row per limited rule: the time of its next call if its calls are spread evenly.
CREATE TABLE IF NOT EXISTS ops.pace (
  rule_id bigint PRIMARY KEY,
  free_at timestamptz NOT NULL DEFAULT now(),
  -- The number of calls that its last claim was allowed.
  granted integer NOT NULL DEFAULT 0
);
