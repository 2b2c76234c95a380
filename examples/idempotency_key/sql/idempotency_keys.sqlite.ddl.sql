-- idemsql: idempotency_keys, idempotency_key, sqlite, from ../keys.yaml
-- Do not edit; render again in this directory with: idemsql render ../keys.yaml --dialect sqlite --form ddl --out .

CREATE TABLE IF NOT EXISTS idempotency_keys (
  scope TEXT NOT NULL,
  idempotency_key TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  claim_id TEXT NOT NULL,
  claimed_at TEXT NOT NULL,
  completed_at TEXT,
  response_status INTEGER,
  response_body TEXT
);

CREATE UNIQUE INDEX IF NOT EXISTS idempotency_keys_scope_idempotency_key_key ON idempotency_keys (scope, idempotency_key);
