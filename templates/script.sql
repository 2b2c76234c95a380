{#- The frame around a load: its header, the lock, the transaction. -#}
{% for line in header %}
-- {{ line }}
{% endfor %}

{% for line in load.frame.open %}
{{ line }};
{% endfor %}
{% if form != "update_insert.sql" %}
{% for line in load.frame.begin %}
{{ line }};
{% endfor %}
{% endif %}
{% include form %}
{% for line in load.frame.close %}
{{ line }};
{% endfor %}
