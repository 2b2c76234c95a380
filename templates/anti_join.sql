{#- INSERT of the rows whose key is not in the target. -#}
{% from "clauses.sql" import as_b, list %}
INSERT INTO {{ load.target }} (
{{ list(load.columns) }}
)
SELECT
{{ list(load.inserts) }}
FROM {{ as_b(load.batch) }}
WHERE NOT EXISTS (
  SELECT 1
  FROM {{ load.target }} {{ load.as_word }}o{{ load.probe_hint }}
  WHERE {{ load.same_key_probe | join("\n    AND ") }}
);
