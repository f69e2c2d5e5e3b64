-- Finds alerts that last, however many have ended. New tables are created with this index (`projections/alert/projection.ts`).

DO $$
BEGIN
  IF to_regclass('read_model.alert') IS NOT NULL THEN
    CREATE INDEX IF NOT EXISTS alert_kind_user_id_idx ON read_model.alert (kind, user_id) WHERE until IS NULL;
  END IF;
END $$;
