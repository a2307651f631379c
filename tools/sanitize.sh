#!/bin/sh
# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
#
# Builds with AddressSanitizer and UndefinedBehaviorSanitizer, then runs the C++ tests, the operator
# table and the other Python tests. Arguments are passed to pytest instead of the latter two. What
# a sanitizer reports is printed at the end.
set -eu
cd "$(dirname "$0")/.."
build=build/sanitize

cmake -S . -B $build -G Ninja -DPADDLE_SANITIZE=address,undefined -DPADDLE_BUILD_TESTS=ON
cmake --build $build
# Objects that live as long as the process are no leaks; Python itself frees little at exit. Memory
# that cannot be had is an error that tests ask for.
export ASAN_OPTIONS=detect_leaks=0:strict_string_checks=1:allocator_may_return_null=1
export UBSAN_OPTIONS=print_stacktrace=1
ctest --test-dir $build --output-on-failure

(cd python && find paddle \( -name '*.py' -o -name '*.txt' \) -print) | while read -r file; do
  mkdir -p "$build/python/$(dirname "$file")"
  cp "python/$file" "$build/python/$file"
done
[ $# -gt 0 ] || set -- tests --ignore=tests/architecture
rm -f $build/report.*
# pytest holds back what a dying process writes to stderr: the reports go to files.
ASAN_OPTIONS="$ASAN_OPTIONS:log_path=$PWD/$build/report" UBSAN_OPTIONS="$UBSAN_OPTIONS:log_path=$PWD/$build/report" \
  PYTHONMALLOC=malloc PYTHONPATH="$PWD/$build/python" \
  LD_PRELOAD="$(g++ -print-file-name=libasan.so):$(g++ -print-file-name=libstdc++.so.6)" \
  .venv/bin/python -m pytest -q -x -m "not slow and not unsanitized" "$@" || failed=1
for report in $build/report.*; do
  [ ! -f "$report" ] || cat "$report"
done
exit ${failed:-0}
