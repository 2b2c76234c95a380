--@ merge_by_source | trino
MERGE INTO orders USING staged ON orders.order_id = staged.order_id WHEN NOT MATCHED BY SOURCE THEN DELETE
--@ merge_star | trino
MERGE INTO orders USING staged ON orders.order_id = staged.order_id WHEN MATCHED THEN UPDATE SET *
--@ merge_do_nothing | trino
MERGE INTO orders USING staged ON orders.order_id = staged.order_id WHEN MATCHED THEN DO NOTHING
--@ merge_without_on | trino
MERGE INTO orders USING staged WHEN MATCHED THEN DELETE
--@ qualify | trino
SELECT order_id FROM orders QUALIFY ROW_NUMBER() OVER (PARTITION BY order_id ORDER BY amount) = 1
--@ distinct_on | trino
SELECT DISTINCT ON (order_id) order_id, amount FROM orders
--@ update_from | trino
UPDATE orders SET amount = 1 FROM staged WHERE orders.order_id = staged.order_id
--@ backticks | trino
SELECT `amount` FROM `orders`
--@ double_colon | trino
SELECT amount::int FROM orders
--@ interval_of_words | trino
SELECT created_at - INTERVAL '1 day' FROM orders
--@ interval_without_quotes | trino
SELECT created_at - INTERVAL 1 DAY FROM orders
--@ spaceship | trino
SELECT amount <=> paid FROM orders
--@ on_duplicate_key | trino
INSERT INTO orders (order_id) VALUES (7) ON DUPLICATE KEY UPDATE order_id = 7
--@ two_commas | trino
SELECT order_id, , amount FROM orders
--@ bracket_missing | trino
SELECT COALESCE(order_id, (1) FROM orders
--@ merge_do_nothing | databricks
MERGE INTO orders USING staged ON orders.order_id = staged.order_id WHEN MATCHED THEN DO NOTHING
--@ merge_without_on | databricks
MERGE INTO orders USING staged WHEN MATCHED THEN DELETE
--@ merge_branch_where | databricks
MERGE INTO orders USING staged ON orders.order_id = staged.order_id WHEN MATCHED THEN UPDATE SET amount = 1 WHERE orders.amount = 2
--@ merge_hint | databricks
MERGE INTO orders WITH (HOLDLOCK) AS t USING staged AS s ON t.order_id = s.order_id WHEN MATCHED THEN UPDATE SET amount = s.amount
--@ distinct_on | databricks
SELECT DISTINCT ON (order_id) order_id, amount FROM orders
--@ update_from | databricks
UPDATE orders SET amount = 1 FROM staged WHERE orders.order_id = staged.order_id
--@ update_join | databricks
UPDATE orders JOIN staged ON orders.order_id = staged.order_id SET amount = 1
--@ delete_using | databricks
DELETE FROM orders USING staged WHERE orders.order_id = staged.order_id
--@ square_brackets | databricks
SELECT [amount] FROM [orders]
--@ on_duplicate_key | databricks
INSERT INTO orders (order_id) VALUES (7) ON DUPLICATE KEY UPDATE order_id = 7
--@ two_commas | databricks
SELECT order_id, , amount FROM orders
--@ bracket_missing | databricks
SELECT COALESCE(order_id, (1) FROM orders
--@ merge_do_nothing | bigquery
MERGE INTO orders USING staged ON orders.order_id = staged.order_id WHEN MATCHED THEN DO NOTHING
--@ merge_star | bigquery
MERGE INTO orders USING staged ON orders.order_id = staged.order_id WHEN MATCHED THEN UPDATE SET *
--@ merge_branch_where | bigquery
MERGE INTO orders USING staged ON orders.order_id = staged.order_id WHEN MATCHED THEN UPDATE SET amount = 1 WHERE orders.amount = 2
--@ with_before_merge | bigquery
WITH batch AS (SELECT 1 AS order_id) MERGE INTO orders USING batch ON orders.order_id = batch.order_id WHEN MATCHED THEN DELETE
--@ on_duplicate_key | bigquery
INSERT INTO orders (order_id) VALUES (7) ON DUPLICATE KEY UPDATE order_id = 7
--@ insert_or_ignore | bigquery
INSERT OR IGNORE INTO orders (order_id) VALUES (7)
--@ then_return | bigquery
INSERT INTO orders (order_id) VALUES (7) THEN RETURN order_id
--@ returning | bigquery
INSERT INTO orders (order_id) VALUES (7) RETURNING order_id
--@ distinct_on | bigquery
SELECT DISTINCT ON (order_id) order_id, amount FROM orders
--@ double_colon | bigquery
SELECT amount::int FROM orders
--@ spaceship | bigquery
SELECT amount <=> paid FROM orders
--@ update_join | bigquery
UPDATE orders JOIN staged ON orders.order_id = staged.order_id SET amount = 1
--@ two_commas | bigquery
SELECT order_id, , amount FROM orders
--@ delete_without_where | bigquery
CREATE TABLE orders (order_id INT64);
--
DELETE FROM orders;
--@ unknown_column | bigquery
CREATE TABLE orders (order_id INT64);
--
SELECT amount FROM orders
--@ unknown_function | bigquery
CREATE TABLE orders (order_id INT64);
--
SELECT GETDATE() FROM orders
--@ type_of_another_product | bigquery
CREATE TABLE orders (order_id INT64);
--
SELECT CAST(order_id AS VARCHAR) FROM orders
--@ value_of_another_type | bigquery
CREATE TABLE orders (order_id INT64, created_at TIMESTAMP);
--
INSERT INTO orders (order_id, created_at) VALUES (7, CURRENT_DATE())
--@ comparison_of_types | bigquery
CREATE TABLE orders (order_id INT64, created_at TIMESTAMP);
--
SELECT order_id FROM orders WHERE created_at >= DATETIME '2024-01-01 00:00:00'
--@ values_too_few | bigquery
CREATE TABLE orders (order_id INT64, amount NUMERIC);
--
INSERT INTO orders (order_id, amount) VALUES (7)
--@ unknown_variable | bigquery
CREATE TABLE orders (order_id INT64, created_at TIMESTAMP);
--
DECLARE low TIMESTAMP DEFAULT (SELECT MAX(created_at) FROM orders);
SELECT order_id FROM orders WHERE created_at >= lower_bound;
--@ variable_of_another_type | bigquery
CREATE TABLE orders (order_id INT64, created_at TIMESTAMP);
--
DECLARE low TIMESTAMP DEFAULT (SELECT MAX(created_at) FROM orders);
SELECT order_id FROM orders WHERE order_id >= low;
--@ distinct_on | snowflake
SELECT DISTINCT ON (order_id) order_id, amount FROM orders
--@ merge_star | snowflake
MERGE INTO orders USING staged ON orders.order_id = staged.order_id WHEN MATCHED THEN UPDATE SET *
--@ merge_do_nothing | snowflake
MERGE INTO orders USING staged ON orders.order_id = staged.order_id WHEN MATCHED THEN DO NOTHING
--@ merge_branch_where | snowflake
MERGE INTO orders USING staged ON orders.order_id = staged.order_id WHEN MATCHED THEN UPDATE SET amount = 1 WHERE orders.amount = 2
--@ on_duplicate_key | snowflake
INSERT INTO orders (order_id) VALUES (7) ON DUPLICATE KEY UPDATE order_id = 7
--@ insert_or_ignore | snowflake
INSERT OR IGNORE INTO orders (order_id) VALUES (7)
--@ returning | snowflake
INSERT INTO orders (order_id) VALUES (7) RETURNING order_id
--@ backticks | snowflake
SELECT `amount` FROM `orders`
--@ spaceship | snowflake
SELECT amount <=> paid FROM orders
--@ update_join | snowflake
UPDATE orders JOIN staged ON orders.order_id = staged.order_id SET amount = 1
--@ bracket_missing | snowflake
SELECT COALESCE(order_id, (1) FROM orders
--@ merge_do_nothing | redshift
MERGE INTO orders USING staged ON orders.order_id = staged.order_id WHEN MATCHED THEN DO NOTHING WHEN NOT MATCHED THEN INSERT VALUES (1)
--@ merge_branch_where | redshift
MERGE INTO orders USING staged ON orders.order_id = staged.order_id WHEN MATCHED THEN UPDATE SET amount = 1 WHERE orders.amount = 2 WHEN NOT MATCHED THEN INSERT VALUES (1)
--@ distinct_on | redshift
SELECT DISTINCT ON (order_id) order_id, amount FROM orders
--@ insert_ignore | redshift
INSERT IGNORE INTO orders (order_id) VALUES (7)
--@ returning | redshift
INSERT INTO orders (order_id) VALUES (7) RETURNING order_id
--@ update_join | redshift
UPDATE orders JOIN staged ON orders.order_id = staged.order_id SET amount = 1
--@ backticks | redshift
SELECT `amount` FROM `orders`
--@ square_brackets | redshift
SELECT [amount] FROM [orders]
--@ two_commas | redshift
SELECT order_id, , amount FROM orders
--@ bracket_missing | redshift
SELECT COALESCE(order_id, (1) FROM orders
--@ merge_two_matched | oracle
MERGE INTO orders t USING staged s ON (t.order_id = s.order_id) WHEN MATCHED THEN UPDATE SET amount = 1 WHEN MATCHED THEN UPDATE SET amount = 2
--@ merge_delete_alone | oracle
MERGE INTO orders t USING staged s ON (t.order_id = s.order_id) WHEN MATCHED THEN DELETE
--@ merge_by_source | oracle
MERGE INTO orders t USING staged s ON (t.order_id = s.order_id) WHEN NOT MATCHED BY SOURCE THEN DELETE
--@ limit | oracle
SELECT order_id FROM orders LIMIT 1
--@ is_distinct_from | oracle
SELECT order_id FROM orders WHERE amount IS DISTINCT FROM paid
--@ double_colon | oracle
SELECT amount::int FROM orders
--@ backticks | oracle
SELECT `amount` FROM orders
--@ square_brackets | oracle
SELECT [amount] FROM orders
--@ update_from | oracle
UPDATE orders SET amount = 1 FROM staged WHERE orders.order_id = staged.order_id
--@ on_duplicate_key | oracle
INSERT INTO orders (order_id) VALUES (7) ON DUPLICATE KEY UPDATE order_id = 7
--@ distinct_on | oracle
SELECT DISTINCT ON (order_id) order_id, amount FROM orders
--@ qualify | oracle
SELECT order_id FROM orders QUALIFY ROW_NUMBER() OVER (PARTITION BY order_id ORDER BY amount) = 1
--@ two_commas | oracle
SELECT order_id, , amount FROM orders
--@ bracket_missing | oracle
SELECT COALESCE(order_id, (1) FROM orders
--@ is_distinct_from | sqlserver
SELECT order_id FROM orders WHERE amount IS DISTINCT FROM paid
--@ nulls_last | sqlserver
SELECT order_id FROM orders ORDER BY amount DESC NULLS LAST
--@ qualify | sqlserver
SELECT order_id FROM orders QUALIFY ROW_NUMBER() OVER (PARTITION BY order_id ORDER BY amount) = 1
--@ backticks | sqlserver
SELECT `amount` FROM `orders`
--@ spaceship | sqlserver
SELECT order_id FROM orders WHERE amount <=> paid
--@ update_join | sqlserver
UPDATE orders JOIN staged ON orders.order_id = staged.order_id SET amount = 1
--@ on_duplicate_key | sqlserver
INSERT INTO orders (order_id) VALUES (7) ON DUPLICATE KEY UPDATE order_id = 7
--@ merge_star | sqlserver
MERGE INTO orders USING staged ON orders.order_id = staged.order_id WHEN MATCHED THEN UPDATE SET *;
--@ returning | sqlserver
INSERT INTO orders (order_id) VALUES (7) RETURNING order_id
--@ insert_ignore | sqlserver
INSERT IGNORE INTO orders (order_id) VALUES (7)
--@ create_if_not_exists | sqlserver
CREATE TABLE IF NOT EXISTS orders (order_id int)
--@ two_commas | sqlserver
SELECT order_id, , amount FROM orders
--@ bracket_missing | sqlserver
SELECT COALESCE(order_id, (1) FROM orders
--@ on_duplicate_key | duckdb
INSERT INTO orders (order_id) VALUES (7) ON DUPLICATE KEY UPDATE order_id = 7
--@ two_commas | duckdb
SELECT order_id, , amount FROM orders
