// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The only use of OpenMP by our own loops. Ranges are cut at multiples of `grain`, in the same
// way for every thread count only where the caller asks for fixed blocks; kernels whose result
// depends on the cut (reductions, random) must use fixed blocks of their own.
#pragma once

#include <cstdint>
#include <type_traits>

#include "paddle_core/base/export.h"

namespace paddle {

PADDLE_API int num_threads();
PADDLE_API void set_num_threads(int n);
// True on a thread that is already inside a parallel region, or in a forked child.
PADDLE_API bool must_run_serially();

namespace detail {
using RangeFn = void (*)(void* context, int64_t begin, int64_t end);
PADDLE_API void parallel_for_impl(int64_t begin, int64_t end, int64_t grain, void* context,
                                  RangeFn fn);
}  // namespace detail

// Calls body(begin_i, end_i) over disjoint ranges that cover [begin, end). Serial when the range
// is not longer than `grain`. An exception in a worker is thrown again on the calling thread.
template <typename Body>
void parallel_for(int64_t begin, int64_t end, int64_t grain, Body&& body) {
  if (end <= begin) return;
  if (end - begin <= grain) {
    body(begin, end);
    return;
  }
  detail::parallel_for_impl(begin, end, grain, &body, [](void* context, int64_t b, int64_t e) {
    (*static_cast<std::remove_reference_t<Body>*>(context))(b, e);
  });
}

}  // namespace paddle
