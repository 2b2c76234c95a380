#!/usr/bin/env bash
# MariaDB, as Debian has it. usage: mariadb.sh install | start | url | stop | bridge SOCKET FOLDER
# `bridge` is a process of one session, spoken to as bridge.py says.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
PATH=$PATH:/usr/sbin
home=$state/mariadb data=$state/mariadb/data
packages=(PyMySQL==1.2.4)

pid() {
  cat "$home/pid" 2>/dev/null
}

case ${1:-} in
install)
  # The core packages alone: the full one would start a service.
  command -v mariadbd >/dev/null && command -v mariadb-install-db >/dev/null && command -v mariadb >/dev/null ||
    apt_install mariadb-server-core mariadb-client-core
  venv mariadb "${packages[@]}" >/dev/null
  ;;
start)
  if ! runs mariadbd "$(pid)"; then
    rm -rf "$home"
    mkdir -p "$home"
    mariadb-install-db --no-defaults --user="$(id -un)" --datadir="$data" --auth-root-authentication-method=normal \
      --skip-test-db >"$home/init.log" 2>&1 || fail "mariadb-install-db failed: $(tail -5 "$home/init.log")"
    port=$(free_port)
    # Text is compared by code point, as in the reference model; userstat counts the rows changed in each table.
    mariadbd --no-defaults --user="$(id -un)" --datadir="$data" --bind-address=127.0.0.1 --port="$port" \
      --socket="$home/socket" --pid-file="$home/pid" --log-error="$home/log.err" --userstat=1 \
      --character-set-server=utf8mb4 --collation-server=utf8mb4_nopad_bin --default-time-zone=+00:00 \
      --innodb-flush-log-at-trx-commit=0 --innodb-flush-method=nosync </dev/null >/dev/null 2>&1 &
    server=$!
    if ! wait_for 60 mariadb --no-defaults --socket="$home/socket" --user=root --execute="SELECT 1"; then
      kill "$server" 2>/dev/null || true
      fail "no start: $(tail -5 "$home/log.err")"
    fi
    echo "mysql://root@127.0.0.1:$port/" >"$home/url"
  fi
  cat "$home/url"
  ;;
url)
  runs mariadbd "$(pid)" || fail "not started"
  cat "$home/url"
  ;;
stop)
  server=$(pid || true)
  if runs mariadbd "$server"; then
    kill "$server"
    wait_for 30 ended mariadbd "$server" || fail "process $server does not end"
  fi
  rm -rf "$home"
  ;;
bridge)
  runs mariadbd "$(pid)" || fail "not started"
  IDEMSQL_BRIDGE=$home/socket bridge mariadb "$(venv mariadb "${packages[@]}")" "${@:2}"
  ;;
*) fail "usage: $0 install | start | url | stop | bridge SOCKET FOLDER" ;;
esac
