{#- One statement for an application, without its end. -#}
{% from "clauses.sql" import all, assign %}
{% if body.kind == "update" %}
UPDATE {{ body.table }} SET
{{ assign(body.set) }}
WHERE {{ all(body.filter) }}
{% elif body.kind == "select" %}
SELECT
{% for item in body["items"] %}
  {{ item.value }}{% if item.value != item.column %} AS {{ item.column }}{% endif %}{% if not loop.last %},{% endif +%}
{% endfor %}
FROM {{ body.table }}
WHERE {{ all(body.filter) }}
{% elif body.kind == "delete" %}
DELETE FROM {{ body.table }}
WHERE {{ all(body.filter) }}
{% elif body.kind == "given" %}
{{ body.text }}
{% endif %}
