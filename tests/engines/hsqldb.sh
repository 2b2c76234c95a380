#!/usr/bin/env bash
# HSQLDB 2.7, as Debian 12 has it: that of Debian 13 wants Java 21. usage: hsqldb.sh install | start | url | stop
source "$(dirname "${BASH_SOURCE[0]}")/jvm.sh"
sources=(Bridge.java Jdbc.java)

fetch() {
  java_runtime
  debian bookworm hsqldb libhsqldb-java >/dev/null
}

classpath() {
  echo "$(debian bookworm hsqldb libhsqldb-java)/usr/share/java/hsqldb.jar"
}

engine hsqldb "$@"
