-- Times in which no worker delivered webhooks: nothing ran, or the machine was suspended. Schedules of retries leave them out.

CREATE TABLE IF NOT EXISTS ops.delivery_gap (
  began_at timestamptz PRIMARY KEY,
  ended_at timestamptz NOT NULL
);
