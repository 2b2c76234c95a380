{# Parts of statements. A macro prints whole lines without the last line end, so that it can be indented. #}

{# One item a line. #}
{% macro list(items) %}
  {{ items | join(",\n  ") }}
{%- endmacro %}

{# Predicates joined by AND, one a line. #}
{% macro all(predicates) %}
{% for predicate in predicates %}{% if loop.first %}{{ predicate }}{% else %}

  AND {{ predicate | indent(2) }}{% endif %}{% endfor %}
{% endmacro %}

{# The same where something stands before them already. #}
{% macro and_all(predicates) %}
{% for predicate in predicates %}{% if not loop.first %}

{% endif %}  AND {{ predicate | indent(2) }}{% endfor %}
{% endmacro %}

{# The same in brackets, as an operand of an OR. #}
{% macro bracketed(predicates) %}
(
{% for predicate in predicates %}
    {{ "" if loop.first else "AND " }}{{ predicate | indent(4) }}
{% endfor %}
  )
{%- endmacro %}

{# The same, as the second operand of an OR: in brackets where there is more than one. #}
{% macro or_all(predicates) %}
{% if predicates | length == 1 %}
OR {{ predicates[0] | indent(2) }}
{%- else %}
OR {{ bracketed(predicates) }}
{%- endif %}
{% endmacro %}

{# The rows of VALUES, one a line. #}
{% macro values(rows) %}
VALUES
{% for row in rows %}{% if not loop.first %},
{%+ endif %}  ({{ row | join(", ") }}){% endfor %}
{% endmacro %}

{# Assignments, one a line. #}
{% macro assign(updates) %}
{% for update in updates %}{% if not loop.first %},
{%+ endif %}  {{ update.column }} = {{ update.value | indent(2) }}{% endfor %}
{% endmacro %}

{# The columns of the batch as items of a SELECT. #}
{% macro items(batch) %}
{% for item in batch.items %}{% if not loop.first %},
{%+ endif %}  {{ item.value | indent(2) }}{% if not item.plain %} AS {{ item.name }}{% endif %}{% endfor %}
{% endmacro %}

{# Where the staged rows come from, and which of them are taken. #}
{% macro taken(batch) %}
FROM {{ batch.source }}
{%- if batch.filter %}

WHERE {{ all(batch.filter) }}
{%- endif %}
{% endmacro %}

{# The staged rows, at most one for each unique key: the greatest in the version order. #}
{% macro reduced(batch) %}
{% if not batch.reduce %}
SELECT
{{ items(batch) }}
{{ taken(batch) }}
{%- elif batch.reduce.how == "distinct_on" %}
SELECT DISTINCT ON ({{ batch.reduce.by | join(", ") }})
{{ items(batch) }}
{{ taken(batch) }}
ORDER BY
{{ list(batch.reduce.by + batch.reduce.order) }}
{%- elif batch.reduce.how == "qualify" %}
SELECT
{{ items(batch) }}
{{ taken(batch) }}
QUALIFY ROW_NUMBER() OVER (
  PARTITION BY {{ batch.reduce.by | join(", ") }}
  ORDER BY
  {{ list(batch.reduce.order) | indent(2) }}
) = 1
{%- elif batch.reduce.how == "limit_by" %}
SELECT
{{ items(batch) }}
{{ taken(batch) }}
ORDER BY
{{ list(batch.reduce.order) }}
LIMIT 1 BY {{ batch.reduce.by | join(", ") }}
{%- else %}
SELECT
{% for item in batch.items %}
  {{ load.names.d }}.{{ item.name }}{% if not loop.last %},{% endif +%}
{% endfor %}
FROM (
  SELECT
  {{ items(batch) | indent(2) }},
    ROW_NUMBER() OVER (
      PARTITION BY {{ batch.reduce.by | join(", ") }}
      ORDER BY
      {{ list(batch.reduce.order) | indent(6) }}
    ) AS {{ batch.reduce.rank }}
  {{ taken(batch) | indent(2) }}
) {{ load.as_word }}{{ load.names.d }}
WHERE {{ load.names.d }}.{{ batch.reduce.rank }} = 1
{%- endif %}
{% endmacro %}

{# The same; for a history with them the target's versions of their keys, and the period of each version. #}
{% macro versions(batch) %}
{% if load.history %}
SELECT
{{ items(load.history) }}
FROM (
  SELECT
{% for item in batch.items %}
    {{ load.names.b }}.{{ item.name }}{% if not loop.last %},{% endif +%}
{% endfor %}
  FROM (
    {{ reduced(batch) | indent(4) }}
  ) {{ load.as_word }}{{ load.names.b }}
  UNION ALL
  SELECT
  {{ list(load.history.stored) | indent(2) }}
  FROM {{ load.target }} {{ load.as_word }}{{ load.names.o }}
  WHERE {{ all(load.history.beside) | indent(2) }}
) {{ load.as_word }}{{ load.names.u }}
{%- else %}
{{ reduced(batch) }}
{%- endif %}
{% endmacro %}

{# The same, and with them the target rows that are no longer staged, where those are flagged. #}
{% macro with_flagged() %}
{% if load.vanished and not load.vanished.flag %}
SELECT
{% for item in load.batch.items %}
  {{ load.names.b }}.{{ item.name }}{% if not loop.last %},{% endif +%}
{% endfor %}
FROM (
  {{ reduced(load.batch) | indent(2) }}
) {{ load.as_word }}{{ load.names.b }}
UNION ALL
SELECT
{% for item in load.vanished.items %}
  {{ item.value }}{% if not loop.last %},{% endif +%}
{% endfor %}
FROM {{ load.target }} {{ load.as_word }}{{ load.names.o }}
WHERE {{ all(load.vanished.scope + [load.vanished.absent]) }}
{%- else %}
{{ versions(load.batch) }}
{%- endif %}
{% endmacro %}

{# The batch as a relation called b. #}
{% macro as_b(batch) %}
{% if batch.bare %}
{{ batch.source }}
{%- else %}
(
  {{ versions(batch) | indent(2) }}
) {{ load.as_word }}{{ load.names.b }}
{%- endif %}
{% endmacro %}

{# The batch in its temporary table: what may follow is a WHERE. #}
{% macro kept() %}
{% if load.staging.create %}
{{ load.staging.create }} {{ load.staging.name }} AS
SELECT {{ load.names.b }}.*
{% else %}
SELECT {{ load.names.b }}.*
INTO {{ load.staging.name }}
{% endif %}
FROM {{ as_b(load.batch) }}
{%- endmacro %}

{# Behind FROM: the batch rows whose key is not in the target, and what else must hold for them. #}
{% macro absent(also=[]) %}
{% if load.absent == "not_exists" %}
WHERE NOT EXISTS (
  SELECT 1
  FROM {{ load.target }} {{ load.as_word }}{{ load.names.o }}{{ load.probe_hint }}
  WHERE {{ all(load.same_key_probe) | indent(2) }}
)
{%- else %}
LEFT JOIN (
  SELECT
{{ list(load.probe) | indent(2, true) }},
    1 AS {{ load.hit }}
  FROM {{ load.target }}{{ load.probe_hint }}
) {{ load.as_word }}{{ load.names.o }}
  ON {{ all(load.same_key_probe) }}
WHERE COALESCE({{ load.names.o }}.{{ load.hit }}, 0) = 0
{%- endif %}
{% if also %}

{{ and_all(also) }}
{%- endif %}
{% endmacro %}
