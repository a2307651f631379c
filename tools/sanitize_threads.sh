#!/bin/sh
# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
#
# Builds with ThreadSanitizer, then runs the C++ tests, among them those of the pool, the allocator,
# threads that share tensors, and hooks that come and go while others call. What happens inside of
# foreign libraries is left out by tools/thread_sanitizer.supp, which gives the reasons.
set -eu
cd "$(dirname "$0")/.."
build=build/sanitize-threads

cmake -S . -B $build -G Ninja --log-level=WARNING -DPADDLE_SANITIZE=thread -DPADDLE_BUILD_TESTS=ON
cmake --build $build
export TSAN_OPTIONS="suppressions=$PWD/tools/thread_sanitizer.supp:second_deadlock_stack=1:halt_on_error=0:exitcode=66"
ctest --test-dir $build --output-on-failure "$@"
