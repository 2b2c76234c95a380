{#- INSERT of a new version of every row that is new or changed; the engine keeps the greatest version of a key. -#}
{% from "clauses.sql" import all, as_b, list, or_all %}
INSERT INTO {{ load.target }} (
{{ list(load.columns) }}
)
SELECT
{{ list(load.inserts) }}
FROM {{ as_b(load.batch) }}
LEFT JOIN (
  SELECT
{{ list(load.columns) | indent(2, true) }},
    1 AS {{ load.hit }}
  FROM {{ load.target }}{{ load.probe_hint }}
) {{ load.as_word }}{{ load.names.o }}
  ON {{ all(load.same_key_probe) }}
WHERE {{ load.missing }}
  {{ or_all(load.change_probe) }};
