// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The kernel of matmul_epilogue: one oneDNN primitive with packed weights, in float32. For other
// types, and where the library has none, the decomposition is the implementation.
#include "paddle_core/op/args.h"
#include "paddle_core/op/registry.h"
#include "phi_kernels/cpu/onednn.h"
#include "phi_kernels/cpu/onednn_epilogue.h"

namespace paddle::cpu {
namespace {

using dnnl::memory;
constexpr auto kFloat = memory::data_type::f32;
constexpr int kBias = 2, kResidual = 3, kTranspose = 4, kEpilogue = 5;

struct Problem {
  int64_t rows, columns, inner, has_bias, threads;
};

memory::desc row_major(int64_t rows, int64_t columns) {
  return {{rows, columns}, kFloat, memory::dims{columns, 1}};
}

// The weights are [columns, inner] in an order of the library's choice.
FusedPrimitive create(const Problem& p, const Epilogue& epilogue) {
  const memory::desc src = row_major(p.rows, p.inner), dst = row_major(p.rows, p.columns);
  const memory::desc weights({p.columns, p.inner}, kFloat, memory::format_tag::any);
  const memory::desc bias =
      p.has_bias ? memory::desc({p.columns}, kFloat, memory::format_tag::a) : memory::desc();
  const dnnl::inner_product_forward::primitive_desc desc(
      onednn_engine(), dnnl::prop_kind::forward_inference, src, weights, bias, dst,
      epilogue_attributes(epilogue, dst));
  return {dnnl::primitive(desc), desc.src_desc(),       desc.weights_desc(), bias,
          desc.dst_desc(),       desc.scratchpad_desc()};
}

void multiply(const Problem& p, KernelContext& c, const Tensor& x, const Tensor& y) {
  const std::string_view text = c.text(kEpilogue);
  const Epilogue epilogue = parse_epilogue(text, "matmul_epilogue");
  std::string key("matmul");
  append_bytes(key, p);
  key += text;
  const auto primitive = fused_cache().get(key, [&] { return create(p, epilogue); });
  const memory::dims strides =
      c.b(kTranspose) ? memory::dims{p.inner, 1} : memory::dims{1, p.columns};
  StoragePtr packed;
  const memory weights = packed_weights(y, {{p.columns, p.inner}, kFloat, strides},
                                        primitive->weights, /*grouped=*/true, packed);
  const Tensor bias = p.has_bias ? c.in_tensor(kBias).contiguous_copy_if_needed() : Tensor();
  const Tensor residual =
      c.has(kResidual) ? c.in_tensor(kResidual).contiguous_copy_if_needed() : Tensor();
  const dnnl::engine& cpu = onednn_engine();
  execute_fused(*primitive, {epilogue, memory(primitive->src, cpu, x.raw_data()), weights,
                             memory(primitive->dst, cpu, c.out(0).data()),
                             bias.defined() ? bias.raw_data() : nullptr,
                             residual.defined() ? residual.raw_data() : nullptr});
}

bool through_library(KernelContext& c) {
  const Tensor x = c.in_tensor(0).contiguous_copy_if_needed();
  const Tensor y = c.in_tensor(1).contiguous_copy_if_needed();
  const LibraryThreads threads;
  const int64_t columns = c.out(0).shape.back().value(), inner = x.size(-1);
  const Problem p{c.out(0).numel / columns, columns, inner, c.has(kBias), threads.now};
  try {
    multiply(p, c, x, y);
    return true;
  } catch (const dnnl::error& e) {
    if (e.status == dnnl_unimplemented) return false;
    throw_error(e.status == dnnl_out_of_memory ? ErrorKind::kMemory : ErrorKind::kRuntime,
                str("matmul_epilogue: oneDNN reports: ", e.what(), "."));
  }
}

void kernel(KernelContext& c) {
  if (c.out(0).numel == 0) return;
  const bool fits = c.in(0).dtype == DType::kFloat32 && c.in(0).numel != 0;
  if (fits && through_library(c)) return;
  Args args(c.op(), &c.slot(0));
  const Tensor out(IntrusivePtr<TensorImpl>::share(&c.out(0)));
  out.copy_data_from(c.op().decompose_fn(args).at(0));
}

}  // namespace

void register_matmul_epilogue_cpu(Registry& r) {
  r.kernel("matmul_epilogue", DeviceKind::kCpu,
           {DType::kFloat32, DType::kFloat64, DType::kFloat16, DType::kBFloat16}, kernel,
           /*strided=*/true);
}

}  // namespace paddle::cpu
