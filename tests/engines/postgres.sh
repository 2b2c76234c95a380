#!/usr/bin/env bash
# PostgreSQL, the newest that Debian has installed here. usage: postgres.sh install | start | url | stop
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
name=postgres

server() {
  local newest
  newest=$(printf '%s\n' /usr/lib/postgresql/*/bin/postgres | sort -V | tail -1)
  [ -x "$newest" ] && dirname "$newest"
}

# Debian's package makes a cluster of its own and starts it: one that was not there before is stopped again.
clusters() {
  { pg_lsclusters -h 2>/dev/null || true; } | awk '$4 ~ /online/ { print $1, $2 }'
}

install() {
  command -v openssl >/dev/null || apt_install openssl
  server >/dev/null && return
  local before version cluster
  before=$(clusters)
  apt_install postgresql
  clusters | while read -r version cluster; do
    grep -qx "$version $cluster" <<<"$before" || pg_ctlcluster "$version" "$cluster" stop
  done
  server >/dev/null || fail "the package postgresql has no server in /usr/lib/postgresql"
}

source "$here/postgres_common.sh"
