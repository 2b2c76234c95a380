{#- The frame around a load: its header, the lock, the transaction. -#}
{% for line in header %}
-- {{ line }}
{% endfor %}

{% for line in load.frame.open %}
{{ line }};
{% endfor %}
{% if form not in ["update_insert.sql", "claim_effects.sql"] and not (load.once and load.once.content) %}
{% for line in load.frame.begin %}
{{ line }};
{% endfor %}
{% endif %}
{% include form %}
{% for line in load.frame.close %}
{{ line }};
{% endfor %}
