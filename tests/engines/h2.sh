#!/usr/bin/env bash
# H2 2.2, as Debian 13 has it. usage: h2.sh install | start | url | stop
source "$(dirname "${BASH_SOURCE[0]}")/jvm.sh"
sources=(Bridge.java Jdbc.java H2Tables.java)

fetch() {
  java_runtime
  debian trixie h2 libh2-java >/dev/null
}

classpath() {
  echo "$(debian trixie h2 libh2-java)/usr/share/java/h2.jar"
}

engine h2 "$@"
