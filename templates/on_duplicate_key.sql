{#- INSERT .. ON DUPLICATE KEY UPDATE. It has no WHERE, so the guard stands in every assignment; a later assignment sees
    what an earlier one did, so the version comes last. -#}
{% from "clauses.sql" import all, as_b, assign, list, or_all, values %}
INSERT INTO {{ load.target }} (
{{ list(load.columns) }}
)
{% if load.rows %}
{{ values(load.rows) }}
{% else %}
SELECT
{{ list(load.inserts) }}
FROM {{ as_b(load.batch) }}
LEFT JOIN {{ load.target }} {{ load.as_word }}{{ load.names.o }}
  ON {{ all(load.same_key_probe) }}
WHERE {{ load.missing }}
{% if load.updates %}
  {{ or_all(load.change_probe) }}
{% endif %}
ORDER BY {{ load.key_order | join(", ") }}
{% endif %}
ON DUPLICATE KEY UPDATE
{% if load.updates %}
{{ assign(load.updates) }};
{% else %}
  {{ load.key[0] }} = {{ load.me }}.{{ load.key[0] }};
{% endif %}
