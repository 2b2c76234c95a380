{#- The staged rows that change something in a temporary table, then a MERGE without conditions. -#}
{% from "clauses.sql" import all, as_b, assign, list, or_all, reduced %}
{{ load.staging.create }} {{ load.staging.name }} AS
SELECT {{ load.names.b }}.*
FROM {{ as_b(load.batch) }}
LEFT JOIN {{ load.target }} {{ load.as_word }}{{ load.names.o }}
  ON {{ all(load.same_key_probe) }}
WHERE {{ load.missing }}
  {{ or_all(load.change_probe) }};

MERGE INTO {{ load.target }}
USING {{ load.staging.name }} {{ load.as_word }}{{ load.names.b }}
ON {{ all(load.same_key) }}
WHEN MATCHED THEN UPDATE SET
{{ assign(load.updates) }}
{{ load.merge.not_matched }} THEN INSERT (
{{ list(load.columns) }}
) VALUES (
{{ list(load.inserts) }}
);
