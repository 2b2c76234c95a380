#!/usr/bin/env bash
# MySQL, the one that Debian's development suite has, unpacked into a folder of its own: no other registry that the tests
# use has a server of MySQL's. usage: mysql.sh install | start | url | stop
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
home=$state/mysql data=$state/mysql/data

root() {
  debian sid mysql mysql-server-core
}

# mysqld reads its messages and its character sets from the folder of its packages.
server() {
  unpacked "$1" usr/sbin/mysqld --no-defaults --user="$(id -un)" --datadir="$data" \
    --lc-messages-dir="$1/usr/share/mysql" --character-sets-dir="$1/usr/share/mysql/charsets" \
    --log-error="$home/log.err" --secure-file-priv= "${@:2}"
}

# Its name is that of the loader which runs it.
is_up() {
  [ -n "${1:-}" ] && grep -qsa 'sbin/mysqld' "/proc/$1/cmdline"
}

is_down() {
  ! is_up "$1"
}

pid() {
  cat "$home/pid" 2>/dev/null
}

accepts() {
  [ -e "$home/pid" ] && (exec 3<>"/dev/tcp/127.0.0.1/$1") && grep -q 'ready for connections.*port: '"$1" "$home/log.err"
}

case ${1:-} in
install) root >/dev/null ;;
start)
  if ! is_up "$(pid)"; then
    root=$(root)
    rm -rf "$home"
    mkdir -p "$home"
    server "$root" --initialize-insecure >&2 || fail "mysqld could not make its data: $(tail -5 "$home/log.err")"
    # The account that --initialize-insecure makes is of localhost, which 127.0.0.1 need not be.
    printf '%s\n' "CREATE USER root@'127.0.0.1';" "GRANT ALL ON *.* TO root@'127.0.0.1' WITH GRANT OPTION;" >"$home/init.sql"
    port=$(free_port)
    # Text is compared by code point, as in the reference model. The binary log stays on: without it the server hands an
    # UPDATE that changes nothing on to InnoDB, which counts it as a write.
    exec=exec server "$root" --bind-address=127.0.0.1 --port="$port" --mysqlx=OFF --socket="$home/socket" --pid-file="$home/pid" \
      --init-file="$home/init.sql" --skip-name-resolve --character-set-server=utf8mb4 \
      --collation-server=utf8mb4_0900_bin --default-time-zone=+00:00 \
      --innodb-flush-log-at-trx-commit=0 --innodb-doublewrite=OFF --innodb-flush-method=nosync --sync-binlog=0 </dev/null >/dev/null 2>&1 &
    started=$!
    if ! wait_for 90 accepts "$port"; then
      kill "$started" 2>/dev/null || true
      fail "no start: $(tail -5 "$home/log.err")"
    fi
    echo "mysql://root@127.0.0.1:$port/" >"$home/url"
  fi
  cat "$home/url"
  ;;
url)
  is_up "$(pid)" || fail "not started"
  cat "$home/url"
  ;;
stop)
  started=$(pid || true)
  if is_up "$started"; then
    kill "$started"
    wait_for 60 is_down "$started" || fail "process $started does not end"
  fi
  rm -rf "$home"
  ;;
*) fail "usage: $0 install | start | url | stop" ;;
esac
