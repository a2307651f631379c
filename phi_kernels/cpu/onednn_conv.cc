// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Convolution through oneDNN. Primitives are kept by problem, layout and thread count in a bounded
// cache. Activations are computed in channels-last order, in which the library reaches the
// machine's limit; other memory orders are reordered before and after.
#include <oneapi/dnnl/dnnl.hpp>

#include <cstring>
#include <list>
#include <memory>
#include <mutex>
#include <string_view>
#include <unordered_map>

#include "paddle_core/base/error.h"
#include "phi_kernels/cpu/conv.h"
#include "phi_kernels/cpu/onednn.h"
#include "phi_kernels/cpu/onednn_epilogue.h"
#include "phi_kernels/cpu/onednn_weights.h"
#include "phi_kernels/cpu/packed_weights.h"
#include "phi_kernels/cpu/strided.h"

namespace paddle::cpu {
namespace {

using dnnl::memory;

const dnnl::engine& engine() {
  static const dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
  return cpu;
}
dnnl::stream& stream() {
  thread_local dnnl::stream s(engine());
  return s;
}

memory::data_type type_of(DType dtype) {
  return dtype == DType::kBFloat16 ? memory::data_type::bf16 : memory::data_type::f32;
}

memory::dims spatial(const std::array<int64_t, 3>& values, int64_t axes) {
  return memory::dims(values.end() - axes, values.end());
}

memory::dims activation_dims(const ConvProblem& p, bool source) {
  memory::dims d{p.batch, source ? p.in_channels : p.out_channels};
  const memory::dims extents = spatial(source ? p.in : p.out, p.axes);
  d.insert(d.end(), extents.begin(), extents.end());
  return d;
}

memory::dims filter_dims(const ConvProblem& p) {
  memory::dims d;
  if (p.groups > 1) d.push_back(p.groups);
  d.push_back(p.out_channels / p.groups);
  d.push_back(p.in_channels / p.groups);
  const memory::dims extents = spatial(p.kernel, p.axes);
  d.insert(d.end(), extents.begin(), extents.end());
  return d;
}

memory::dims dense_strides(const memory::dims& d) {
  memory::dims s(d.size(), 1);
  for (size_t i = d.size() - 1; i-- > 0;) s[i] = s[i + 1] * d[i + 1];
  return s;
}
memory::dims channels_last_strides(const memory::dims& d) {
  memory::dims s(d.size(), 1);
  s.back() = d[1];
  for (size_t i = d.size() - 1; i-- > 2;) s[i] = s[i + 1] * d[i + 1];
  s[0] = s[2] * d[2];
  return s;
}

struct Key {
  ConvProblem problem;
  int64_t pass = 0, dtype = 0, threads = 0;
  int64_t has_bias = 0, channels_first = 0;
  bool operator==(const Key& other) const { return std::memcmp(this, &other, sizeof(Key)) == 0; }
};
static_assert(std::has_unique_object_representations_v<Key>);

struct KeyHash {
  size_t operator()(const Key& k) const {
    return std::hash<std::string_view>()({reinterpret_cast<const char*>(&k), sizeof(Key)});
  }
};

memory::desc bias_desc(const ConvProblem& p, memory::data_type type) {
  return {memory::dims{p.out_channels}, type, memory::dims{1}};
}

struct Entry {
  dnnl::primitive primitive;
  memory::desc src, filter, dst, scratchpad;
};

dnnl::convolution_forward::primitive_desc forward_desc(const ConvProblem& p,
                                                       const memory::desc& src,
                                                       const memory::desc& filter,
                                                       const memory::desc& bias,
                                                       const memory::desc& dst, bool training) {
  memory::dims dilation = spatial(p.dilation, p.axes);
  for (auto& d : dilation) d -= 1;  // oneDNN counts the gaps
  dnnl::primitive_attr attr;
  attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return {engine(),
          training ? dnnl::prop_kind::forward_training : dnnl::prop_kind::forward_inference,
          dnnl::algorithm::convolution_direct,
          src,
          filter,
          bias,
          dst,
          spatial(p.stride, p.axes),
          dilation,
          spatial(p.before, p.axes),
          spatial(p.after, p.axes),
          attr};
}

template <typename Desc>
Entry entry_of(const Desc& desc, const memory::desc& src, const memory::desc& filter,
               const memory::desc& dst) {
  return {dnnl::primitive(desc), src, filter, dst, desc.scratchpad_desc()};
}

Entry create(const Key& key) {
  const ConvProblem& p = key.problem;
  const auto type = type_of(static_cast<DType>(key.dtype));
  const memory::dims src_dims = activation_dims(p, true), dst_dims = activation_dims(p, false);
  const auto strides = key.channels_first ? dense_strides : channels_last_strides;
  const memory::desc src(src_dims, type, strides(src_dims));
  const memory::desc dst(dst_dims, type, strides(dst_dims));
  const memory::desc filter(filter_dims(p), type, memory::format_tag::any);
  const memory::desc bias = key.has_bias ? bias_desc(p, type) : memory::desc();
  const auto pass = static_cast<ConvPass>(key.pass);
  const auto forward = forward_desc(p, src, filter, bias, dst, pass != ConvPass::kForward);
  if (pass == ConvPass::kForward) {
    return entry_of(forward, forward.src_desc(), forward.weights_desc(), forward.dst_desc());
  }
  memory::dims dilation = spatial(p.dilation, p.axes);
  for (auto& d : dilation) d -= 1;
  const memory::dims stride = spatial(p.stride, p.axes), before = spatial(p.before, p.axes),
                     after = spatial(p.after, p.axes);
  dnnl::primitive_attr attr;
  attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  constexpr auto direct = dnnl::algorithm::convolution_direct;
  if (pass == ConvPass::kInputGrad) {
    const dnnl::convolution_backward_data::primitive_desc desc(
        engine(), direct, src, filter, dst, stride, dilation, before, after, forward, attr);
    return entry_of(desc, desc.diff_src_desc(), desc.weights_desc(), desc.diff_dst_desc());
  }
  const dnnl::convolution_backward_weights::primitive_desc desc(
      engine(), direct, src, filter, dst, stride, dilation, before, after, forward, attr);
  return entry_of(desc, desc.src_desc(), desc.diff_weights_desc(), desc.diff_dst_desc());
}

// The least recently used primitive goes first.
class PrimitiveCache {
 public:
  std::shared_ptr<const Entry> get(const Key& key) {
    {
      const std::lock_guard lock(mutex_);
      if (const auto it = map_.find(key); it != map_.end()) {
        order_.splice(order_.begin(), order_, it->second);
        return it->second->second;
      }
    }
    auto entry = std::make_shared<const Entry>(create(key));
    const std::lock_guard lock(mutex_);
    if (map_.contains(key)) return map_[key]->second;
    order_.emplace_front(key, entry);
    map_[key] = order_.begin();
    if (order_.size() > kCapacity) {
      map_.erase(order_.back().first);
      order_.pop_back();
    }
    return entry;
  }

 private:
  static constexpr size_t kCapacity = (size_t{16} << 20) / kPrimitiveBytes;
  std::mutex mutex_;
  std::list<std::pair<Key, std::shared_ptr<const Entry>>> order_;
  std::unordered_map<Key, decltype(order_)::iterator, KeyHash> map_;
};

PrimitiveCache& cache() {
  static auto* const c = new PrimitiveCache;  // outlives threads that still compute at exit
  return *c;
}

// What an operand is, for the way it is reordered.
enum class Role : uint8_t { kActivation, kWeights, kGroupedWeights };

// Below this a strided copy is done before the library has made its plan of one.
constexpr size_t kLibraryBytes = 256 * 1024;

void copy_activation(const memory& from, const memory& to) {
  const memory::desc source = from.get_desc(), target = to.get_desc();
  const memory::dims sizes = source.get_dims(), ds = target.get_strides(),
                     ss = source.get_strides();
  const DType type =
      source.get_data_type() == memory::data_type::bf16 ? DType::kBFloat16 : DType::kFloat32;
  copy_strided(to.get_data_handle(), type, ds.data(), from.get_data_handle(), type, ss.data(),
               sizes.data(), static_cast<int>(sizes.size()));
}

// One operand in the order that the primitive wants: the tensor's own memory, or a buffer.
class Operand {
 public:
  Operand(const Tensor& t, const memory::desc& own, const memory::desc& wanted, bool is_result,
          Role role)
      : user_(own, engine(), t.raw_data()), is_result_(is_result), role_(role) {
    if (own == wanted) return;
    stage(wanted, Storage::allocate(wanted.get_size(), Place()));
    if (!is_result) reorder(user_, staged_, /*pack=*/true);
  }
  // Weights that are read: kept in the wanted order from their second use on.
  static Operand weights(const Tensor& t, const memory::desc& own, const memory::desc& wanted,
                         Role role) {
    if (own == wanted) return {t, own, wanted, false, role};
    bool seen = false;
    StoragePtr kept = PackedWeights::find(t->storage, t->offset, wanted, seen);
    if (kept) {
      Operand out(t, own, own, false, role);
      out.stage(wanted, std::move(kept));
      return out;
    }
    Operand out(t, own, wanted, false, role);
    if (seen) {
      PackedWeights::keep(t->storage, t->offset, wanted, out.buffer_);
    } else {
      PackedWeights::mark(t->storage, t->offset, wanted);
    }
    return out;
  }
  const memory& get() const { return buffer_ ? staged_ : user_; }
  void finish() {
    if (is_result_ && buffer_) reorder(staged_, user_, /*pack=*/false);
  }

 private:
  void stage(const memory::desc& wanted, StoragePtr buffer) {
    buffer_ = std::move(buffer);
    staged_ = memory(wanted, engine(), buffer_->data());
  }
  void reorder(memory& from, memory& to, bool pack) {
    if (role_ == Role::kWeights) {
      memory &packed = pack ? to : from, &plain = pack ? from : to;
      if (copy_blocked_weights(packed.get_desc(), static_cast<float*>(packed.get_data_handle()),
                               static_cast<float*>(plain.get_data_handle()), pack)) {
        return;
      }
    }
    if (role_ == Role::kActivation && from.get_desc().get_size() < kLibraryBytes) {
      return copy_activation(from, to);
    }
    dnnl::reorder(from, to).execute(stream(), from, to);
  }
  memory user_, staged_;
  StoragePtr buffer_;
  bool is_result_;
  Role role_;
};

// `plain`: axes of extent 1 have the strides of contiguous memory.
memory::desc desc_of(const Tensor& t, bool plain) {
  memory::dims dims, strides;
  for (int64_t i = 0; i < t.ndim(); ++i) {
    dims.push_back(t.size(i));
    strides.push_back(t.strides()[static_cast<size_t>(i)]);
  }
  // An axis of extent 1 has no stride of its own; it takes the one of the order wanted.
  if (plain) {
    strides = dense_strides(dims);
  } else if (const memory::dims last = channels_last_strides(dims); dims.size() > 2) {
    bool same = true;
    for (size_t i = 0; i < dims.size(); ++i) same &= dims[i] == 1 || strides[i] == last[i];
    if (same) strides = last;
  }
  return {dims, type_of(t.dtype()), strides};
}

void run(ConvPass pass, const Entry& e, const ConvProblem& p, const ConvOperands& t, bool plain) {
  const memory::dims filter = filter_dims(p);
  const memory::desc filter_own(filter, type_of(t.filter.dtype()), dense_strides(filter));
  const Role role = p.groups > 1 ? Role::kGroupedWeights : Role::kWeights;
  Operand src(t.src, desc_of(t.src, plain), e.src, pass == ConvPass::kInputGrad, Role::kActivation);
  Operand weights = pass == ConvPass::kFilterGrad
                        ? Operand(t.filter, filter_own, e.filter, true, role)
                        : Operand::weights(t.filter, filter_own, e.filter, role);
  Operand dst(t.dst, desc_of(t.dst, plain), e.dst, pass == ConvPass::kForward, Role::kActivation);
  const StoragePtr scratch = Storage::allocate(e.scratchpad.get_size(), Place());
  std::unordered_map<int, memory> arguments{
      {DNNL_ARG_SCRATCHPAD, memory(e.scratchpad, engine(), scratch->data())}};
  arguments.emplace(pass == ConvPass::kInputGrad ? DNNL_ARG_DIFF_SRC : DNNL_ARG_SRC, src.get());
  arguments.emplace(pass == ConvPass::kFilterGrad ? DNNL_ARG_DIFF_WEIGHTS : DNNL_ARG_WEIGHTS,
                    weights.get());
  arguments.emplace(pass == ConvPass::kForward ? DNNL_ARG_DST : DNNL_ARG_DIFF_DST, dst.get());
  if (t.bias.defined()) {
    const memory::desc desc = bias_desc(p, type_of(t.bias.dtype()));
    arguments.emplace(DNNL_ARG_BIAS, memory(desc, engine(), t.bias.raw_data()));
  }
  e.primitive.execute(stream(), arguments);
  src.finish();
  weights.finish();
  dst.finish();
}

}  // namespace

bool onednn_multiplies_bfloat16() {
  static const bool native = (static_cast<int>(dnnl::get_effective_cpu_isa()) &
                              static_cast<int>(dnnl::cpu_isa::avx512_core_bf16)) ==
                             static_cast<int>(dnnl::cpu_isa::avx512_core_bf16);
  return native;
}

bool convolve_onednn(ConvPass pass, const ConvProblem& p, const ConvOperands& t) {
  const LibraryThreads threads;
  try {
    const bool channels_first = t.src->contiguous && t.dst->contiguous && is_pointwise(p);
    const auto entry =
        cache().get({p, static_cast<int64_t>(pass), static_cast<int64_t>(t.src.dtype()),
                     threads.now, t.bias.defined(), channels_first});
    run(pass, *entry, p, t, channels_first);
    return true;
  } catch (const dnnl::error& e) {
    if (e.status == dnnl_unimplemented) return false;
    if (e.status == dnnl_out_of_memory) {
      throw_error(ErrorKind::kMemory, "convolution: oneDNN found no memory for its buffers.");
    }
    throw_error(ErrorKind::kRuntime, str("convolution: oneDNN reports: ", e.what(), "."));
  }
}

}  // namespace paddle::cpu
