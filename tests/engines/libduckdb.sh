#!/usr/bin/env bash
# The library of DuckDB, which the npm package of its Node client holds. usage: libduckdb.sh install | env
# `env` prints what cargo needs to build and to run idemsql with the feature duckdb: eval "$(tests/engines/libduckdb.sh env)"
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
# The version is that of the crate duckdb, which writes 1.5.6 as 1.10506.
version=1.5.6-r.1

package() {
  case $(uname -sm) in
  "Linux x86_64") echo @duckdb/node-bindings-linux-x64 ;;
  "Linux aarch64") echo @duckdb/node-bindings-linux-arm64 ;;
  *) fail "no package is known for $(uname -sm)" ;;
  esac
}

root=$cache/libduckdb-$version
library=$root/node_modules/$(package)

case ${1:-} in
install)
  [ -e "$library/libduckdb.so" ] && exit
  command -v npm >/dev/null || apt_install npm
  mkdir -p "$root"
  npm install --silent --no-audit --no-fund --prefix "$root" "$(package)@$version" >&2 || fail "npm could not install $(package)"
  [ -e "$library/libduckdb.so" ] || fail "$(package) has no libduckdb.so"
  ;;
env)
  [ -e "$library/libduckdb.so" ] || fail "not installed: run $0 install"
  echo "export DUCKDB_LIB_DIR='$library'"
  echo "export LD_LIBRARY_PATH='$library'\${LD_LIBRARY_PATH:+:\$LD_LIBRARY_PATH}"
  ;;
*) fail "usage: $0 install | env" ;;
esac
