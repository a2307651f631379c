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
#include "phi_kernels/cpu/conv/conv.h"
#include "phi_kernels/cpu/libraries/onednn.h"
#include "phi_kernels/cpu/libraries/onednn_epilogue.h"
#include "phi_kernels/cpu/libraries/onednn_weights.h"
#include "phi_kernels/cpu/libraries/packed_weights.h"
#include "phi_kernels/cpu/loops/strided.h"

namespace paddle::cpu {
namespace {

using dnnl::memory;

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

// The library's handles for the memory of one execution, made once: making them takes as long as a
// small convolution.
struct Handles {
  memory src, filter, dst, bias, scratchpad;
};

// A primitive with the descriptions of the memory that it wants. `plain_filter` describes a filter
// as tensors hold it.
struct Entry {
  dnnl::primitive primitive;
  memory::desc src, filter, dst, scratchpad, bias, plain_filter;
  memory::dims src_strides, dst_strides;
  mutable std::mutex busy;  // held while `handles` are in use; who finds it held makes some
  mutable Handles handles;

  Handles new_handles() const {
    const auto none = [](const memory::desc& d) {
      return d.is_zero() ? memory() : memory(d, onednn_engine(), DNNL_MEMORY_NONE);
    };
    return {none(src), none(filter), none(dst), none(bias), none(scratchpad)};
  }
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
  return {onednn_engine(),
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

// 16-bit floats that the library would multiply one by one are better widened: such an entry has no
// primitive.
template <typename Desc>
void take(Entry& e, const Desc& desc, memory::desc src, memory::desc filter, memory::desc dst) {
  const bool is_slow = std::string_view(desc.impl_info_str()).starts_with("ref");
  if (is_slow && src.get_data_type() != memory::data_type::f32) return;
  e.primitive = dnnl::primitive(desc);
  e.src = std::move(src);
  e.filter = std::move(filter);
  e.dst = std::move(dst);
  e.scratchpad = desc.scratchpad_desc();
}

void create_primitive(const Key& key, Entry& e) {
  const ConvProblem& p = key.problem;
  const auto type = library_type(static_cast<DType>(key.dtype));
  const memory::dims src_dims = activation_dims(p, true), dst_dims = activation_dims(p, false);
  const auto strides = key.channels_first ? dense_strides : channels_last_strides;
  e.src_strides = strides(src_dims);
  e.dst_strides = strides(dst_dims);
  const memory::desc src(src_dims, type, e.src_strides), dst(dst_dims, type, e.dst_strides);
  const memory::dims filter_extents = filter_dims(p);
  e.plain_filter = {filter_extents, type, dense_strides(filter_extents)};
  const memory::desc filter(filter_extents, type, memory::format_tag::any);
  if (key.has_bias) e.bias = bias_desc(p, type);
  const auto pass = static_cast<ConvPass>(key.pass);
  const auto forward = forward_desc(p, src, filter, e.bias, dst, pass != ConvPass::kForward);
  if (pass == ConvPass::kForward) {
    return take(e, forward, forward.src_desc(), forward.weights_desc(), forward.dst_desc());
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
        onednn_engine(), direct, src, filter, dst, stride, dilation, before, after, forward, attr);
    return take(e, desc, desc.diff_src_desc(), desc.weights_desc(), desc.diff_dst_desc());
  }
  // A stride beyond the last row: the library's 16-bit kernel reads memory that holds no image.
  if (type != memory::data_type::f32 && p.stride[2] > p.in[2]) return;
  const dnnl::convolution_backward_weights::primitive_desc desc(
      onednn_engine(), direct, src, filter, dst, stride, dilation, before, after, forward, attr);
  take(e, desc, desc.src_desc(), desc.diff_weights_desc(), desc.diff_dst_desc());
}

std::shared_ptr<const Entry> create(const Key& key) {
  auto entry = std::make_shared<Entry>();
  create_primitive(key, *entry);
  entry->handles = entry->new_handles();
  return entry;
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
    auto entry = create(key);
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

// Below this a strided copy is done before the library has made its plan of one.
constexpr size_t kLibraryBytes = 256 * 1024;

// Whether memory of these strides is the tensor's; an axis of extent 1 has no stride of its own.
bool lies_as(const Tensor& t, const memory::dims& strides) {
  for (size_t d = 0; d < strides.size(); ++d) {
    if (!(t.shape()[d] == Dim(1)) && t.strides()[d] != strides[d]) return false;
  }
  return true;
}

void reorder(const memory::desc& from_desc, void* from, const memory::desc& to_desc, void* to) {
  memory source(from_desc, onednn_engine(), from), target(to_desc, onednn_engine(), to);
  dnnl::reorder(source, target).execute(onednn_stream(), source, target);
}

// An activation as the primitive wants it: the tensor's own memory, or a buffer.
class Activation {
 public:
  Activation(const Tensor& t, const memory::desc& wanted, const memory::dims& strides,
             bool is_result)
      : t_(t), wanted_(wanted), strides_(strides), is_result_(is_result) {
    if (lies_as(t, strides)) return;
    buffer_ = Storage::allocate(wanted.get_size(), Place());
    if (!is_result) copy(/*in=*/true);
  }
  void* data() const { return buffer_ ? buffer_->data() : t_.raw_data(); }
  void finish() {
    if (is_result_ && buffer_) copy(/*in=*/false);
  }

 private:
  void copy(bool in) {
    const auto own = sizes_of(t_.shape());
    const DType type = t_.dtype();
    if (wanted_.get_size() >= kLibraryBytes) {
      const memory::desc plain(memory::dims(own.begin(), own.end()), library_type(type),
                               memory::dims(t_.strides().begin(), t_.strides().end()));
      return in ? reorder(plain, t_.raw_data(), wanted_, buffer_->data())
                : reorder(wanted_, buffer_->data(), plain, t_.raw_data());
    }
    const int64_t *to = in ? strides_.data() : t_.strides().data(),
                  *from = in ? t_.strides().data() : strides_.data();
    copy_strided(in ? buffer_->data() : t_.raw_data(), type, to,
                 in ? t_.raw_data() : buffer_->data(), type, from, own.data(),
                 static_cast<int>(own.size()));
  }
  const Tensor& t_;
  const memory::desc& wanted_;
  const memory::dims& strides_;
  bool is_result_;
  StoragePtr buffer_;
};

// A filter in the order that the primitive wants; one that is read is kept in it from its second
// use on.
class Filter {
 public:
  Filter(const Tensor& t, const Entry& e, bool grouped, bool is_result)
      : t_(t), entry_(e), grouped_(grouped), is_result_(is_result) {
    if (e.plain_filter == e.filter) return;
    bool seen = false;
    if (!is_result) buffer_ = PackedWeights::find(t->storage, t->offset, e.filter, seen);
    if (buffer_) return;
    const host_memory::OutsideArena outlives;
    buffer_ = Storage::allocate(e.filter.get_size(), Place());
    if (is_result) return;
    copy(/*in=*/true);
    seen ? PackedWeights::keep(t->storage, t->offset, e.filter, buffer_)
         : PackedWeights::mark(t->storage, t->offset, e.filter);
  }
  void* data() const { return buffer_ ? buffer_->data() : t_.raw_data(); }
  void finish() {
    if (is_result_ && buffer_) copy(/*in=*/false);
  }

 private:
  void copy(bool in) {
    void *packed = buffer_->data(), *plain = t_.raw_data();
    if (!grouped_ && copy_blocked_weights(entry_.filter, static_cast<float*>(packed),
                                          static_cast<float*>(plain), in)) {
      return;
    }
    in ? reorder(entry_.plain_filter, plain, entry_.filter, packed)
       : reorder(entry_.filter, packed, entry_.plain_filter, plain);
  }
  const Tensor& t_;
  const Entry& entry_;
  bool grouped_, is_result_;
  StoragePtr buffer_;
};

void execute(ConvPass pass, const Entry& e, const Handles& h) {
  const bool forward = pass == ConvPass::kForward;
  dnnl_exec_arg_t arguments[5] = {
      {pass == ConvPass::kInputGrad ? DNNL_ARG_DIFF_SRC : DNNL_ARG_SRC, h.src.get()},
      {pass == ConvPass::kFilterGrad ? DNNL_ARG_DIFF_WEIGHTS : DNNL_ARG_WEIGHTS, h.filter.get()},
      {forward ? DNNL_ARG_DST : DNNL_ARG_DIFF_DST, h.dst.get()},
  };
  int count = 3;
  if (h.bias) arguments[count++] = {DNNL_ARG_BIAS, h.bias.get()};
  if (h.scratchpad) arguments[count++] = {DNNL_ARG_SCRATCHPAD, h.scratchpad.get()};
  dnnl::error::wrap_c_api(
      dnnl_primitive_execute(e.primitive.get(), onednn_stream().get(), count, arguments),
      "could not execute a convolution");
}

void run(ConvPass pass, const Entry& e, const ConvProblem& p, const ConvOperands& t) {
  Activation src(t.src, e.src, e.src_strides, pass == ConvPass::kInputGrad);
  Filter filter(t.filter, e, p.groups > 1, pass == ConvPass::kFilterGrad);
  Activation dst(t.dst, e.dst, e.dst_strides, pass == ConvPass::kForward);
  const StoragePtr scratch = Storage::allocate(e.scratchpad.get_size(), Place());
  const std::unique_lock lock(e.busy, std::try_to_lock);
  Handles own;
  if (!lock) own = e.new_handles();
  Handles& h = lock ? e.handles : own;
  h.src.set_data_handle(src.data());
  h.filter.set_data_handle(filter.data());
  h.dst.set_data_handle(dst.data());
  if (h.scratchpad) h.scratchpad.set_data_handle(scratch->data());
  if (h.bias) h.bias.set_data_handle(t.bias.raw_data());
  execute(pass, e, h);
  src.finish();
  filter.finish();
  dst.finish();
}

}  // namespace

bool convolve_onednn(ConvPass pass, const ConvProblem& p, const ConvOperands& t) {
  const LibraryThreads threads;
  try {
    const bool channels_first = t.src->contiguous && t.dst->contiguous && is_pointwise(p) &&
                                t.src.dtype() != DType::kFloat16;
    const auto entry =
        cache().get({p, static_cast<int64_t>(pass), static_cast<int64_t>(t.src.dtype()),
                     threads.now, t.bias.defined(), channels_first});
    if (!entry->primitive) return false;
    run(pass, *entry, p, t);
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
