-- The id of the vault key with which the installation seals. Null: no process has recorded it yet.

ALTER TABLE ops.installation ADD COLUMN IF NOT EXISTS vault_key text;
