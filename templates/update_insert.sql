{#- The staged rows in a temporary table, then DELETE, UPDATE and INSERT. The table is read once: after the first write the
    high watermark of the target may be another. -#}
{% from "clauses.sql" import absent, all, and_all, assign, list, with_flagged %}
{% if load.staging.create %}
{{ load.staging.create }} {{ load.staging.name }} AS
{{ with_flagged() }};
{% else %}
SELECT {{ load.names.b }}.*
INTO {{ load.staging.name }}
FROM (
  {{ with_flagged() | indent(2) }}
) {{ load.as_word }}{{ load.names.b }};
{% endif %}
{% for line in load.frame.begin %}

{{ line }};
{% endfor %}
{% if load.vanished and load.vanished.flag %}

{% for line in load.vanished.bounds %}
{{ line }};
{% endfor %}
{% if load.script.delete == "join" and load.vanished.same_group %}
DELETE {{ load.names.t }}
FROM {{ load.target }} {{ load.as_word }}{{ load.names.t }}
JOIN {{ load.vanished.groups }} {{ load.as_word }}{{ load.names.g }}
  ON {{ all(load.vanished.same_group) }}
WHERE {{ load.vanished.absent }};
{% else %}
DELETE{% if load.script.delete != "exists" %} {{ load.names.t }}{% endif %} FROM {{ load.target }}{{ load.alias }}
WHERE {{ all(load.vanished.scope + [load.vanished.absent]) }};
{% endif %}
{% endif %}
{% if load.deletion %}

{% if load.script.delete == "join" %}
DELETE {{ load.names.t }}
FROM {{ load.target }} {{ load.as_word }}{{ load.names.t }}
JOIN {{ load.staging.name }} {{ load.as_word }}{{ load.names.b }}
  ON {{ all(load.same_key) }}
WHERE {{ all([load.names.b ~ "." ~ load.deletion.flag ~ " = 1"] + load.deletion.not_older) }};
{% else %}
DELETE{% if load.script.delete == "alias_exists" %} {{ load.names.t }}{% endif %} FROM {{ load.target }}{{ load.alias }}
WHERE EXISTS (
  SELECT 1
  FROM {{ load.staging.name }} {{ load.as_word }}{{ load.names.b }}
  WHERE {{ all(load.same_key + [load.names.b ~ "." ~ load.deletion.flag ~ " = 1"] + load.deletion.not_older) | indent(2) }}
);
{% endif %}
{% endif %}
{% if load.updates %}

{% if load.script.update == "join" %}
UPDATE {{ load.target }} {{ load.as_word }}{{ load.names.t }}
JOIN {{ load.staging.name }} {{ load.as_word }}{{ load.names.b }}
  ON {{ all(load.same_key) }}
SET
{% for update in load.updates %}
  {{ load.names.t }}.{{ update.column }} = {{ update.value }}{% if not loop.last %},{% endif +%}
{% endfor %}
WHERE {{ all(load.change) }}
{%- elif load.script.update == "alias_from" %}
UPDATE {{ load.names.t }} SET
{{ assign(load.updates) }}
FROM {{ load.target }} {{ load.as_word }}{{ load.names.t }}{{ load.probe_hint }}
JOIN {{ load.staging.name }} {{ load.as_word }}{{ load.names.b }}
  ON {{ all(load.same_key) }}
WHERE {{ all(load.change) }}
{%- else %}
UPDATE {{ load.target }} SET
{{ assign(load.updates) }}
FROM {{ load.staging.name }} {{ load.as_word }}{{ load.names.b }}
WHERE {{ all(load.same_key) }}
{{ and_all(load.change) }}
{%- endif %}
{% if load.deletion %}

  AND {{ load.names.b }}.{{ load.deletion.flag }} = 0
{%- endif %};
{% endif %}

INSERT INTO {{ load.target }} (
{{ list(load.columns) }}
)
SELECT
{{ list(load.inserts) }}
FROM {{ load.staging.name }} {{ load.as_word }}{{ load.names.b }}
{{ absent([load.names.b ~ "." ~ load.deletion.flag ~ " = 0"] if load.deletion else []) }};
