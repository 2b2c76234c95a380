{#- A note of every batch that is new, its rows, and the end of the note. -#}
{% from "clauses.sql" import all, as_b, list %}

INSERT INTO {{ load.once.log }} (
{{ list(load.once.columns) }}
)
SELECT DISTINCT
{{ list(load.once.values) }}
FROM {{ load.batch.source }}
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
FROM {{ as_b(load.batch) }};

UPDATE {{ load.once.log }} SET
  {{ load.once.loaded }} = {{ load.once.now }}
WHERE {{ all(load.once.closes) }};
