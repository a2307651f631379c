// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Recording: what each call, write and gradient becomes. Running stands in materialize.cc.
#include "pir/segment/recorder.h"

#include <atomic>

#include "paddle_core/autograd/autograd.h"
#include "paddle_core/dispatch/execute/layout.h"

namespace paddle::pir {
namespace {

// Apart from the ids of captures.
std::atomic<uint64_t> next_id{uint64_t{1} << 62};

// Calls after which a segment ends by itself.
constexpr uint32_t kMostCalls = 4096;

constexpr uint32_t kLayersAbove = kModeAutograd | kModeAmp | kModeCapture | kModeSharded;

template <typename Fn>
void for_each_tensor(const OpDef& op, const Slot* args, Fn&& fn) {
  for (int i = 0; i < op.num_args; ++i) {
    if (args[i].kind == SlotKind::kTensor) {
      fn(*args[i].tensor);
    } else if (args[i].kind == SlotKind::kTensorList) {
      for (uint32_t k = 0; k < args[i].count; ++k) {
        if (args[i].list[k].defined()) fn(*args[i].list[k].impl());
      }
    }
  }
}

}  // namespace

uint64_t Recorder::fresh_id() { return next_id.fetch_add(1); }

Recorder& Recorder::of_thread() {
  // On the heap: a library has little room for variables of threads.
  thread_local std::unique_ptr<Recorder> recorder;
  if (!recorder) recorder = std::make_unique<Recorder>();
  return *recorder;
}

bool Recorder::begin(SegmentCache& cache, std::vector<SegmentReport>* reports) {
  if (cache_ || capture_sink()) return false;
  if (process_modes.load(std::memory_order_relaxed) & kModeCheck) return false;
  cache_ = &cache;
  reports_ = reports;
  id_ = fresh_id();
  set_deferred_sink(this);
  return true;
}

void Recorder::end() {
  struct Leave {
    Recorder& r;
    ~Leave() {
      set_deferred_sink(nullptr);
      r.reset();
      r.cache_ = nullptr;
      r.reports_ = nullptr;
    }
  } leave{*this};
  materialize("the function returns");
}

void Recorder::run_now(const OpDef& op, const Slot* args, Outputs& outs) {
  set_capture_sink(nullptr);
  struct Back {
    DeferredSink* sink;
    ~Back() { set_capture_sink(sink); }
  } back{this};
  const ModeGuard guard(kLayersAbove);
  if (has_private_layout(op, args)) {
    execute_in_layout(op, args, outs);
  } else {
    execute(op, args, outs);
  }
}

// Why a call cannot be recorded; null when it can.
const char* Recorder::cut_before(const OpDef& op, const Slot* args) const {
  if (op.has(kDynamicOutput)) return "the size of a result depends on values";
  if (op.has(kSideEffect) && !op.is_native_inplace()) return "an operator with side effects";
  for (int i = 0; i < op.num_args; ++i) {
    const bool tensor = args[i].kind == SlotKind::kTensor || args[i].kind == SlotKind::kTensorList;
    if (tensor && !op.schema().args[static_cast<size_t>(i)].is_tensor()) {
      return "a tensor is given for an attribute";
    }
  }
  return nullptr;
}

// Whether an argument shows memory that a recorded write to another tensor is going to change.
bool Recorder::conflicts(const OpDef& op, const Slot* args) const {
  if (pending_.empty()) return false;
  bool found = false;
  for_each_tensor(op, args, [&](const TensorImpl& t) {
    if (!t.storage) return;
    const auto at = pending_.find(t.storage.get());
    found |= at != pending_.end() && at->second.target != &t;
  });
  return found;
}

ValueId Recorder::id_of(TensorImpl* t) {
  if (knows(*t)) return handle_of(*t);
  const auto id = static_cast<ValueId>(values_.size());
  ValueInfo info;
  info.root = id;
  if (t->storage) info.external = id;
  values_.push_back(info);
  externals_.push_back(Tensor(IntrusivePtr<TensorImpl>::share(t)));
  key_.input_ids.push_back(id);
  set_handle(*t, id);
  return id;
}

void Recorder::record(const OpDef& op, const Slot* args, Outputs& outs) {
  if (const char* why = cut_before(op, args)) {
    materialize(str(op.name(), ": ", why).c_str());
    return run_now(op, args, outs);
  }
  if (num_calls_ >= kMostCalls) materialize("the length of a segment is bounded");
  if (conflicts(op, args)) materialize("memory is read that a write to another tensor changes");
  if (op.is_view() && args[0].tensor->storage) {
    const Tensor base(IntrusivePtr<TensorImpl>::share(args[0].tensor));
    if (is_pending(base)) materialize("a view of a tensor that was written");
    return run_now(op, args, outs);
  }
  infer_meta(op, args, outs);
  // Inputs first, so that results have consecutive numbers.
  for_each_tensor(op, args, [this](TensorImpl& t) { id_of(&t); });
  const size_t call = key_.calls.size();
  encode_head(key_.calls, op, static_cast<ValueId>(values_.size()), outs.size());
  for (int i = 0; i < op.num_args; ++i) {
    encode(key_.calls, args[i], [this](const TensorImpl* t) {
      const ValueId id = handle_of(*t);
      values_[id].last_use = num_calls_;
      return uint64_t{id};
    });
  }
  add_results(op, args, call, outs);
  ++num_calls_;
}

void Recorder::add_results(const OpDef& op, const Slot* args, size_t call, Outputs& outs) {
  Place place;
  bool found = false;
  for_each_tensor(op, args, [&](const TensorImpl& t) {
    if (!found) place = t.place;
    found = true;
  });
  const auto first = static_cast<ValueId>(values_.size());
  values_.resize(first + outs.size());
  for (size_t k = 0; k < outs.size(); ++k) {
    const auto id = static_cast<ValueId>(first + k);
    ValueInfo& info = values_[id];
    info.call = call;
    info.root = id;
    info.last_use = num_calls_;
    if (!outs[k].defined()) continue;
    TensorImpl& t = *outs[k].impl();
    t.place = place;
    t.set_contiguous_layout();
    t.strides.clear();
    set_handle(t, id);
    const int source = op.is_native_inplace() ? op.inplace_arg[k] : -1;
    if (source >= 0 && args[source].kind == SlotKind::kTensor) {
      const Tensor target(IntrusivePtr<TensorImpl>::share(args[source].tensor));
      info.external = values_[handle_of(*target.impl())].external;
      if (target.has_storage()) note_write(target);
      set_handle(*target.impl(), id);
      outs[k] = target;
      continue;
    }
    if (op.is_view()) {
      ValueInfo& base = values_[handle_of(*args[0].tensor)];
      info.view = info.aliased = base.aliased = true;
      info.root = base.root;
      for (int i = 1; i < op.num_args; ++i) {
        if (args[i].kind != SlotKind::kTensor) continue;
        const TensorImpl& by = *args[i].tensor;
        values_[handle_of(by)].kind = Tensor::meta(by.shape, by.dtype, by.place);
      }
    }
    tracked_.push_back(outs[k]);
  }
}

void Recorder::note_write(const Tensor& target) {
  const auto [at, fresh] = pending_.emplace(target->storage.get(), Written{target.impl()});
  if (fresh) written_.push_back(target);
}

void Recorder::rebind(const Tensor& target, const Tensor& value) {
  Tensor source = value;
  if (source.has_storage()) source = copy(source);  // its values are those of now
  const bool other_pending = [&] {
    if (!target.has_storage()) return false;
    const auto at = pending_.find(target->storage.get());
    return at != pending_.end() && at->second.target != target.impl();
  }();
  if (other_pending || (!target.has_storage() && has_aliases(target))) {
    materialize("an in-place write to a tensor that shares its memory with others");
    target.copy_data_from(source);
    return;
  }
  if (target.has_storage()) {
    id_of(target.impl());
    note_write(target);
  }
  set_handle(*target.impl(), id_of(source.impl()));
}

void Recorder::set_grad(const Tensor& leaf, const Tensor& grad) {
  autograd::Meta& meta = autograd::ensure_meta(leaf);
  const bool plain = grad->stop_gradient;
  if (meta.grad.defined() && plain && meta.grad.shape() == grad.shape() &&
      meta.grad.dtype() == grad.dtype()) {
    rebind(meta.grad, grad);
    return;
  }
  // The caller holds two references and tracked_ one: with more, others see this tensor too.
  if (plain && (grad.has_storage() || grad->use_count() > 3)) {
    meta.grad = copy(grad);
    return;
  }
  meta.grad = grad;
}

void Recorder::value_requested(const Tensor& t, const char* what) {
  throw_error(ErrorKind::kRuntime, str(what, ": the tensor of shape ", t.shape(),
                                       " has no values; the calls that compute it failed."));
}

bool Recorder::is_pending(const Tensor& t) const {
  if (!t.has_storage()) return knows(*t.impl());
  return !pending_.empty() && pending_.contains(t->storage.get());
}

void Recorder::share(const Tensor& copy, const Tensor& source, bool aliased) {
  if (copy.has_storage()) {  // its memory says what it is
    copy->capture = {};
    return;
  }
  if (!knows(*source.impl())) return;
  copy->capture = source->capture;
  if (aliased) values_[handle_of(*source.impl())].aliased = true;
  tracked_.push_back(copy);
}

bool Recorder::has_aliases(const Tensor& t) const {
  return !t.has_storage() && knows(*t.impl()) && values_[handle_of(*t.impl())].aliased;
}

Tensor Recorder::without_alias(const Tensor& t, const Tensor& other) {
  const auto deferred = [this](const Tensor& x) { return !x.has_storage() && knows(*x.impl()); };
  if (!deferred(t) || !deferred(other)) return t;
  if (values_[handle_of(*t.impl())].root != values_[handle_of(*other.impl())].root) return t;
  const Slot slots[] = {Slot::of(t)};
  Outputs outs;
  const ModeGuard guard(kModeAmp);
  call(Registry::global().at("assign"), slots, outs);
  return outs[0];
}

Tensor Recorder::copy(const Tensor& t) {
  static const OpDef& assign = Registry::global().at("assign");
  const Slot slots[] = {Slot::of(t)};
  Outputs outs;
  const ModeGuard guard(kModeAutograd | kModeAmp);
  call(assign, slots, outs);
  return outs[0];
}

uint32_t Recorder::pending_writes(const Storage* storage) const {
  if (pending_.empty()) return 0;
  const auto at = pending_.find(storage);
  if (at == pending_.end()) return 0;
  const bool copied = values_[handle_of(*at->second.target)].external == kNoValue;
  return copied ? 1 : 0;  // native writes are overwrites
}

}  // namespace paddle::pir
