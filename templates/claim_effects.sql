{#- The events that have no marker in a temporary table, then their markers and their effects. -#}
{% from "clauses.sql" import absent, kept, list %}
{{ kept() }}
{{ absent() }};
{% for line in load.frame.begin %}

{{ line }};
{% endfor %}

INSERT INTO {{ load.target }} (
{{ list(load.columns) }}
)
SELECT
{{ list(load.inserts) }}
FROM {{ load.staging.name }} {{ load.as_word }}{{ load.names.b }};
{% for effect in load.effects %}

{{ effect }};
{% endfor %}
