{#- INSERT .. ON CONFLICT. Staged rows that would change nothing are not proposed: DO UPDATE and DO NOTHING come
    after triggers have fired and sequence values are used up, and DO UPDATE locks the row before its guard decides. -#}
{% from "clauses.sql" import all, as_b, assign, list, or_all, values %}
INSERT INTO {{ load.target }}{{ load.alias }} (
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
{% if load.updates %}
ON CONFLICT ({{ load.key | join(", ") }}) DO UPDATE SET
{{ assign(load.updates) }}
WHERE {{ all(load.change) }};
{% else %}
ON CONFLICT ({{ load.key | join(", ") }}) DO NOTHING;
{% endif %}
