-- idemsql: the test that a table has one row for each key, in which null is a value; one file for the whole project.
-- Do not edit; `idemsql render --form dbt` writes it.
{% macro test_idemsql_one_row_per_key(model, columns, read='') %}
SELECT
  {{ columns | join(',\n  ') }},
  COUNT(*) AS idemsql_rows
FROM {{ model }}{{ read }}
GROUP BY {{ columns | join(', ') }}
HAVING COUNT(*) > 1
{% endmacro %}
