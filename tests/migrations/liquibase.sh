#!/usr/bin/env bash
# Liquibase, a migration tool, for the tests. usage: liquibase.sh install|path
# It comes from npm with its drivers, without scripts of packages, into the cache of the tests. It needs the Java of the engines that
# do, which their scripts install.
set -euo pipefail
version=4.28.1
folder="${XDG_CACHE_HOME:-$HOME/.cache}/idemsql-tests/liquibase-$version"
program="$folder/node_modules/liquibase/dist/liquibase/liquibase"
case "${1:-}" in
install)
  [ -x "$program" ] && exit 0
  mkdir -p "$folder"
  npm install --silent --no-audit --no-fund --ignore-scripts --prefix "$folder" "liquibase@$version" >&2
  chmod +x "$program"
  ;;
path) echo "$program" ;;
*)
  echo "usage: liquibase.sh install|path" >&2
  exit 2
  ;;
esac
