-- Finds what is due, whatever its rule. New tables are created with this index (`projections/delivery/projection.ts`).

DO $$
BEGIN
  IF to_regclass('read_model.delivery') IS NOT NULL THEN
    CREATE INDEX IF NOT EXISTS delivery_lane_due_at_rule_id_idx
      ON read_model.delivery (lane, due_at, rule_id) WHERE status = 'open';
  END IF;
END $$;
