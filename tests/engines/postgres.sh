#!/usr/bin/env bash
# PostgreSQL, the newest that Debian has installed here. usage: postgres.sh install | start | url | stop
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
home=$state/postgres data=$state/postgres/data

server() {
  local newest
  newest=$(printf '%s\n' /usr/lib/postgresql/*/bin/postgres | sort -V | tail -1)
  [ -x "$newest" ] && dirname "$newest"
}

# The server refuses to run as root.
unprivileged() {
  if [ "$(id -u)" != 0 ]; then "$@"; else setpriv --reuid="$(owner)" --regid="$(id -gn "$(owner)")" --clear-groups "$@"; fi
}

owner() {
  if [ "$(id -u)" != 0 ]; then id -un; elif id postgres >/dev/null 2>&1; then echo postgres; else echo nobody; fi
}

pid() {
  head -1 "$data/postmaster.pid" 2>/dev/null
}

# Debian's package makes a cluster of its own and starts it: one that was not there before is stopped again.
clusters() {
  { pg_lsclusters -h 2>/dev/null || true; } | awk '$4 ~ /online/ { print $1, $2 }'
}

case ${1:-} in
install)
  server >/dev/null && exit
  before=$(clusters)
  apt_install postgresql
  clusters | while read -r version name; do
    grep -qx "$version $name" <<<"$before" || pg_ctlcluster "$version" "$name" stop
  done
  server >/dev/null || fail "the package postgresql has no server in /usr/lib/postgresql"
  ;;
start)
  if ! runs postgres "$(pid)"; then
    bin=$(server) || fail "no server: run $0 install"
    rm -rf "$home"
    mkdir -p "$home"
    [ "$(id -u)" != 0 ] || chown "$(owner)" "$home"
    cd "$home"
    unprivileged "$bin/initdb" -D "$data" -U postgres -A trust -E UTF8 --locale=C.UTF-8 --no-sync >"$home/init.log" 2>&1 ||
      fail "initdb failed: $(tail -5 "$home/init.log")"
    port=$(free_port)
    # No log shipping and no background writers: the WAL grows by what a session writes and by nothing else.
    unprivileged tee -a "$data/postgresql.conf" >/dev/null <<CONF
listen_addresses = '127.0.0.1'
port = $port
unix_socket_directories = ''
fsync = off
synchronous_commit = off
wal_level = minimal
max_wal_senders = 0
autovacuum = off
checkpoint_timeout = 1h
timezone = 'UTC'
CONF
    unprivileged "$bin/pg_ctl" -w -s -D "$data" -l "$data/log" start </dev/null >&2 || fail "no start: $(tail -5 "$data/log")"
    echo "postgres://postgres@127.0.0.1:$port/postgres" >"$home/url"
  fi
  cat "$home/url"
  ;;
url)
  runs postgres "$(pid)" || fail "not started"
  cat "$home/url"
  ;;
stop)
  server=$(pid || true)
  if runs postgres "$server"; then
    kill -INT "$server"
    wait_for 30 ended postgres "$server" || fail "process $server does not end"
  fi
  rm -rf "$home"
  ;;
*) fail "usage: $0 install | start | url | stop" ;;
esac
