-- idemsql: idempotency_keys, idempotency_key, sqlite, from ../keys.yaml
-- Do not edit; render again in this directory with: idemsql render ../keys.yaml --dialect sqlite --out .
-- Needs a unique index on idempotency_keys (scope, idempotency_key).

-- name: claim
-- Inserts the key when it is not there; a row that is there stays as it is.
-- In a transaction of its own, before `take_over` and `replay`; `claim_id` is new for every request.
-- Parameters: scope, idempotency_key, fingerprint, claim_id.
INSERT INTO idempotency_keys AS t (
  scope,
  idempotency_key,
  fingerprint,
  claim_id,
  claimed_at
)
VALUES
  (?, ?, ?, ?, CURRENT_TIMESTAMP)
ON CONFLICT (scope, idempotency_key) DO NOTHING;

-- name: take_over
-- Takes over a claim whose lease is over, and a key whose retention is over.
-- Changes one row when the claim is now that of this request, and none otherwise.
-- Parameters: fingerprint, claim_id, scope, idempotency_key, fingerprint.
UPDATE idempotency_keys SET
  fingerprint = ?,
  claim_id = ?,
  claimed_at = CURRENT_TIMESTAMP,
  completed_at = NULL,
  response_status = NULL,
  response_body = NULL
WHERE scope = ?
  AND idempotency_key = ?
  AND ((completed_at IS NULL AND fingerprint = ? AND claimed_at <= datetime(substr(CURRENT_TIMESTAMP, 1, 19), '-2 seconds')) OR claimed_at <= datetime(substr(CURRENT_TIMESTAMP, 1, 19), '-1 day'));

-- name: replay
-- What stands behind the key, in `outcome`: `claimed`: do the work; `completed`: send the answer that is stored;
-- `in_progress`: another request is at work; `conflict`: the key came with another request.
-- Parameters: claim_id, fingerprint, scope, idempotency_key.
SELECT
  CASE WHEN claim_id = ? AND completed_at IS NULL THEN 'claimed' WHEN fingerprint <> ? THEN 'conflict' WHEN completed_at IS NULL THEN 'in_progress' ELSE 'completed' END AS outcome,
  response_status,
  response_body
FROM idempotency_keys
WHERE scope = ?
  AND idempotency_key = ?;

-- name: complete
-- Stores the answer, in the transaction of the work.
-- When it changes no row, the claim was taken over: roll the work back, and ask `replay`.
-- Parameters: response_status, response_body, scope, idempotency_key, claim_id.
UPDATE idempotency_keys SET
  completed_at = CURRENT_TIMESTAMP,
  response_status = ?,
  response_body = ?
WHERE scope = ?
  AND idempotency_key = ?
  AND claim_id = ?
  AND completed_at IS NULL;

-- name: fail
-- Gives the claim back, after work that failed and left nothing behind: the next request does it anew.
-- Parameters: scope, idempotency_key, claim_id.
DELETE FROM idempotency_keys
WHERE scope = ?
  AND idempotency_key = ?
  AND claim_id = ?
  AND completed_at IS NULL;

-- name: expire
-- Forgets one key before its time, unless somebody works on it.
-- Parameters: scope, idempotency_key.
DELETE FROM idempotency_keys
WHERE scope = ?
  AND idempotency_key = ?
  AND (completed_at IS NOT NULL OR claimed_at <= datetime(substr(CURRENT_TIMESTAMP, 1, 19), '-2 seconds'));

-- name: purge
-- Forgets the keys whose retention is over.
DELETE FROM idempotency_keys
WHERE claimed_at <= datetime(substr(CURRENT_TIMESTAMP, 1, 19), '-1 day');
