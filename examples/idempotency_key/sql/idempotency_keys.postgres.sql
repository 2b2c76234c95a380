-- idemsql: idempotency_keys, idempotency_key, postgres, from ../keys.yaml
-- Do not edit; render again in this directory with: idemsql render ../keys.yaml --dialect postgres --out .
-- Needs a unique index on idempotency_keys (scope, idempotency_key).

-- name: claim
-- Inserts the key when it is not there; a row that is there stays as it is.
-- In a transaction of its own, before `take_over` and `replay`; `claim_id` is new for every request.
-- Parameters: $1 scope, $2 idempotency_key, $3 fingerprint, $4 claim_id.
INSERT INTO idempotency_keys AS t (
  scope,
  idempotency_key,
  fingerprint,
  claim_id,
  claimed_at
)
VALUES
  ($1, $2, $3, $4, CURRENT_TIMESTAMP)
ON CONFLICT (scope, idempotency_key) DO NOTHING;

-- name: take_over
-- Takes over a claim whose lease is over, and a key whose retention is over.
-- Changes one row when the claim is now that of this request, and none otherwise.
-- Parameters: $1 fingerprint, $2 claim_id, $3 scope, $4 idempotency_key.
UPDATE idempotency_keys SET
  fingerprint = $1,
  claim_id = $2,
  claimed_at = CURRENT_TIMESTAMP,
  completed_at = NULL,
  response_status = NULL,
  response_body = NULL
WHERE scope = $3
  AND idempotency_key = $4
  AND ((completed_at IS NULL AND fingerprint = $1 AND claimed_at <= CURRENT_TIMESTAMP - INTERVAL '2 seconds') OR claimed_at <= CURRENT_TIMESTAMP - INTERVAL '24 hours');

-- name: replay
-- What stands behind the key, in `outcome`: `claimed`: do the work; `completed`: send the answer that is stored;
-- `in_progress`: another request is at work; `conflict`: the key came with another request.
-- Parameters: $1 claim_id, $2 fingerprint, $3 scope, $4 idempotency_key.
SELECT
  CASE WHEN claim_id = $1 AND completed_at IS NULL THEN 'claimed' WHEN fingerprint <> $2 THEN 'conflict' WHEN completed_at IS NULL THEN 'in_progress' ELSE 'completed' END AS outcome,
  response_status,
  response_body
FROM idempotency_keys
WHERE scope = $3
  AND idempotency_key = $4;

-- name: complete
-- Stores the answer, in the transaction of the work.
-- When it changes no row, the claim was taken over: roll the work back, and ask `replay`.
-- Parameters: $1 response_status, $2 response_body, $3 scope, $4 idempotency_key, $5 claim_id.
UPDATE idempotency_keys SET
  completed_at = CURRENT_TIMESTAMP,
  response_status = $1,
  response_body = $2
WHERE scope = $3
  AND idempotency_key = $4
  AND claim_id = $5
  AND completed_at IS NULL;

-- name: fail
-- Gives the claim back, after work that failed and left nothing behind: the next request does it anew.
-- Parameters: $1 scope, $2 idempotency_key, $3 claim_id.
DELETE FROM idempotency_keys
WHERE scope = $1
  AND idempotency_key = $2
  AND claim_id = $3
  AND completed_at IS NULL;

-- name: expire
-- Forgets one key before its time, unless somebody works on it.
-- Parameters: $1 scope, $2 idempotency_key.
DELETE FROM idempotency_keys
WHERE scope = $1
  AND idempotency_key = $2
  AND (completed_at IS NOT NULL OR claimed_at <= CURRENT_TIMESTAMP - INTERVAL '2 seconds');

-- name: purge
-- Forgets the keys whose retention is over.
DELETE FROM idempotency_keys
WHERE claimed_at <= CURRENT_TIMESTAMP - INTERVAL '24 hours';
