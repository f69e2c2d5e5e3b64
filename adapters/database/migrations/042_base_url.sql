-- The public address of the process that last served the API. Commands that print a URL use it if BASE_URL is not set for them.

ALTER TABLE ops.installation ADD COLUMN IF NOT EXISTS base_url text;
