// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// bfloat16 products through oneDNN's matmul; primitives are kept by problem and thread count.
#include "phi_kernels/cpu/gemm_bfloat16.h"

#include "paddle_core/base/error.h"
#include "phi_kernels/cpu/conv.h"
#include "phi_kernels/cpu/onednn.h"
#include "phi_kernels/cpu/onednn_epilogue.h"

namespace paddle::cpu {
namespace {

using dnnl::memory;
constexpr int64_t kSmallWork = 1 << 15;  // multiply-adds

struct Problem {
  int64_t m, n, k, lda, ldb, ldc, trans_a, trans_b, accumulate, threads;
};

memory::desc matrix(int64_t rows, int64_t columns, int64_t ld, bool transposed) {
  return {{rows, columns},
          memory::data_type::bf16,
          transposed ? memory::dims{1, ld} : memory::dims{ld, 1}};
}

FusedPrimitive create(const Problem& p) {
  const memory::desc a = matrix(p.m, p.k, p.lda, p.trans_a != 0),
                     b = matrix(p.k, p.n, p.ldb, p.trans_b != 0),
                     c = matrix(p.m, p.n, p.ldc, false);
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

bool native_gemm(const GemmShape& s, const bfloat16* a, const bfloat16* b, bfloat16* c,
                 bool accumulate) {
  if (s.m * s.n * s.k < kSmallWork || !onednn_multiplies_bfloat16()) return false;
  const LibraryThreads threads;
  const Problem p{s.m,   s.n,       s.k,       s.lda,      s.ldb,
                  s.ldc, s.trans_a, s.trans_b, accumulate, threads.now};
  std::string key("gemm");
  append_bytes(key, p);
  const dnnl::engine& cpu = onednn_engine();
  const auto at = [&](const memory::desc& desc, const bfloat16* data) {
    return memory(desc, cpu, const_cast<bfloat16*>(data));
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

}  // namespace paddle::cpu
