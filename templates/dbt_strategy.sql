-- idemsql: the strategy of its incremental models; one file for the whole project.
-- Do not edit; `idemsql render --form dbt` writes it.
{#-
  Loads the rows of a model into its table: null is a value in keys, the newest version wins, and a row that would not
  change is not written. What a table needs stands in its model's configuration, under `meta`, as ready SQL: `t` is the
  table and `b` are the model's rows, of which each key has one.
#}
{% macro get_incremental_idemsql_sql(arg_dict) %}
{%- set load = config.get('meta')['idemsql'] -%}
{%- set target = arg_dict['target_relation'] -%}
{%- set rows = arg_dict['temp_relation'] -%}
{%- if arg_dict['incremental_predicates'] -%}
  {{ exceptions.raise_compiler_error("idemsql: incremental_predicates would insert a key again that they hide; write target_filter into the spec") }}
{%- endif -%}
{%- if load['columns'] is defined -%}
  {#- dbt cannot compare the columns itself, since these rows carry a mark that the table does not have. -#}
  {%- set there = arg_dict['dest_columns'] | map(attribute='name') | map('lower') | list -%}
  {%- set wanted = load['columns'] | map('lower') | list -%}
  {%- for column in wanted if column not in there -%}
    {{ exceptions.raise_compiler_error("idemsql: the table has no column " ~ column ~ "; run the model with --full-refresh, or add it") }}
  {%- endfor -%}
  {%- for column in there if column not in wanted -%}
    {{ exceptions.raise_compiler_error("idemsql: the model has no column " ~ column ~ "; run the model with --full-refresh, or drop it") }}
  {%- endfor -%}
{%- endif -%}
{%- for line in load['first'] | default([]) %}
{{ line | replace('{table}', target | string) }};
{%- endfor %}
{%- if load['form'] == 'merge' %}
MERGE INTO {{ target }}{{ load['hint'] | default('') }} AS {{ load['t'] | default('t') }}
USING {{ rows }} AS {{ load['b'] | default('b') }}
ON {{ load['on'] | join('\n  AND ') }}
{%- for when in load['delete'] | default([]) %}
WHEN MATCHED
  AND {{ when | join('\n  AND ') }}
THEN DELETE
{%- endfor %}
{%- if load['set'] is defined %}
WHEN MATCHED
  AND {{ load['change'] | join('\n  AND ') }}
THEN UPDATE SET
{%- for pair in load['set'] %}
  {{ pair[0] }} = {{ pair[1] }}{% if not loop.last %},{% endif %}
{%- endfor %}
{%- endif %}
{{ load['not_matched'] | default('WHEN NOT MATCHED') }}
{%- for when in load['insert_when'] | default([]) %}
  AND {{ when }}
{%- endfor %} THEN INSERT (
{%- for pair in load['insert'] %}
  {{ pair[0] }}{% if not loop.last %},{% endif %}
{%- endfor %}
) VALUES (
{%- for pair in load['insert'] %}
  {{ pair[1] }}{% if not loop.last %},{% endif %}
{%- endfor %}
){{ load['end'] | default('') }}
{%- else %}
{%- for when in load['delete'] | default([]) %}
DELETE FROM {{ target }}
WHERE EXISTS (
  SELECT 1
  FROM {{ rows }} AS {{ load['b'] | default('b') }}
  WHERE {{ (load['on'] + when) | join('\n    AND ') }}
);
{%- endfor %}
{%- if load['set'] is defined %}
UPDATE {{ target }} SET
{%- for pair in load['set'] %}
  {{ pair[0] }} = {{ pair[1] }}{% if not loop.last %},{% endif %}
{%- endfor %}
FROM {{ rows }} AS {{ load['b'] | default('b') }}
WHERE {{ (load['on'] + load['change'] + (load['insert_when'] | default([]))) | join('\n  AND ') }};
{%- endif %}
INSERT INTO {{ target }} (
{%- for pair in load['insert'] %}
  {{ pair[0] }}{% if not loop.last %},{% endif %}
{%- endfor %}
)
SELECT
{%- for pair in load['insert'] %}
  {{ pair[1] }}{% if not loop.last %},{% endif %}
{%- endfor %}
FROM {{ rows }} AS {{ load['b'] | default('b') }}
LEFT JOIN (
  SELECT
    {{ load['probed'] | join(',\n    ') }},
    1 AS {{ load['hit'] }}
  FROM {{ target }}
) AS {{ load['o'] | default('o') }}
  ON {{ load['probe'] | join('\n  AND ') }}
WHERE COALESCE({{ load['o'] | default('o') }}.{{ load['hit'] }}, 0) = 0
{%- for when in load['insert_when'] | default([]) %}
  AND {{ when }}
{%- endfor %}
{%- endif %}
{% endmacro %}
