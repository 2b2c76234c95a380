# What the scripts of PostgreSQL share, which set `name`, and define `install` and `server` (the folder of its programs),
# before they source this.
home=$state/$name data=$state/$name/data

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

case ${1:-} in
install) install ;;
start)
  if ! runs postgres "$(pid)"; then
    rm -rf "$home"
    mkdir -p "$home"
    [ "$(id -u)" != 0 ] || chown "$(owner)" "$home"
    bin=$(server) || fail "no server: run $0 install"
    cd "$home"
    unprivileged "$bin/initdb" -D "$data" -U postgres -A trust -E UTF8 --locale=C.UTF-8 --no-sync >"$home/init.log" 2>&1 ||
      fail "initdb failed: $(tail -5 "$home/init.log")"
    port=$(free_port)
    # For the test of TLS; the others go without.
    openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=localhost -days 3650 -out "$data/server.crt" -keyout "$data/server.key" \
      2>"$home/openssl.log" || fail "openssl could not make a certificate: $(tail -5 "$home/openssl.log")"
    chmod 600 "$data/server.key"
    [ "$(id -u)" != 0 ] || chown "$(owner)" "$data/server.crt" "$data/server.key"
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
ssl = on
CONF
    unprivileged "$bin/pg_ctl" -w -s -D "$data" -l "$data/log" start </dev/null >&2 || fail "no start: $(tail -5 "$data/log")"
    echo "postgres://postgres@127.0.0.1:$port/postgres?sslmode=disable" >"$home/url"
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
