// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Post-operations, kept primitives and packed weights of fused operators.
#include "phi_kernels/cpu/libraries/onednn_epilogue.h"

#include "phi_kernels/cpu/libraries/onednn_isa.h"
#include "phi_kernels/cpu/libraries/onednn_weights.h"
#include "phi_kernels/cpu/libraries/packed_weights.h"

namespace paddle::cpu {
namespace {

using dnnl::algorithm;
using Kind = EpilogueStep::Kind;

void append_function(dnnl::post_ops& ops, const EpilogueStep& step) {
  const auto a = static_cast<float>(step.a), b = static_cast<float>(step.b);
  switch (step.kind) {
    case Kind::kRelu:
      return ops.append_eltwise(algorithm::eltwise_relu, 0, 0);
    case Kind::kLeakyRelu:
      return ops.append_eltwise(algorithm::eltwise_relu, a, 0);
    case Kind::kSigmoid:
      return ops.append_eltwise(algorithm::eltwise_logistic, 0, 0);
    case Kind::kHardSigmoid:
      return ops.append_eltwise(algorithm::eltwise_hardsigmoid, a, b);
    case Kind::kHardSwish:
      return ops.append_eltwise(algorithm::eltwise_hardswish, 1.0F / 6, 0.5F);
    case Kind::kSwish:
      return ops.append_eltwise(algorithm::eltwise_swish, a, 0);
    case Kind::kTanh:
      return ops.append_eltwise(algorithm::eltwise_tanh, 0, 0);
    case Kind::kGelu:
      return ops.append_eltwise(algorithm::eltwise_gelu_erf, 0, 0);
    case Kind::kGeluTanh:
      return ops.append_eltwise(algorithm::eltwise_gelu_tanh, 0, 0);
    case Kind::kClip:
      return ops.append_eltwise(algorithm::eltwise_clip, a, b);
    default:
      return ops.append_eltwise(algorithm::eltwise_linear, a, b);
  }
}

}  // namespace

const dnnl::engine& onednn_engine() {
  // Primitives are kept here; the library's own cache would hold on to those that are given up.
  static const dnnl::engine cpu = [] {
    dnnl::set_primitive_cache_capacity(128);
    return dnnl::engine(dnnl::engine::kind::cpu, 0);
  }();
  return cpu;
}

dnnl::stream& onednn_stream() {
  thread_local dnnl::stream s(onednn_engine());
  return s;
}

bool is_fused_dtype(DType dtype) {
  return dtype == DType::kFloat32 || (dtype == DType::kBFloat16 && onednn_multiplies(dtype));
}

dnnl::memory::data_type library_type(DType dtype) {
  using Type = dnnl::memory::data_type;
  return dtype == DType::kBFloat16 ? Type::bf16 : dtype == DType::kFloat16 ? Type::f16 : Type::f32;
}

bool is_float32(const FusedTypes& t) {
  for (const int64_t dtype : {t.src, t.bias, t.residual, t.dst}) {
    if (dtype != static_cast<int64_t>(DType::kFloat32) &&
        dtype != static_cast<int64_t>(DType::kUndefined)) {
      return false;
    }
  }
  return true;
}

FusedTypes fused_types(const Tensor& x, const Tensor& bias, const Tensor& residual,
                       const Tensor& out) {
  const auto type = [](const Tensor& t) {
    return static_cast<int64_t>(t.defined() ? t.dtype() : DType::kUndefined);
  };
  return {type(x), type(bias), type(residual), type(out)};
}

dnnl::primitive_attr epilogue_attributes(const Epilogue& epilogue,
                                         const dnnl::memory::desc& residual) {
  dnnl::post_ops ops;
  for (const EpilogueStep& step : epilogue) {
    if (step.takes_residual()) {
      ops.append_binary(step.kind == Kind::kAdd ? algorithm::binary_add : algorithm::binary_mul,
                        residual);
    } else {
      append_function(ops, step);
    }
  }
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  attributes.set_post_ops(ops);
  return attributes;
}

void execute_fused(const FusedPrimitive& p, const FusedArguments& a) {
  const dnnl::engine& cpu = onednn_engine();
  const StoragePtr scratch = Storage::allocate(p.scratchpad.get_size(), Place());
  std::unordered_map<int, dnnl::memory> arguments{
      {DNNL_ARG_SRC, a.src},
      {DNNL_ARG_WEIGHTS, a.weights},
      {DNNL_ARG_DST, a.dst},
      {DNNL_ARG_SCRATCHPAD, dnnl::memory(p.scratchpad, cpu, scratch->data())}};
  const auto add = [&](int position, const dnnl::memory::desc& desc, const void* data) {
    arguments.emplace(position, dnnl::memory(desc, cpu, const_cast<void*>(data)));
  };
  if (a.bias) add(DNNL_ARG_BIAS, p.bias, a.bias);
  for (size_t i = 0; i < a.epilogue.size(); ++i) {
    if (!a.epilogue[i].takes_residual()) continue;
    add(DNNL_ARG_ATTR_MULTIPLE_POST_OP(static_cast<int>(i)) | DNNL_ARG_SRC_1, p.residual,
        a.residual);
  }
  p.primitive.execute(onednn_stream(), arguments);
}

dnnl::memory packed_weights(const Tensor& t, const dnnl::memory::desc& own,
                            const dnnl::memory::desc& wanted, bool grouped, StoragePtr& holder) {
  const dnnl::engine& cpu = onednn_engine();
  if (own == wanted) return dnnl::memory(own, cpu, t.raw_data());
  bool seen = false;
  holder = PackedWeights::find(t->storage, t->offset, wanted, seen);
  if (holder) return dnnl::memory(wanted, cpu, holder->data());
  const host_memory::OutsideArena outlives;
  holder = Storage::allocate(wanted.get_size(), Place());
  dnnl::memory packed(wanted, cpu, holder->data()), plain(own, cpu, t.raw_data());
  if (grouped || own.get_data_type() != dnnl::memory::data_type::f32 ||
      !copy_blocked_weights(wanted, static_cast<float*>(packed.get_data_handle()),
                            static_cast<float*>(plain.get_data_handle()), true)) {
    dnnl::reorder(plain, packed).execute(onednn_stream(), plain, packed);
  }
  PackedWeights::keep(t->storage, t->offset, wanted, holder);
  return packed;
}

std::shared_ptr<const FusedPrimitive> FusedCache::find(const std::string& key) {
  const std::lock_guard lock(mutex_);
  const auto it = map_.find(key);
  if (it == map_.end()) return nullptr;
  order_.splice(order_.begin(), order_, it->second);
  return it->second->second;
}

std::shared_ptr<const FusedPrimitive> FusedCache::insert(
    const std::string& key, std::shared_ptr<const FusedPrimitive> made) {
  const std::lock_guard lock(mutex_);
  if (const auto it = map_.find(key); it != map_.end()) return it->second->second;
  order_.emplace_front(key, made);
  map_[key] = order_.begin();
  if (order_.size() > kCapacity) {
    map_.erase(order_.back().first);
    order_.pop_back();
  }
  return made;
}

FusedCache& fused_cache() {
  static auto* const cache = new FusedCache;  // outlives threads that still compute at exit
  return *cache;
}

}  // namespace paddle::cpu
