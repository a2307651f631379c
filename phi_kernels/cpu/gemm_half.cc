// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// float16 and bfloat16 products through oneDNN's matmul; primitives are kept by problem and thread
// count.
#include "phi_kernels/cpu/gemm_half.h"

#include "paddle_core/base/error.h"
#include "phi_kernels/cpu/onednn.h"
#include "phi_kernels/cpu/onednn_epilogue.h"
#include "phi_kernels/cpu/onednn_isa.h"

namespace paddle::cpu {
namespace {

using dnnl::memory;
constexpr int64_t kSmallWork = 1 << 15;  // multiply-adds

struct Problem {
  int64_t m, n, k, lda, ldb, ldc, trans_a, trans_b, accumulate, threads, dtype;
};

memory::desc matrix(DType dtype, int64_t rows, int64_t columns, int64_t ld, bool transposed) {
  return {
      {rows, columns}, library_type(dtype), transposed ? memory::dims{1, ld} : memory::dims{ld, 1}};
}

FusedPrimitive create(const Problem& p) {
  const auto type = static_cast<DType>(p.dtype);
  const memory::desc a = matrix(type, p.m, p.k, p.lda, p.trans_a != 0),
                     b = matrix(type, p.k, p.n, p.ldb, p.trans_b != 0),
                     c = matrix(type, p.m, p.n, p.ldc, false);
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  if (p.accumulate) {
    dnnl::post_ops ops;
    ops.append_sum();
    attributes.set_post_ops(ops);
  }
  const dnnl::matmul::primitive_desc desc(onednn_engine(), a, b, c, attributes);
  return {dnnl::primitive(desc), a, b, memory::desc(), memory::desc(), c, desc.scratchpad_desc()};
}

}  // namespace

template <typename T>
bool native_gemm(const GemmShape& s, const T* a, const T* b, T* c, bool accumulate) {
  constexpr DType dtype = DTypeOf<T>::value;
  if (s.m * s.n * s.k < kSmallWork || !onednn_multiplies(dtype)) return false;
  const LibraryThreads threads;
  const Problem p{s.m,
                  s.n,
                  s.k,
                  s.lda,
                  s.ldb,
                  s.ldc,
                  s.trans_a,
                  s.trans_b,
                  accumulate,
                  threads.now,
                  static_cast<int64_t>(dtype)};
  std::string key("gemm");
  append_bytes(key, p);
  const dnnl::engine& cpu = onednn_engine();
  const auto at = [&](const memory::desc& desc, const T* data) {
    return memory(desc, cpu, const_cast<T*>(data));
  };
  try {
    const auto primitive = fused_cache().get(key, [&] { return create(p); });
    execute_fused(*primitive,
                  {{}, at(primitive->src, a), at(primitive->weights, b), at(primitive->dst, c)});
    return true;
  } catch (const dnnl::error& e) {
    if (e.status == dnnl_unimplemented) return false;
    throw_error(e.status == dnnl_out_of_memory ? ErrorKind::kMemory : ErrorKind::kRuntime,
                str("matmul: oneDNN reports: ", e.what(), "."));
  }
}

template bool native_gemm(const GemmShape&, const float16*, const float16*, float16*, bool);
template bool native_gemm(const GemmShape&, const bfloat16*, const bfloat16*, bfloat16*, bool);

}  // namespace paddle::cpu
