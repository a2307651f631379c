// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Running what was recorded: which values are wanted, the program or the calls one by one, memory
// that must stay apart, pending writes, and the tensors that get their memory.
#include <algorithm>

#include "paddle_core/dispatch/execute/layout.h"
#include "paddle_core/dispatch/watch/observers.h"
#include "pir/segment/describe.h"
#include "pir/segment/recorder.h"

namespace paddle::pir {
namespace {

constexpr uint32_t kLayersAbove =
    kModeAutograd | kModeAmp | kModeCapture | kModeSharded | kModeView;

void execute_any(const OpDef& op, const Slot* args, Outputs& outs) {
  if (has_private_layout(op, args)) {
    execute_in_layout(op, args, outs);
  } else {
    execute(op, args, outs);
  }
}

Tensor copy_of(const Tensor& t) {
  Tensor copy = Tensor::empty(t.shape(), t.dtype(), t.place());
  copy.copy_data_from(t);
  return copy;
}

// What `t` stands for from now on is in the memory of `value`.
void give_memory(TensorImpl& t, const TensorImpl& value) {
  t.storage = value.storage;
  t.offset = value.offset;
  t.place = value.place;
  t.contiguous = value.contiguous;
  t.numel = value.numel;
  t.shape = value.shape;
  t.strides = value.strides;
  t.keys |= value.keys & kModeLayout;
  t.capture = {kWasDeferred, reinterpret_cast<void*>(uintptr_t{value.storage->inplace_version()})};
}

}  // namespace

// Drops the tensors that only this recorder holds; a node of the graph that dies with one of
// them may have held others.
void Recorder::sweep() {
  for (bool dropped = true; dropped;) {
    dropped = false;
    for (size_t i = tracked_.size(); i-- > 0;) {
      if (!tracked_[i].defined() || tracked_[i]->use_count() > 1) continue;
      tracked_[i] = Tensor();
      dropped = true;
    }
  }
  std::erase_if(tracked_, [](const Tensor& t) { return !t.defined(); });
}

void Recorder::describe_inputs() {
  for (const Tensor& t : externals_) {
    const auto dtype = static_cast<uint64_t>(t.dtype());
    key_.inputs.push_back(dtype | t.shape().size() << 8 | uint64_t{t.has_storage()} << 16 |
                          static_cast<uint64_t>(t.place().kind) << 24 |
                          static_cast<uint64_t>(static_cast<uint16_t>(t.place().index)) << 32 |
                          static_cast<uint64_t>(t.place().custom_type) << 48);
    for (const Dim d : t.shape()) key_.extents.push_back(static_cast<uint64_t>(d.value()));
  }
  key_.num_values = values_.size();
  key_.num_calls = num_calls_;
}

// Whether the value is a view of one that a living tensor stands for: made from that one later, so
// that both share memory whatever the program does.
bool Recorder::shows_living_memory(ValueId id) const {
  DecodedCall call;
  static const Tensor none;
  while (values_[id].view) {
    decode(key_.calls, values_[id].call, call, [](ValueId) -> const Tensor& { return none; });
    id = call.operands[0];
    if (living_[id]) return true;
  }
  return false;
}

void Recorder::choose_wanted() {
  living_.assign(values_.size(), false);
  for (const Tensor& t : tracked_) {
    if (knows(*t.impl()) && !t.has_storage()) living_[handle_of(*t.impl())] = true;
  }
  std::vector<bool> wanted = living_;
  for (size_t id = 0; id < wanted.size(); ++id) {
    if (wanted[id] && values_[id].view) {
      wanted[id] = !shows_living_memory(static_cast<ValueId>(id));
    }
  }
  for (const Tensor& t : written_) wanted[handle_of(*t.impl())] = true;
  for (size_t id = 0; id < wanted.size(); ++id) {
    if (wanted[id]) key_.wanted_ids.push_back(static_cast<ValueId>(id));
  }
  key_.wanted.assign(key_.wanted_ids.begin(), key_.wanted_ids.end());
}

void Recorder::run_calls(TensorList& values) {
  for (size_t i = 0; i < externals_.size(); ++i) values[key_.input_ids[i]] = externals_[i];
  std::vector<bool> kept(values.size(), false);
  for (const ValueId id : key_.wanted_ids) kept[id] = true;
  uint32_t number = 0;
  for (size_t at = 0; at < key_.calls.size(); ++number) {
    at = decode(key_.calls, at, call_, [&](ValueId id) -> const Tensor& { return values[id]; });
    Outputs outs;
    execute_any(*call_.op, call_.slots.data(), outs);
    for (uint32_t k = 0; k < call_.num_results && k < outs.size(); ++k) {
      values[call_.first_result + k] = std::move(outs[k]);
    }
    call_.lists.clear();
    for (const ValueId id : call_.operands) {
      if (id != kNoValue && !kept[id] && values_[id].last_use == number) values[id] = Tensor();
    }
  }
  // Views are made anew, all of them: where one of the chain turns out to be a copy, those behind
  // it have to be of the same one.
  for (ValueId id = 0; id < values.size(); ++id) {
    if (values_[id].view && !kept[id]) values[id] = Tensor();
  }
}

void Recorder::run_program(const Segment& segment, TensorList& values) {
  const TensorList results = segment.run(externals_);
  for (size_t i = 0; i < results.size(); ++i) values[key_.wanted_ids[i]] = results[i];
}

// Tensors that had memory of their own in a run call by call get it here too, although a program
// may have one result where there were two, or hand out what it was given.
void Recorder::separate_memory(TensorList& values) {
  std::unordered_map<const Storage*, ValueId> owners;
  for (size_t i = 0; i < externals_.size(); ++i) {
    if (externals_[i].has_storage()) owners[externals_[i]->storage.get()] = key_.input_ids[i];
  }
  for (const ValueId id : key_.wanted_ids) {
    Tensor& t = values[id];
    if (!living_[id] || !t.defined()) continue;
    const auto [at, fresh] = owners.emplace(t->storage.get(), values_[id].root);
    if (!fresh && at->second != values_[id].root) t = copy_of(t);
  }
}

void Recorder::write_back(TensorList& values) {
  TensorList news;
  for (const Tensor& target : written_) {
    Tensor t = values[handle_of(*target.impl())];
    const bool elsewhere = !t.same_impl(target) && pending_.contains(t->storage.get());
    news.push_back(elsewhere ? copy_of(t) : t);
  }
  for (size_t i = 0; i < written_.size(); ++i) {
    if (!news[i].same_impl(written_[i])) written_[i].copy_data_from(news[i]);
  }
}

const Tensor& Recorder::value_now(ValueId id, TensorList& values) {
  if (values[id].defined()) return values[id];
  const size_t at = values_[id].call;
  DecodedCall call;
  static const Tensor none;
  decode(key_.calls, at, call, [](ValueId) -> const Tensor& { return none; });
  const ValueId source = call.operands[0];
  const Tensor base = value_now(source, values);
  decode(key_.calls, at, call, [&](ValueId operand) -> const Tensor& {
    if (operand == source) return base;
    return values[operand].defined() ? values[operand] : values_[operand].kind;
  });
  Outputs outs;
  execute_any(*call.op, call.slots.data(), outs);
  outs[0]->autograd.reset();  // what the tensors of the function know of their base stays
  values[id] = outs[0];
  return values[id];
}

void Recorder::fill(TensorList& values) {
  for (const Tensor& t : tracked_) {
    if (!knows(*t.impl()) || t.has_storage()) continue;
    const ValueId id = handle_of(*t.impl());
    if (values_[id].call == kNoCall) continue;
    give_memory(*t.impl(), *value_now(id, values).impl());
  }
}

// Whether the calls may run again after a program of them has failed.
bool Recorder::repeatable() const {
  if (!pending_.empty()) return false;
  DecodedCall call;
  static const Tensor none;
  for (size_t at = 0; at < key_.calls.size();) {
    at = decode(key_.calls, at, call, [](ValueId) -> const Tensor& { return none; });
    if (call.op->random_count_fn || call.op->is_native_inplace()) return false;
  }
  return true;
}

// An error leaves the tensors that were computed before it with their values, as it does when
// calls run at once.
void Recorder::fill_known(const TensorList& values) {
  for (const Tensor& t : tracked_) {
    if (!knows(*t.impl()) || t.has_storage()) continue;
    const Tensor& value = values[handle_of(*t.impl())];
    if (value.defined()) give_memory(*t.impl(), *value.impl());
  }
}

void Recorder::run(const Segment* segment, TensorList& values) {
  if (!segment) return run_calls(values);
  try {
    run_program(*segment, values);
  } catch (const Error&) {
    if (!repeatable()) throw;
    run_calls(values);
  }
}

void Recorder::materialize(const char* why) {
  if (num_calls_ == 0) return reset();
  set_capture_sink(nullptr);
  struct Back {
    Recorder& r;
    ~Back() {
      r.reset();
      set_capture_sink(&r);
    }
  } back{*this};
  const ModeGuard guard(kLayersAbove);
  sweep();
  choose_wanted();
  describe_inputs();
  SegmentReport report;
  const std::shared_ptr<const Segment> segment = cache_->find(key_, reports_ ? &report : nullptr);
  if (reports_) {
    report.why = why;
    report.where = running_location();
    report.calls = call_names(key_);
    report.inputs = externals_.size();
    report.results = static_cast<size_t>(std::count(living_.begin(), living_.end(), true));
    report.writes = written_.size();
    reports_->push_back(std::move(report));
  }
  TensorList values(values_.size());
  try {
    run(segment.get(), values);
  } catch (...) {
    fill_known(values);
    throw;
  }
  separate_memory(values);
  write_back(values);
  fill(values);
}

void Recorder::reset() {
  key_.clear();
  num_calls_ = 0;
  values_.clear();
  written_.clear();
  pending_.clear();
  externals_.clear();
  tracked_.clear();
  id_ = fresh_id();
}

}  // namespace paddle::pir
