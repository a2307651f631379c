#!/bin/sh
# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
#
# Builds with AddressSanitizer and UndefinedBehaviorSanitizer, then runs the C++ tests and the
# operator table. Arguments are passed to pytest; without any: the operator table.
set -eu
cd "$(dirname "$0")/.."
build=build/sanitize

cmake -S . -B $build -G Ninja -DPADDLE_SANITIZE=address,undefined -DPADDLE_BUILD_TESTS=ON
cmake --build $build
# Objects that live as long as the process are no leaks; Python itself frees little at exit.
export ASAN_OPTIONS=detect_leaks=0:strict_string_checks=1 UBSAN_OPTIONS=print_stacktrace=1
ctest --test-dir $build --output-on-failure

(cd python && find paddle -name '*.py' -print) | while read -r file; do
  mkdir -p "$build/python/$(dirname "$file")"
  cp "python/$file" "$build/python/$file"
done
[ $# -gt 0 ] || set -- tests/test_op_cases.py
PYTHONMALLOC=malloc PYTHONPATH="$PWD/$build/python" \
  LD_PRELOAD="$(g++ -print-file-name=libasan.so):$(g++ -print-file-name=libstdc++.so.6)" \
  .venv/bin/python -m pytest -q -x "$@"
