{#- INSERT .. ON CONFLICT. Staged rows that would change nothing are not proposed: a guard in DO UPDATE alone would still
    lock their rows and use up sequence values. -#}
{% from "clauses.sql" import all, as_b, assign, list, or_all %}
INSERT INTO {{ load.target }}{{ load.alias }} (
{{ list(load.columns) }}
)
{% if load.rows %}
VALUES
{% for row in load.rows %}
  ({{ row | join(", ") }}){% if not loop.last %},{% endif +%}
{% endfor %}
{% else %}
SELECT
{{ list(load.inserts) }}
FROM {{ as_b(load.batch) }}
{% if load.updates %}
LEFT JOIN {{ load.target }} {{ load.as_word }}o
  ON {{ all(load.same_key_probe) }}
WHERE {{ load.missing }}
  {{ or_all(load.change_probe) }}
{% endif %}
ORDER BY b.{{ load.key | join(", b.") }}
{% endif %}
{% if load.updates %}
ON CONFLICT ({{ load.key | join(", ") }}) DO UPDATE SET
{{ assign(load.updates) }}
WHERE {{ all(load.change) }};
{% else %}
ON CONFLICT ({{ load.key | join(", ") }}) DO NOTHING;
{% endif %}
