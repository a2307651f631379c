// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// What explain says of a group.
#include <algorithm>

#include "cinn/loop/traffic.h"
#include "cinn/runtime/group_state.h"
#include "cinn/schedule/value_uses.h"
#include "paddle_core/profile/trace.h"

namespace paddle::cinn {
namespace {

constexpr double kMsOfNs = 1e-6;

Tensor copied(const Tensor& t) {
  Tensor copy = Tensor::empty(t.shape(), t.dtype(), t.place());
  copy.copy_data_from(t);
  return copy;
}

std::vector<pir::ReportedValue> reported(const std::vector<ValueUse>& uses) {
  std::vector<pir::ReportedValue> list;
  for (const ValueUse& u : uses) {
    list.push_back({u.value, name_of(u.how), u.cost, u.load_cost, u.why});
  }
  return list;
}

bool same(const pir::ReportedPart& a, const pir::ReportedPart& b) {
  return a.variant == b.variant && a.sizes == b.sizes && a.state == b.state &&
         a.bytes_moved == b.bytes_moved && a.compile_ms == b.compile_ms;
}

}  // namespace

void GroupState::note_time(int64_t nanoseconds) {
  const std::lock_guard lock(mutex_);
  watched_.nanoseconds = nanoseconds;
}

void GroupState::note_call(const TensorList& inputs, bool compiled, std::string why_not) {
  Watched seen;
  seen.compiled = compiled;
  seen.why_not = std::move(why_not);
  Sizes sizes;
  for (const Part& part : parts_) {
    if (!compute_sizes(part, inputs, sizes)) break;
    seen.variants.push_back(choose_variant(*part.made.form, sizes.data()));
    seen.sizes.push_back(sizes);
  }
  if (seen.variants.size() == parts_.size()) {
    seen.inputs = inputs;
    seen.magnitude = magnitude_of(inputs);
    for (const int i : overwritten_) {
      Tensor& t = seen.inputs[static_cast<size_t>(i)];
      t = copied(t);
    }
  } else {
    seen.variants.clear();
  }
  const std::lock_guard lock(mutex_);
  seen.calls = watched_.calls + 1;
  watched_ = std::move(seen);
}

pir::ReportedPart GroupState::report_part(size_t i) const {
  pir::ReportedPart out;
  const Part& part = parts_[i];
  const GroupForm& form = *part.made.form;
  if (watched_.variants.empty()) {
    out.state = "unknown";
    return out;
  }
  const Variant variant = watched_.variants[i];
  const int64_t* sizes = watched_.sizes[i].data();
  for (size_t k = 0; k < form.sizes().size(); ++k)
    out.sizes.push_back(str("n", k, " = ", sizes[k]));
  out.variant = name_of_variant(variant);
  out.why_variant = why_variant(form, sizes);
  out.values = reported(value_uses(form, variant));
  const Kernel kernel = schedule_for_cpu(form, variant, CpuTarget::host().lanes());
  const Traffic traffic = traffic_of(kernel, sizes, order_of(variant) != kLongRows);
  out.bytes_moved = traffic.moved;
  out.bytes_least = traffic.least;
  out.stages = static_cast<int64_t>(kernel.stages.size());
  const auto& made = part.slots[variant].kernel;
  const auto state = made ? made->state() : CachedKernel::State::kWaiting;
  if (state == CachedKernel::State::kWaiting) {
    out.state = "waiting";
  } else if (state == CachedKernel::State::kFailed) {
    out.state = "failed";
    out.problem = made->problem();
  } else {
    out.state = "ready";
    out.made = made->came_from_disk() ? "disk" : "compiled";
    out.compile_ms = made->milliseconds();
  }
  return out;
}

// The shortest of several runs, in milliseconds; 0 where a kernel could not be made, or gives up on
// the values.
double GroupState::time_kernels(Watched& watched) {
  std::vector<std::shared_ptr<CachedKernel>> kernels;
  {
    const std::lock_guard lock(mutex_);
    for (size_t i = 0; i < watched.variants.size(); ++i) {
      Slot& slot = parts_[i].slots[watched.variants[i]];
      if (!slot.kernel) {
        slot.kernel = KernelCache::global().get(parts_[i].made.form, watched.variants[i]);
      }
      kernels.push_back(slot.kernel);
    }
  }
  for (const auto& kernel : kernels) {
    KernelCache::global().finish(*kernel);
    if (kernel->state() == CachedKernel::State::kFailed) return 0;
  }
  constexpr int kLeast = 5, kMost = 50;
  constexpr int64_t kLong = 100'000'000;  // ns that all runs take together
  int64_t best = INT64_MAX, all = 0;
  for (int i = 0; i <= kMost && (i <= kLeast || all < kLong); ++i) {
    const int64_t begin = profile::now_ns();
    const TensorList results = run(kernels, watched.inputs);
    const int64_t took = profile::now_ns() - begin;
    if (results.empty() && !results_.empty()) return 0;
    all += took;
    if (i > 0) best = std::min(best, took);  // the first run warms the caches
  }
  return static_cast<double>(best) * kMsOfNs;
}

pir::GroupReport GroupState::report(bool measure) {
  if (const auto turned = watched_state()) {
    pir::GroupReport out = turned->report(measure);
    for (pir::ReportedPart& part : out.parts) part.variant = "channels last, " + part.variant;
    return out;
  }
  pir::GroupReport out;
  if (measure) {
    Watched copy;
    {
      const std::lock_guard lock(mutex_);
      copy = watched_;
    }
    if (!copy.variants.empty()) out.best_ms = time_kernels(copy);
  }
  const std::lock_guard lock(mutex_);
  out.number = number_;
  out.name = name_;
  out.operators = operators_;
  for (const Edge& e : edges_) {
    out.edges.push_back({e.from, e.to, e.fused, e.reads, e.other_group, e.why});
  }
  out.updated_inputs = static_cast<int64_t>(overwritten_.size());
  out.calls = watched_.calls;
  out.ran_compiled = watched_.compiled;
  out.why_uncompiled = watched_.why_not;
  out.call_ms = static_cast<double>(watched_.nanoseconds) * kMsOfNs;
  for (const Tuned& t : tuned_) {
    if (t.magnitude != watched_.magnitude || t.variants != watched_.variants) continue;
    const auto chosen = t.trial->chosen();
    const auto times = t.trial->times();
    for (size_t way = 0; way < times.size(); ++way) {
      out.trials.push_back({t.trial->ways()[way], static_cast<double>(times[way]) * kMsOfNs,
                            chosen && *chosen == way});
    }
    out.trials_from_disk = t.trial->came_from_disk();
  }
  for (size_t i = 0; i < parts_.size(); ++i) {
    pir::ReportedPart part = report_part(i);
    const auto known = std::find_if(out.parts.begin(), out.parts.end(),
                                    [&](const auto& other) { return same(part, other); });
    if (known == out.parts.end()) {
      out.parts.push_back(std::move(part));
    } else {
      ++known->count;
    }
  }
  watched_.inputs.clear();  // they may be large
  watched_.calls = 0;
  return out;
}

std::shared_ptr<GroupState> GroupState::watched_state() const {
  const std::lock_guard lock(mutex_);
  return watched_turned_ ? turned_ : nullptr;
}

std::vector<pir::GroupCode> GroupState::code() const {
  if (const auto turned = watched_state()) return turned->code();
  std::vector<std::pair<std::shared_ptr<const GroupForm>, Variant>> wanted;
  {
    const std::lock_guard lock(mutex_);
    for (size_t i = 0; i < parts_.size(); ++i) {
      const Variant variant = watched_.variants.empty() ? kRows : watched_.variants[i];
      wanted.emplace_back(parts_[i].made.form, variant);
    }
  }
  std::vector<pir::GroupCode> list;
  for (const auto& [form, variant] : wanted) {
    pir::GroupCode code;
    code.form = form->signature();
    const Dumps dumps = KernelCache::global().stages_of(*form, variant, code.loops);
    code.mlir = dumps.mlir;
    code.lowered = dumps.lowered;
    code.llvm = dumps.llvm;
    code.assembly = dumps.assembly;
    list.push_back(std::move(code));
  }
  return list;
}

}  // namespace paddle::cinn
