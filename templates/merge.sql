{#- One standard MERGE. Target rows that are no longer staged, where the load replaces a part of the target, come in
    through USING and are deleted. -#}
{% from "clauses.sql" import all, and_all, as_b, assign, bracketed, list, reduced %}
{% if load.vanished and load.merge.with_before %}
WITH batch AS (
  {{ reduced(load.batch) | indent(2) }}
)
{% endif %}
MERGE INTO {{ load.target }}{{ load.merge.hint }}{{ load.alias }}
{% if load.vanished %}
USING (
{% if not load.merge.with_before %}
  WITH batch AS (
    {{ reduced(load.batch) | indent(4) }}
  )
{% endif %}
  SELECT
{% for item in load.batch.items %}
    b.{{ item.name }},
{% endfor %}
    0 AS {{ load.vanished.flag }}
  FROM batch {{ load.as_word }}b
  UNION ALL
  SELECT
{% for item in load.vanished.items %}
    {{ item.value }},
{% endfor %}
    1
  FROM {{ load.target }} {{ load.as_word }}o
  WHERE {{ all(load.vanished.scope) | indent(2) }}
    AND {{ load.vanished.absent | indent(4) }}
) {{ load.as_word }}b
{% else %}
USING {{ as_b(load.batch) }}
{% endif %}
{% if load.merge.condition == "and" %}
ON {{ all(load.same_key) }}
{% if load.vanished %}
WHEN MATCHED AND b.{{ load.vanished.flag }} = 1 THEN DELETE
{% endif %}
{% if load.deletion %}
WHEN MATCHED AND b.{{ load.deletion.flag }} = 1
{%- if load.deletion.not_older %}

{{ and_all(load.deletion.not_older) }}
THEN DELETE
{% else %} THEN DELETE
{% endif %}
{% endif %}
{% if load.updates %}
WHEN MATCHED{% if load.deletion %} AND b.{{ load.deletion.flag }} = 0{% endif %}

{{ and_all(load.change) }}
THEN UPDATE SET
{{ assign(load.updates) }}
{% endif %}
{{ load.merge.not_matched }}{% if load.vanished %} AND b.{{ load.vanished.flag }} = 0{% endif %}
{% if load.deletion %} AND b.{{ load.deletion.flag }} = 0{% endif %} THEN INSERT (
{{ list(load.columns) }}
) VALUES (
{{ list(load.inserts) }}
);
{% else %}
ON ({{ load.same_key | join(" AND ") }})
{% if load.updates %}
WHEN MATCHED THEN UPDATE SET
{{ assign(load.updates) }}
{% if load.vanished or load.deletion %}
WHERE {% if load.vanished %}b.{{ load.vanished.flag }} = 1
  OR {% endif %}
{% if load.deletion %}{{ bracketed(["b." ~ load.deletion.flag ~ " = 1"] + load.deletion.not_older) }}
  OR {% endif %}{{ bracketed(load.change) }}
DELETE WHERE {% if load.vanished %}b.{{ load.vanished.flag }} = 1{% if load.deletion %} OR {% endif %}{% endif %}
{% if load.deletion %}b.{{ load.deletion.flag }} = 1{% endif %}

{% else %}
WHERE {{ all(load.change) }}
{% endif %}
{% endif %}
{{ load.merge.not_matched }} THEN INSERT (
{{ list(load.columns) }}
) VALUES (
{{ list(load.inserts) }}
)
{%- if load.vanished or load.deletion %}

WHERE {% if load.vanished %}b.{{ load.vanished.flag }} = 0{% if load.deletion %} AND {% endif %}{% endif %}
{% if load.deletion %}b.{{ load.deletion.flag }} = 0{% endif %}
{% endif %};
{% endif %}
