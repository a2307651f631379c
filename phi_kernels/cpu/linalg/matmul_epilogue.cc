// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The kernel of matmul_epilogue: float32 through packed weights, tiles of split numbers or panels;
// bfloat16, and epilogues without loops of their own, through a oneDNN primitive. For other types,
// where the library has none, and where packed weights would take too much memory, the
// decomposition is the implementation; under FLAGS_batch_invariant also in place of oneDNN.
#include "paddle_core/dispatch/execute/decomposition.h"
#include "paddle_core/op/registry.h"
#include "phi_kernels/cpu/gemm/panels.h"
#include "phi_kernels/cpu/gemm/split_product.h"
#include "phi_kernels/cpu/isa/batch_invariant.h"
#include "phi_kernels/cpu/libraries/onednn.h"
#include "phi_kernels/cpu/libraries/onednn_epilogue.h"

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

// What all implementations read, contiguous.
struct Operands {
  Tensor x, y, bias, residual;
  explicit Operands(KernelContext& c)
      : x(c.in_tensor(0).contiguous_copy_if_needed()),
        y(c.in_tensor(1).contiguous_copy_if_needed()) {
    if (c.has(kBias)) bias = c.in_tensor(kBias).contiguous_copy_if_needed();
    if (c.has(kResidual)) residual = c.in_tensor(kResidual).contiguous_copy_if_needed();
  }
};

const float* floats_of(const Tensor& t) { return t.defined() ? t.data<float>() : nullptr; }
const void* data_of(const Tensor& t) { return t.defined() ? t.raw_data() : nullptr; }

bool through_kept_weights(KernelContext& c, const Operands& t, const Problem& p) {
  if (!is_float32(p.types)) return false;
  const auto epilogue = RowEpilogue::of(parse_epilogue(c.text(kEpilogue), "matmul_epilogue"));
  if (!epilogue) return false;
  if (split_product_of_kept(p.rows, p.columns, p.inner, t.x.data<float>(), t.y, c.b(kTranspose),
                            {floats_of(t.bias), *epilogue, floats_of(t.residual)},
                            KeptFrom::kFirstUse, c.out_data<float>(0))) {
    return true;
  }
  const StoragePtr panels = kept_panels(t.y, p.inner, p.columns, c.b(kTranspose), p.rows);
  if (!panels) return false;
  multiply_panels({p.rows, p.columns, p.inner, p.inner, t.x.data<float>(),
                   static_cast<const float*>(panels->data()), floats_of(t.bias),
                   c.out_data<float>(0), *epilogue, floats_of(t.residual)});
  return true;
}

void multiply(const Problem& p, KernelContext& c, const Operands& t) {
  const std::string_view text = c.text(kEpilogue);
  const Epilogue epilogue = parse_epilogue(text, "matmul_epilogue");
  std::string key("matmul");
  append_bytes(key, p);
  key += text;
  const auto primitive = fused_cache().get(key, [&] { return create(p, epilogue); });
  const memory::dims strides =
      c.b(kTranspose) ? memory::dims{p.inner, 1} : memory::dims{1, p.columns};
  StoragePtr packed;
  const memory weights =
      packed_weights(t.y, {{p.columns, p.inner}, library_type(t.y.dtype()), strides},
                     primitive->weights, /*grouped=*/true, packed);
  const dnnl::engine& cpu = onednn_engine();
  execute_fused(*primitive, {epilogue, memory(primitive->src, cpu, t.x.raw_data()), weights,
                             memory(primitive->dst, cpu, c.out(0).data()), data_of(t.bias),
                             data_of(t.residual)});
}

bool through_library(KernelContext& c, const Operands& t, Problem p) {
  const LibraryThreads threads;
  p.threads = threads.now;
  try {
    multiply(p, c, t);
    return true;
  } catch (const dnnl::error& e) {
    if (e.status == dnnl_unimplemented) return false;
    throw_error(e.status == dnnl_out_of_memory ? ErrorKind::kMemory : ErrorKind::kRuntime,
                str("matmul_epilogue: oneDNN reports: ", e.what(), "."));
  }
}

bool compute(KernelContext& c) {
  const int64_t columns = c.out(0).shape.back().value();
  const Operands t(c);
  const Tensor out(IntrusivePtr<TensorImpl>::share(&c.out(0)));
  const Problem p{c.out(0).numel / columns,
                  columns,
                  t.x.size(-1),
                  c.has(kBias),
                  1,
                  fused_types(t.x, t.bias, t.residual, out)};
  if (through_kept_weights(c, t, p)) return true;
  return !batch_invariant() && through_library(c, t, p);
}

void kernel(KernelContext& c) {
  if (c.out(0).numel == 0) return;
  if (is_fused_dtype(c.in(0).dtype) && c.in(0).numel != 0 && compute(c)) return;
  const Tensor out(IntrusivePtr<TensorImpl>::share(&c.out(0)));
  out.copy_data_from(decomposed(c.op(), &c.slot(0)).at(0));
}

}  // namespace

void register_matmul_epilogue_cpu(Registry& r) {
  r.kernel("matmul_epilogue", DeviceKind::kCpu,
           {DType::kFloat32, DType::kFloat64, DType::kFloat16, DType::kBFloat16}, kernel,
           /*strided=*/true);
}

}  // namespace paddle::cpu
