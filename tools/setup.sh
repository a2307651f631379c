#!/bin/sh
# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
#
# Prepares a machine: installs missing system packages (as root, from tools/system_packages.txt),
# creates .venv and installs the pinned Python packages. Does nothing when all is there.
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
wanted="$(cat tools/requirements-*.txt | cksum)"
if [ "$(cat .venv/requirements.cksum 2>/dev/null || true)" != "$wanted" ]; then
  echo "setup: installing Python packages into .venv"
  .venv/bin/python -m pip install -q --disable-pip-version-check \
    -r tools/requirements-build.txt -r tools/requirements-test.txt
  echo "$wanted" >.venv/requirements.cksum
fi
