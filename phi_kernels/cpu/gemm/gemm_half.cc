// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// float16 and bfloat16 products through oneDNN's matmul; primitives are kept by problem and thread
// count. For rows that lie apart the library has no fast implementation: they are copied.
#include "phi_kernels/cpu/gemm/gemm_half.h"

#include <cstring>
#include <string_view>

#include "paddle_core/base/error.h"
#include "paddle_core/tensor/storage.h"
#include "phi_kernels/cpu/isa/batch_invariant.h"
#include "phi_kernels/cpu/libraries/onednn.h"
#include "phi_kernels/cpu/libraries/onednn_epilogue.h"
#include "phi_kernels/cpu/libraries/onednn_isa.h"

namespace paddle::cpu {
namespace {

using dnnl::memory;
constexpr int64_t kSmallWork = 1 << 15;  // multiply-adds

struct Problem {
  int64_t m, n, k, lda, ldb, ldc, trans_a, trans_b, accumulate, threads, dtype, result;
};

memory::desc matrix(DType dtype, int64_t rows, int64_t columns, int64_t ld, bool transposed) {
  return {
      {rows, columns}, library_type(dtype), transposed ? memory::dims{1, ld} : memory::dims{ld, 1}};
}

FusedPrimitive create(const Problem& p) {
  const auto type = static_cast<DType>(p.dtype);
  const memory::desc a = matrix(type, p.m, p.k, p.lda, p.trans_a != 0),
                     b = matrix(type, p.k, p.n, p.ldb, p.trans_b != 0),
                     c = matrix(static_cast<DType>(p.result), p.m, p.n, p.ldc, false);
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  if (p.accumulate) {
    dnnl::post_ops ops;
    ops.append_sum();
    attributes.set_post_ops(ops);
  }
  const dnnl::matmul::primitive_desc desc(onednn_engine(), a, b, c, attributes, true);
  // The other implementations are up to a thousand times as slow.
  if (!desc || !std::string_view(desc.impl_info_str()).starts_with("brg")) return {};
  return {dnnl::primitive(desc), a, b, memory::desc(), memory::desc(), c, desc.scratchpad_desc()};
}

bool run(const Problem& p, const void* a, const void* b, void* c) {
  std::string key("gemm");
  append_bytes(key, p);
  const dnnl::engine& cpu = onednn_engine();
  const auto at = [&](const memory::desc& desc, const void* data) {
    return memory(desc, cpu, const_cast<void*>(data));
  };
  try {
    const auto primitive = fused_cache().get(key, [&] { return create(p); });
    if (!primitive->primitive) return false;
    execute_fused(*primitive,
                  {{}, at(primitive->src, a), at(primitive->weights, b), at(primitive->dst, c)});
    return true;
  } catch (const dnnl::error& e) {
    throw_error(e.status == dnnl_out_of_memory ? ErrorKind::kMemory : ErrorKind::kRuntime,
                str("matmul: oneDNN reports: ", e.what(), "."));
  }
}

// Rows of 16-bit numbers that lie apart, one behind the other.
StoragePtr packed(const void* from, int64_t rows, int64_t columns, int64_t ld) {
  const size_t width = static_cast<size_t>(columns) * 2;
  StoragePtr to = Storage::allocate(static_cast<size_t>(rows) * width, Place());
  for (int64_t i = 0; i < rows; ++i) {
    std::memcpy(static_cast<char*>(to->data()) + static_cast<size_t>(i) * width,
                static_cast<const char*>(from) + i * ld * 2, width);
  }
  return to;
}

bool multiply(const GemmShape& s, DType dtype, const void* a, const void* b, DType result, void* c,
              bool accumulate) {
  if (batch_invariant() || s.m * s.n * s.k < kSmallWork || !onednn_multiplies(dtype)) return false;
  const LibraryThreads threads;
  Problem p{s.m,
            s.n,
            s.k,
            s.lda,
            s.ldb,
            s.ldc,
            s.trans_a,
            s.trans_b,
            accumulate,
            threads.now,
            static_cast<int64_t>(dtype),
            static_cast<int64_t>(result)};
  if (run(p, a, b, c)) return true;
  const int64_t rows_a = s.trans_a ? s.k : s.m, rows_b = s.trans_b ? s.n : s.k;
  p.lda = s.trans_a ? s.m : s.k;
  p.ldb = s.trans_b ? s.k : s.n;
  if (p.lda == s.lda && p.ldb == s.ldb) return false;
  return run(p, packed(a, rows_a, p.lda, s.lda)->data(), packed(b, rows_b, p.ldb, s.ldb)->data(),
             c);
}

}  // namespace

template <typename T>
bool native_gemm(const GemmShape& s, const T* a, const T* b, T* c, bool accumulate) {
  constexpr DType dtype = DTypeOf<T>::value;
  return multiply(s, dtype, a, b, dtype, c, accumulate);
}
template <typename T>
bool native_gemm(const GemmShape& s, const T* a, const T* b, float* c, bool accumulate) {
  return multiply(s, DTypeOf<T>::value, a, b, DType::kFloat32, c, accumulate);
}

template bool native_gemm(const GemmShape&, const float16*, const float16*, float16*, bool);
template bool native_gemm(const GemmShape&, const bfloat16*, const bfloat16*, bfloat16*, bool);
template bool native_gemm(const GemmShape&, const float16*, const float16*, float*, bool);
template bool native_gemm(const GemmShape&, const bfloat16*, const bfloat16*, float*, bool);

}  // namespace paddle::cpu
