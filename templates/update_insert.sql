{#- The staged rows in a temporary table, then DELETE, UPDATE and INSERT. The table is read once: after the first write the
    high watermark of the target may be another. -#}
{% from "clauses.sql" import absent, all, and_all, assign, list, reduced %}
{% if load.staging.create %}
{{ load.staging.create }} {{ load.staging.name }} AS
{{ reduced(load.batch) }};
{% else %}
SELECT b.*
INTO {{ load.staging.name }}
FROM (
  {{ reduced(load.batch) | indent(2) }}
) {{ load.as_word }}b;
{% endif %}
{% for line in load.frame.begin %}

{{ line }};
{% endfor %}
{% if load.vanished %}

{% for line in load.vanished.bounds %}
{{ line }};
{% endfor %}
{% if load.script.delete == "join" and load.vanished.same_group %}
DELETE t
FROM {{ load.target }} {{ load.as_word }}t
JOIN (
  SELECT {{ load.vanished.key | join(", ") }}
  FROM {{ load.target }} {{ load.as_word }}o
  JOIN {{ load.staging.name }} {{ load.as_word }}b
    ON {{ load.vanished.same_group | join(" AND ") }}
  GROUP BY {{ load.vanished.key | join(", ") }}
  HAVING MAX(CASE WHEN {{ load.same_key_probe | join(" AND ") }} THEN 1 ELSE 0 END) = 0
) {{ load.as_word }}v
  ON {{ load.vanished.same_key | join(" AND ") }};
{% else %}
DELETE{% if load.script.delete != "exists" %} t{% endif %} FROM {{ load.target }}{{ load.alias }}
WHERE {{ all(load.vanished.scope) }}
  AND {{ load.vanished.absent | indent(2) }};
{% endif %}
{% endif %}
{% if load.deletion %}

{% if load.script.delete == "join" %}
DELETE t
FROM {{ load.target }} {{ load.as_word }}t
JOIN {{ load.staging.name }} {{ load.as_word }}b
  ON {{ all(load.same_key) }}
WHERE {{ all(["b." ~ load.deletion.flag ~ " = 1"] + load.deletion.not_older) }};
{% else %}
DELETE{% if load.script.delete == "alias_exists" %} t{% endif %} FROM {{ load.target }}{{ load.alias }}
WHERE EXISTS (
  SELECT 1
  FROM {{ load.staging.name }} {{ load.as_word }}b
  WHERE {{ all(load.same_key + ["b." ~ load.deletion.flag ~ " = 1"] + load.deletion.not_older) | indent(2) }}
);
{% endif %}
{% endif %}
{% if load.updates %}

{% if load.script.update == "join" %}
UPDATE {{ load.target }} {{ load.as_word }}t
JOIN {{ load.staging.name }} {{ load.as_word }}b
  ON {{ all(load.same_key) }}
SET
{% for update in load.updates %}
  t.{{ update.column }} = {{ update.value }}{% if not loop.last %},{% endif +%}
{% endfor %}
WHERE {{ all(load.change) }}
{%- elif load.script.update == "alias_from" %}
UPDATE t SET
{{ assign(load.updates) }}
FROM {{ load.target }} {{ load.as_word }}t{{ load.probe_hint }}
JOIN {{ load.staging.name }} {{ load.as_word }}b
  ON {{ all(load.same_key) }}
WHERE {{ all(load.change) }}
{%- else %}
UPDATE {{ load.target }} SET
{{ assign(load.updates) }}
FROM {{ load.staging.name }} {{ load.as_word }}b
WHERE {{ all(load.same_key) }}
{{ and_all(load.change) }}
{%- endif %}
{% if load.deletion %}

  AND b.{{ load.deletion.flag }} = 0
{%- endif %};
{% endif %}

INSERT INTO {{ load.target }} (
{{ list(load.columns) }}
)
SELECT
{{ list(load.inserts) }}
FROM {{ load.staging.name }} {{ load.as_word }}b
{{ absent(["b." ~ load.deletion.flag ~ " = 0"] if load.deletion else []) }};
