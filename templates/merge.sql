{#- One standard MERGE. Target rows that are no longer staged, where the load replaces a part of the target, come in
    through USING and are deleted or flagged. -#}
{% from "clauses.sql" import all, and_all, as_b, assign, bracketed, list, reduced %}
{% set gone = load.vanished and load.vanished.flag %}
{% if load.vanished and load.merge.with_before %}
WITH {{ load.names.batch }} AS (
  {{ reduced(load.batch) | indent(2) }}
)
{% endif %}
MERGE INTO {{ load.target }}{{ load.merge.hint }}{{ load.alias }}
{% if load.vanished %}
USING (
{% if not load.merge.with_before %}
  WITH {{ load.names.batch }} AS (
    {{ reduced(load.batch) | indent(4) }}
  )
{% endif %}
  SELECT
{% for item in load.batch.items %}
    {{ load.names.b }}.{{ item.name }}{% if not loop.last or load.vanished.flag %},{% endif +%}
{% endfor %}
{% if load.vanished.flag %}
    0 AS {{ load.vanished.flag }}
{% endif %}
  FROM {{ load.names.batch }} {{ load.as_word }}{{ load.names.b }}
  UNION ALL
  SELECT
{% for item in load.vanished.items %}
    {{ item.value }}{% if not loop.last or load.vanished.flag %},{% endif +%}
{% endfor %}
{% if load.vanished.flag %}
    1
{% endif %}
  FROM {{ load.target }} {{ load.as_word }}{{ load.names.o }}
  WHERE {{ all(load.vanished.scope + [load.vanished.absent]) | indent(2) }}
) {{ load.as_word }}{{ load.names.b }}
{% else %}
USING {{ as_b(load.batch) }}
{% endif %}
{% if load.merge.condition == "and" %}
ON {{ all(load.same_key) }}
{% if gone %}
WHEN MATCHED AND {{ load.names.b }}.{{ load.vanished.flag }} = 1 THEN DELETE
{% endif %}
{% if load.deletion %}
WHEN MATCHED AND {{ load.names.b }}.{{ load.deletion.flag }} = 1
{%- if load.deletion.not_older %}

{{ and_all(load.deletion.not_older) }}
THEN DELETE
{% else %} THEN DELETE
{% endif %}
{% endif %}
{% if load.updates %}
WHEN MATCHED{% if load.deletion %} AND {{ load.names.b }}.{{ load.deletion.flag }} = 0{% endif %}

{{ and_all(load.change) }}
THEN UPDATE SET
{{ assign(load.updates) }}
{% endif %}
{{ load.merge.not_matched }}{% if gone %} AND {{ load.names.b }}.{{ load.vanished.flag }} = 0{% endif %}
{% if load.deletion %} AND {{ load.names.b }}.{{ load.deletion.flag }} = 0{% endif %} THEN INSERT (
{{ list(load.columns) }}
) VALUES (
{{ list(load.inserts) }}
);
{% else %}
ON ({{ load.same_key | join(" AND ") }})
{% if load.updates %}
WHEN MATCHED THEN UPDATE SET
{{ assign(load.updates) }}
{% if gone or load.deletion %}
WHERE {% if gone %}{{ load.names.b }}.{{ load.vanished.flag }} = 1
  OR {% endif %}
{% if load.deletion %}{{ bracketed([load.names.b ~ "." ~ load.deletion.flag ~ " = 1"] + load.deletion.not_older) }}
  OR {% endif %}{{ bracketed(load.change) }}
DELETE WHERE {% if gone %}{{ load.names.b }}.{{ load.vanished.flag }} = 1{% if load.deletion %} OR {% endif %}{% endif %}
{% if load.deletion %}{{ load.names.b }}.{{ load.deletion.flag }} = 1{% endif %}

{% else %}
WHERE {{ all(load.change) }}
{% endif %}
{% endif %}
{{ load.merge.not_matched }} THEN INSERT (
{{ list(load.columns) }}
) VALUES (
{{ list(load.inserts) }}
)
{%- if gone or load.deletion %}

WHERE {% if gone %}{{ load.names.b }}.{{ load.vanished.flag }} = 0{% if load.deletion %} AND {% endif %}{% endif %}
{% if load.deletion %}{{ load.names.b }}.{{ load.deletion.flag }} = 0{% endif %}
{% endif %};
{% endif %}
