-- idemsql: idempotency_keys, idempotency_key, postgres, from ../keys.yaml
-- Do not edit; render again in this directory with: idemsql render ../keys.yaml --dialect postgres --form ddl --out .

CREATE TABLE IF NOT EXISTS idempotency_keys (
  scope varchar(128) NOT NULL,
  idempotency_key varchar(255) NOT NULL,
  fingerprint varchar(128) NOT NULL,
  claim_id varchar(64) NOT NULL,
  claimed_at timestamptz NOT NULL,
  completed_at timestamptz,
  response_status integer,
  response_body text
);

CREATE UNIQUE INDEX IF NOT EXISTS idempotency_keys_scope_idempotency_key_key ON idempotency_keys (scope, idempotency_key);

COMMENT ON TABLE idempotency_keys IS 'One row per request that carried an idempotency key';

COMMENT ON COLUMN idempotency_keys.scope IS 'The tenant and route that the key belongs to';

COMMENT ON COLUMN idempotency_keys.idempotency_key IS 'What the client sent';

COMMENT ON COLUMN idempotency_keys.fingerprint IS 'A hash of the request';

COMMENT ON COLUMN idempotency_keys.claim_id IS 'Who works on the request';

COMMENT ON COLUMN idempotency_keys.claimed_at IS 'When the work began';

COMMENT ON COLUMN idempotency_keys.completed_at IS 'When the answer was stored; null until then';

COMMENT ON COLUMN idempotency_keys.response_status IS 'The status of the answer';

COMMENT ON COLUMN idempotency_keys.response_body IS 'The body of the answer';
