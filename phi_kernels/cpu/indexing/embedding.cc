// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// embedding and its gradient. Ids are checked before any memory is touched; the gradient adds in
// the order of the ids, in float for 16-bit types.
#include <cstring>
#include <memory>

#include "paddle_core/device/parallel.h"
#include "paddle_core/op/registry.h"
#include "phi_kernels/cpu/loops/in_float32.h"
#include "phi_kernels/cpu/loops/indices.h"

namespace paddle::cpu {
namespace {

constexpr int64_t kGrainBytes = 256 * 1024;

void check_ids(const TensorImpl& x, int64_t rows, const char* op) {
  for (int64_t i = 0; i < x.numel; ++i) {
    const int64_t id = index_at(x, i);
    PADDLE_CHECK_INDEX(id >= 0 && id < rows, op, ": x holds id ", id, " but weight has ", rows,
                       " rows; ids must be in [0, ", rows, ").");
  }
}

int64_t padding_row(int64_t padding, int64_t rows) {
  return padding < -1 ? padding + rows : padding;
}

void embedding_kernel(KernelContext& k) {
  const TensorImpl &x = k.in(0), &weight = k.in(1);
  const int64_t rows = weight.shape[0].value(), width = weight.shape[1].value();
  check_ids(x, rows, "embedding");
  const int64_t bytes = width * static_cast<int64_t>(size_of(weight.dtype));
  if (x.numel * bytes == 0) return;
  const int64_t padding = padding_row(k.i(2), rows);
  const char* from = static_cast<const char*>(weight.data());
  char* to = static_cast<char*>(k.out(0).data());
  parallel_for(0, x.numel, std::max<int64_t>(1, kGrainBytes / bytes), [&](int64_t b, int64_t e) {
    for (int64_t i = b; i < e; ++i) {
      const int64_t id = index_at(x, i);
      if (id == padding) {
        std::memset(to + i * bytes, 0, static_cast<size_t>(bytes));
      } else {
        std::memcpy(to + i * bytes, from + id * bytes, static_cast<size_t>(bytes));
      }
    }
  });
}

template <typename T>
void embedding_grad_kernel(KernelContext& k) {
  const TensorImpl &x = k.in(0), &out = k.out(0);
  const int64_t rows = out.shape[0].value(), width = out.shape[1].value();
  check_ids(x, rows, "embedding_grad_dense");
  if (out.numel == 0) return;
  T* sums = k.out_data<T>(0);
  std::fill(sums, sums + out.numel, T(0));
  const int64_t padding = padding_row(k.i(3), rows);
  const T* g = x.numel ? k.in_data<T>(2) : nullptr;
  // Threads share the columns, so every row is added in the order of the ids.
  const int64_t grain =
      std::max<int64_t>(16, kGrainBytes / std::max<int64_t>(1, x.numel * int64_t(sizeof(T))));
  parallel_for(0, width, grain, [&](int64_t b, int64_t e) {
    for (int64_t i = 0; i < x.numel; ++i) {
      const int64_t id = index_at(x, i);
      if (id == padding) continue;
      T* row = sums + id * width;
      for (int64_t j = b; j < e; ++j) row[j] += g[i * width + j];
    }
  });
}

}  // namespace

void register_embedding_cpu(Registry& r) {
#define PADDLE_REGISTER(T, name) \
  r.kernel("embedding", DeviceKind::kCpu, {DType::name}, embedding_kernel);
  PADDLE_FOR_ALL_DTYPES(PADDLE_REGISTER)
#undef PADDLE_REGISTER
  const char* op = "embedding_grad_dense";
  add_floats<embedding_grad_kernel<float>, embedding_grad_kernel<double>>(r, op);
  r.kernel(op, DeviceKind::kCpu, {DType::kComplex64}, embedding_grad_kernel<std::complex<float>>);
  r.kernel(op, DeviceKind::kCpu, {DType::kComplex128}, embedding_grad_kernel<std::complex<double>>);
}

}  // namespace paddle::cpu
