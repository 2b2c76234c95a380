#!/usr/bin/env bash
# dbmate, a migration tool, for the tests. usage: dbmate.sh install|path
# It comes from npm, without scripts of packages, into the cache of the tests.
set -euo pipefail
version=2.36.0
folder="${XDG_CACHE_HOME:-$HOME/.cache}/idemsql-tests/dbmate-$version"
program="$folder/node_modules/.bin/dbmate"
case "${1:-}" in
install)
  [ -x "$program" ] && exit 0
  mkdir -p "$folder"
  npm install --silent --no-audit --no-fund --ignore-scripts --prefix "$folder" "dbmate@$version" >&2
  ;;
path) echo "$program" ;;
*)
  echo "usage: dbmate.sh install|path" >&2
  exit 2
  ;;
esac
