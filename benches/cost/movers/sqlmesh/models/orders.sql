MODEL (
  name sm.orders,
  kind INCREMENTAL_BY_UNIQUE_KEY (unique_key order_id),
  cron '*/5 * * * *',
  start '2025-11-01'
);

SELECT
  order_id::BIGINT,
  shop::VARCHAR(12),
  coupon::VARCHAR(12),
  amount::DECIMAL(12, 2),
  quantity::INT,
  note::VARCHAR(80),
  updated_at::TIMESTAMPTZ
FROM raw.orders
