// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The kernel of matmul_epilogue: one oneDNN primitive with packed weights, in float32 or bfloat16.
// For other types, and where the library has none, the decomposition is the implementation.
#include "paddle_core/op/args.h"
#include "paddle_core/op/registry.h"
#include "phi_kernels/cpu/onednn.h"
#include "phi_kernels/cpu/onednn_epilogue.h"

namespace paddle::cpu {
namespace {

using dnnl::memory;
constexpr int kBias = 2, kResidual = 3, kTranspose = 4, kEpilogue = 5;

struct Problem {
  int64_t rows, columns, inner, has_bias, threads;
  FusedTypes types;
};

memory::data_type type_of(int64_t dtype) { return library_type(static_cast<DType>(dtype)); }

memory::desc row_major(int64_t rows, int64_t columns, int64_t dtype) {
  return {{rows, columns}, type_of(dtype), memory::dims{columns, 1}};
}

// The weights are [columns, inner] in an order of the library's choice.
FusedPrimitive create(const Problem& p, const Epilogue& epilogue) {
  const memory::desc src = row_major(p.rows, p.inner, p.types.src),
                     dst = row_major(p.rows, p.columns, p.types.dst),
                     residual = row_major(p.rows, p.columns, p.types.residual);
  const memory::desc weights({p.columns, p.inner}, src.get_data_type(), memory::format_tag::any);
  const memory::desc bias =
      p.has_bias ? memory::desc({p.columns}, type_of(p.types.bias), memory::format_tag::a)
                 : memory::desc();
  const dnnl::inner_product_forward::primitive_desc desc(
      onednn_engine(), dnnl::prop_kind::forward_inference, src, weights, bias, dst,
      epilogue_attributes(epilogue, residual));
  return {dnnl::primitive(desc), desc.src_desc(),       desc.weights_desc(), bias, residual,
          desc.dst_desc(),       desc.scratchpad_desc()};
}

void multiply(Problem p, KernelContext& c, const Tensor& x, const Tensor& y) {
  const Tensor bias = p.has_bias ? c.in_tensor(kBias).contiguous_copy_if_needed() : Tensor();
  const Tensor residual =
      c.has(kResidual) ? c.in_tensor(kResidual).contiguous_copy_if_needed() : Tensor();
  p.types = fused_types(x, bias, residual, Tensor(IntrusivePtr<TensorImpl>::share(&c.out(0))));
  const std::string_view text = c.text(kEpilogue);
  const Epilogue epilogue = parse_epilogue(text, "matmul_epilogue");
  std::string key("matmul");
  append_bytes(key, p);
  key += text;
  const auto primitive = fused_cache().get(key, [&] { return create(p, epilogue); });
  const memory::dims strides =
      c.b(kTranspose) ? memory::dims{p.inner, 1} : memory::dims{1, p.columns};
  StoragePtr packed;
  const memory weights = packed_weights(y, {{p.columns, p.inner}, library_type(y.dtype()), strides},
                                        primitive->weights, /*grouped=*/true, packed);
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
  const Problem p{c.out(0).numel / columns, columns, inner, c.has(kBias), threads.now, {}};
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
  if (is_fused_dtype(c.in(0).dtype) && c.in(0).numel != 0 && through_library(c)) return;
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
