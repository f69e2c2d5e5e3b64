-- Where the last `baoco audit` ended, so that `baoco audit --since-last` continues there: the position of an event that is kept permanently.
-- `whole_at`: when the last audit of everything ended. `event_faults`: the faults that this one and all audits since have found in events.

ALTER TABLE ops.audit ADD COLUMN IF NOT EXISTS whole_at timestamptz;
ALTER TABLE ops.audit ADD COLUMN IF NOT EXISTS event_faults bigint NOT NULL DEFAULT 0;
ALTER TABLE ops.audit ADD COLUMN IF NOT EXISTS checkpoint text;
ALTER TABLE ops.audit ADD COLUMN IF NOT EXISTS event_id uuid;
ALTER TABLE ops.audit ADD COLUMN IF NOT EXISTS stream text;
ALTER TABLE ops.audit ADD COLUMN IF NOT EXISTS revision bigint;
