{#- One statement that makes or changes a table, without a semicolon. -#}
{% if step.kind == "create_table" %}
CREATE TABLE {{ step.guard }}{{ step.table }} (
{% for column in step.columns %}
  {{ column.name }} {{ column.words | join(" ") }}{{ "," if not loop.last or step.constraints }}
{% endfor %}
{% for constraint in step.constraints %}
  {{ constraint }}{{ "," if not loop.last }}
{% endfor %}
){{ step.storage }}
{% elif step.kind == "create_index" %}
CREATE UNIQUE INDEX {{ step.guard }}{{ step.name }} ON {{ step.table }} ({{ step.columns | join(", ") }}){{ step.nulls }}
{% elif step.kind == "comment" %}
COMMENT ON {{ step.on }} IS {{ step.text }}
{% elif step.kind == "drop_table" %}
DROP TABLE {{ step.guard }}{{ step.table }}
{% elif step.kind == "forget" %}
DELETE FROM {{ step.log }} WHERE {{ step.column }} = {{ step.value }}
{% elif step.kind == "add_column" %}
ALTER TABLE {{ step.table }} {{ step.words }}{{ step.column.name }} {{ step.column.words | join(" ") }}
{% elif step.kind == "drop_column" %}
ALTER TABLE {{ step.table }} DROP COLUMN {{ step.guard }}{{ step.name }}
{% elif step.kind == "alter_column" %}
ALTER TABLE {{ step.table }} {{ step.before }} {{ step.name }}{{ step.behind }}
{% endif %}
