{#- The query of a dbt model: the staged rows, one for each key, and with them what the load has to know of the target where
    dbt's own strategy is too plain to ask. -#}
{% from "clauses.sql" import absent, all, as_b, items, list, or_all, reduced %}
{% if shape == "rows" %}
{{ reduced(load.batch) }}
{% elif shape == "kept" %}
SELECT
{{ items(select) }}
FROM {{ as_b(load.batch) }}
WHERE {{ load.names.b }}.{{ load.deletion.flag }} = 0
{% elif shape == "new" %}
SELECT
{{ items(select) }}
FROM {{ as_b(load.batch) }}
{{ absent() }}
{% elif shape == "changed" %}
SELECT
{{ items(select) }}
FROM {{ as_b(load.batch) }}
LEFT JOIN (
  SELECT
{{ list(load.columns) | indent(2, true) }},
    1 AS {{ load.hit }}
  FROM {{ load.target }}{{ load.probe_hint }}
) {{ load.as_word }}{{ load.names.o }}
  ON {{ all(load.same_key_probe) }}
WHERE {{ load.missing }}
  {{ or_all(load.change_probe) }}
{% else %}
WITH {{ load.names.batch }} AS (
  {{ reduced(load.batch) | indent(2) }}
)
SELECT
{% for item in load.batch.items %}
  {{ load.names.b }}.{{ item.name }},
{% endfor %}
  0 AS {{ load.vanished.flag }}
FROM {{ load.names.batch }} {{ load.as_word }}{{ load.names.b }}
UNION ALL
SELECT
{% for item in load.vanished.items %}
  {{ item.value }},
{% endfor %}
  1
FROM {{ load.target }} {{ load.as_word }}{{ load.names.o }}
WHERE {{ all(load.vanished.scope) }}
  AND {{ load.vanished.absent | indent(2) }}
{% endif %}
