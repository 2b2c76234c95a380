{#- INSERT of the rows whose key is not among the current rows of the target. -#}
{% from "clauses.sql" import all, as_b, list %}
INSERT INTO {{ load.target }} (
{{ list(load.columns) }}
)
SELECT
{{ list(load.inserts) }}
FROM {{ as_b(load.batch) }}
LEFT ANTI JOIN (
  SELECT
{{ list(load.key) | indent(2, true) }}
  FROM {{ load.target }} FINAL
) {{ load.as_word }}o
  ON {{ all(load.same_key_probe) }};
