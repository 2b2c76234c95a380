{#- INSERT of the rows whose key is not in the target. -#}
{% from "clauses.sql" import absent, as_b, list %}
INSERT INTO {{ load.target }} (
{{ list(load.columns) }}
)
SELECT
{{ list(load.inserts) }}
FROM {{ as_b(load.batch) }}
{{ absent() }};
