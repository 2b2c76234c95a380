#!/usr/bin/env bash
# Firebird embedded, from PyPI. It has no server. usage: firebird.sh install | start | url | stop | bridge SOCKET FOLDER
# `bridge` is a process of sessions on a database in the folder, spoken to as bridge.py says.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
packages=(firebird-driver==2.1.0 firebird-base==2.0.4 firebird-embedded==5.0.4.4)

case ${1:-} in
install)
  venv firebird "${packages[@]}" >/dev/null
  # The one library that the package takes from the machine.
  PATH=$PATH:/usr/sbin:/sbin ldconfig -p | grep -q 'libtommath\.so\.1 ' || apt_install libtommath1
  ;;
start | url) echo "firebird:" ;;
stop) ;;
bridge)
  python=$(venv firebird "${packages[@]}")
  FIREBIRD=$("$python" -c 'import firebird.embedded as it; print(next(iter(it.__path__)))')/runtime
  # Its locks are those of this database alone.
  export FIREBIRD FIREBIRD_LOCK=${3:?the folder} LD_LIBRARY_PATH=$FIREBIRD
  bridge firebird "$python" "${@:2}"
  ;;
*) fail "usage: $0 install | start | url | stop | bridge SOCKET FOLDER" ;;
esac
