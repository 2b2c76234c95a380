# Shared by the scripts of the engines that live in a Java process, beside lib.sh, which it sources. The process is
# jvm/Bridge.java: it keeps the database and gives each connection a session of its own.
#
# A script names its engine and says how it is had:
#
#   fetch       installs what is missing
#   classpath   prints the engine's jars
#   options     the virtual machine's options, an array
#   engine NAME COMMAND   the command

source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
options=(-Xmx512m)

# Java 17 or newer. Debian's runtime has the compiler's module, which is all that the bridge needs.
java_runtime() {
  command -v java >/dev/null || apt_install default-jre-headless
  java --list-modules 2>/dev/null | grep -q '^jdk.compiler@' || fail "this java has no module jdk.compiler"
}

engine() {
  local name=$1 home=$state/$1 jars server
  server=$(cat "$home/pid" 2>/dev/null || true)
  case ${2:-} in
  install) fetch ;;
  start)
    if ! runs java "$server"; then
      rm -rf "$home"
      mkdir -p "$home"
      jars=$(classpath) || fail "not installed: run $0 install"
      java -m jdk.compiler/com.sun.tools.javac.Main -cp "$jars" -d "$home/classes" "${sources[@]/#/$here/jvm/}" >&2 ||
        fail "the bridge does not compile"
      java "${options[@]}" -Duser.timezone=UTC -cp "$home/classes:$jars" Bridge "$name" "$home" \
        </dev/null >"$home/log" 2>&1 &
      server=$!
      echo "$server" >"$home/pid"
      if ! wait_for 120 port_or_end "$home/port" "$server" || [ ! -s "$home/port" ]; then
        kill "$server" 2>/dev/null || true
        fail "no start: $(tail -5 "$home/log")"
      fi
    fi
    echo "$name://127.0.0.1:$(cat "$home/port")$home"
    ;;
  url)
    runs java "$server" || fail "not started"
    echo "$name://127.0.0.1:$(cat "$home/port")$home"
    ;;
  stop)
    if runs java "$server"; then
      kill "$server"
      wait_for 30 ended java "$server" || fail "process $server does not end"
    fi
    rm -rf "$home"
    ;;
  *) fail "usage: $0 install | start | url | stop" ;;
  esac
}

# Done waiting when the port is known, or when the process has ended without one.
port_or_end() {
  [ -s "$1" ] || ended java "$2"
}
