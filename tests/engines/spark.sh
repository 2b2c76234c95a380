#!/usr/bin/env bash
# Apache Spark with Iceberg's runtime, from PyPI: the jars alone, no Python runs. usage: spark.sh install | start | url | stop
source "$(dirname "${BASH_SOURCE[0]}")/jvm.sh"
sources=(Bridge.java Jdbc.java Spark.java)
# 1.0.3 of the second lacks classes.
packages=(pyspark==3.5.8 snowpark-connect-deps-iceberg==1.0.2)

# What Spark's own launcher opens of the standard library:
# https://github.com/apache/spark/blob/v3.5.8/launcher/src/main/java/org/apache/spark/launcher/JavaModuleOptions.java
# A run is too short for the second compiler to pay.
options=(-Xmx2g -XX:+UseSerialGC -XX:TieredStopAtLevel=1)
for package in java.lang java.lang.invoke java.lang.reflect java.io java.net java.nio java.util java.util.concurrent \
  java.util.concurrent.atomic sun.nio.ch sun.nio.cs sun.security.action sun.util.calendar; do
  options+=(--add-opens="java.base/$package=ALL-UNNAMED")
done

fetch() {
  local root=$cache/spark python half
  java_runtime
  [ "$(cat "$root/wanted" 2>/dev/null)" = "${packages[*]}" ] && return
  rm -rf "$root"
  python=$(venv spark-pip pip==25.3)
  half=$root/half
  mkdir -p "$root/jars" "$half"
  "$python" -m pip download -q --disable-pip-version-check --no-cache-dir --no-deps -d "$half" "${packages[@]}" >&2 ||
    fail "pip could not download ${packages[*]}"
  tar -xzf "$half"/pyspark-*.tar.gz -C "$half" --wildcards 'pyspark-*/deps/jars/*.jar'
  "$python" -m zipfile -e "$half"/snowpark*.whl "$half"
  mv "$half"/pyspark-*/deps/jars/*.jar "$half"/snowpark*/jars/iceberg-spark-runtime-3.5_2.12-*.jar "$root/jars"
  rm -rf "$half"
  # Written last, so that a half-made folder is made again.
  echo "${packages[*]}" >"$root/wanted"
}

classpath() {
  [ -e "$cache/spark/wanted" ] || return
  printf '%s\n' "$cache"/spark/jars/*.jar | paste -sd:
}

engine spark "$@"
