{#- A note of every batch that is new, its rows, and the end of the note. Where the content names a batch, the rows stand in a
    temporary table: what is appended is what the digest was taken of. -#}
{% from "clauses.sql" import all, as_b, kept, list %}
{% set content = load.once.content %}
{% if content %}
{{ kept() }};
{% for line in load.frame.begin %}

{{ line }};
{% endfor %}
{% endif %}

INSERT INTO {{ load.once.log }} (
{{ list(load.once.columns) }}
)
SELECT{{ "" if content else " DISTINCT" }}
{{ list(load.once.values) }}
{% if content %}
FROM (
  SELECT
    {{ content.value | indent(4) }} AS {{ content.id }}
  FROM (
    SELECT
      {{ content.of_row | indent(6) }} AS {{ content.row }}
    FROM {{ load.staging.name }} {{ load.as_word }}{{ load.names.b }}
  ) {{ load.as_word }}{{ load.names.w }}
  HAVING COUNT(*) > 0
) {{ load.as_word }}{{ load.names.d }}
{% else %}
FROM {{ load.batch.source }}
{% endif %}
WHERE NOT EXISTS (
  SELECT 1
  FROM {{ load.once.log }} {{ load.as_word }}{{ load.names.o }}
  WHERE {{ all(load.once.noted) | indent(2) }}
);

INSERT INTO {{ load.target }} (
{{ list(load.columns) }}
)
SELECT
{{ list(load.inserts) }}
{% if content %}
FROM {{ load.staging.name }} {{ load.as_word }}{{ load.names.b }}
WHERE EXISTS (
  SELECT 1
  FROM {{ load.once.log }} {{ load.as_word }}{{ load.names.o }}
  WHERE {{ all(load.once.open) | indent(2) }}
);
{% else %}
FROM {{ as_b(load.batch) }};
{% endif %}

UPDATE {{ load.once.log }} SET
  {{ load.once.loaded }} = {{ load.once.now }}
WHERE {{ all(load.once.closes) }};
