#!/bin/sh
# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
#
# Builds with sanitizers, then runs the C++ tests and Python tests under them. What a sanitizer
# reports is printed at the end.
#   sanitize.sh [PYTEST ARGUMENTS]            AddressSanitizer and UndefinedBehaviorSanitizer, on the
#                                             operator table and the other Python tests
#   sanitize.sh --threads [PYTEST ARGUMENTS]  ThreadSanitizer, on the Python tests marked `threads`
# Arguments are passed to pytest instead of the folder of tests.
set -eu
cd "$(dirname "$0")/.."

kind=memory set_openmp=
[ "${1:-}" != --threads ] || { kind=threads; shift; }
if [ $kind = memory ]; then
  build=build/sanitize sanitizers=address,undefined chosen="not slow and not unsanitized"
  runtime="$(g++ -print-file-name=libasan.so)"
  # Objects that live as long as the process are no leaks; Python itself frees little at exit. Memory
  # that cannot be had is an error that tests ask for.
  export ASAN_OPTIONS=detect_leaks=0:strict_string_checks=1:allocator_may_return_null=1
  export UBSAN_OPTIONS=print_stacktrace=1
else
  build=build/sanitize-threads sanitizers=thread chosen="threads and not unsanitized"
  # GCC's OpenMP runtime tells ThreadSanitizer nothing: every range of parallel_for would be a race.
  # LLVM's runtime also serves code that GCC has compiled, and its tool Archer says what comes before
  # what.
  archer="$(ls /usr/lib/llvm-*/lib/libarcher.so 2>/dev/null | tail -1)"
  [ -n "$archer" ] || { echo "sanitize: libarcher.so was not found; apt-get install libomp-dev." >&2; exit 1; }
  llvm="$(dirname "$archer")"
  set_openmp="-DOpenMP_gomp_LIBRARY=$llvm/libomp.so"
  export OMP_TOOL_LIBRARIES="$archer"
  runtime="$(g++ -print-file-name=libtsan.so)"
  # Two threads at least, on a machine with one processor as well.
  export OMP_NUM_THREADS="${OMP_NUM_THREADS:-3}"
  export TSAN_OPTIONS="history_size=4:suppressions=$PWD/tools/sanitize_threads.supp"
fi

cmake -S . -B $build -G Ninja -DPADDLE_SANITIZE=$sanitizers -DPADDLE_BUILD_TESTS=ON $set_openmp
cmake --build $build
rm -f $build/report.*
failed=0
ctest --test-dir $build --output-on-failure || failed=1

(cd python && find paddle \( -name '*.py' -o -name '*.txt' \) -print) | while read -r file; do
  mkdir -p "$build/python/$(dirname "$file")"
  cp "python/$file" "$build/python/$file"
done
[ $# -gt 0 ] || set -- tests --ignore=tests/architecture
# pytest holds back what a dying process writes to stderr: the reports go to files.
log="log_path=$PWD/$build/report"
ASAN_OPTIONS="${ASAN_OPTIONS:-}:$log" UBSAN_OPTIONS="${UBSAN_OPTIONS:-}:$log" TSAN_OPTIONS="${TSAN_OPTIONS:-}:$log" \
  PYTHONMALLOC=malloc PYTHONPATH="$PWD/$build/python" \
  LD_PRELOAD="$runtime:$(g++ -print-file-name=libstdc++.so.6)" \
  .venv/bin/python -m pytest -q -m "$chosen" "$@" || failed=1
for report in $build/report.*; do
  [ ! -f "$report" ] || { cat "$report"; failed=1; }
done
exit $failed
