#!/usr/bin/env bash
# Sail, a server of Spark SQL on Delta Lake, from PyPI. usage: sail.sh install | start | url | stop | bridge SOCKET FOLDER
# `bridge` is a process of one session, spoken to as bridge.py says.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
home=$state/sail
# The client is of Python alone, and has no wheel.
packages=(pysail==0.7.2 pyspark-client==4.2.0 --no-binary=pyspark-client pandas==2.3.3 pyarrow==26.0.1 grpcio==1.85.3)

pid() {
  cat "$home/pid" 2>/dev/null
}

case ${1:-} in
install) venv sail "${packages[@]}" >/dev/null ;;
start)
  if ! runs sail "$(pid)"; then
    python=$(venv sail "${packages[@]}")
    rm -rf "$home"
    mkdir -p "$home"
    cd "$home"
    port=$(free_port)
    "$(dirname "$python")/sail" spark server --ip 127.0.0.1 --port "$port" </dev/null >"$home/log" 2>&1 &
    server=$!
    if ! wait_for 60 bash -c "exec 3<>/dev/tcp/127.0.0.1/$port"; then
      kill "$server" 2>/dev/null || true
      fail "no start: $(tail -5 "$home/log")"
    fi
    echo "$server" >"$home/pid"
    echo "sc://127.0.0.1:$port" >"$home/url"
  fi
  cat "$home/url"
  ;;
url)
  runs sail "$(pid)" || fail "not started"
  cat "$home/url"
  ;;
stop)
  server=$(pid || true)
  if runs sail "$server"; then
    kill "$server"
    wait_for 30 ended sail "$server" || fail "process $server does not end"
  fi
  rm -rf "$home"
  ;;
bridge)
  # The server is the one of the URL in IDEMSQL_BRIDGE.
  bridge sail "$(venv sail "${packages[@]}")" "${@:2}"
  ;;
*) fail "usage: $0 install | start | url | stop | bridge SOCKET FOLDER" ;;
esac
