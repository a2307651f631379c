// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Choosing and launching kernels.
#include "cinn/runtime/group_state.h"

#include <algorithm>
#include <sstream>

#include "paddle_core/base/flags.h"
#include "paddle_core/base/log.h"
#include "paddle_core/device/parallel.h"
#include "paddle_core/profile/trace.h"
#include "pir/dialect/operation_record.h"
#include "pir/interpreter/interpreter.h"

namespace paddle::cinn {

// A kernel that is ready, for one class of sizes.
class GroupExecutable final : public pir::RegionExecutable {
 public:
  GroupExecutable(std::shared_ptr<const GroupState> group, std::shared_ptr<CachedKernel> kernel)
      : group_(std::move(group)), kernel_(std::move(kernel)) {}
  TensorList run(const TensorList& inputs) override {
    SmallVector<int64_t, 16> sizes(group_->sources_.size() + 1);
    PADDLE_ASSERT(group_->compute_sizes(inputs, sizes.data()));
    return group_->run(*kernel_, sizes.data(), inputs);
  }

 private:
  const std::shared_ptr<const GroupState> group_;
  const std::shared_ptr<CachedKernel> kernel_;
};

namespace {

// Memory of a thread for what tasks keep to themselves.
char* scratch_of_thread(size_t bytes) {
  thread_local std::unique_ptr<char[]> memory;
  thread_local size_t size = 0;
  constexpr size_t kLine = 64;
  if (size < bytes + kLine) {
    size = bytes + kLine;
    memory.reset(new char[size]);
  }
  const auto at = reinterpret_cast<uintptr_t>(memory.get());
  return memory.get() + (kLine - at % kLine) % kLine;
}

size_t rounded(size_t bytes) { return (bytes + 63) / 64 * 64; }

// A span of the profile with the operators of a group.
class Recorded {
 public:
  explicit Recorded(const std::string& name)
      : name_(name), begin_(profile::is_recording() ? profile::now_ns() : -1) {}
  ~Recorded() {
    if (begin_ >= 0) profile::record(name_, "kernel", begin_, profile::now_ns());
  }
  Recorded(const Recorded&) = delete;
  Recorded& operator=(const Recorded&) = delete;

 private:
  const std::string& name_;
  const int64_t begin_;
};

// What stands for the memory of a tensor without elements, which may have none.
alignas(64) char nothing[64];

std::string name_of(const pir::Operation& group) {
  std::ostringstream out;
  std::string last;
  size_t count = 0;
  const auto flush = [&] {
    if (count > 0) out << (out.tellp() > 0 ? "+" : "") << last;
    if (count > 1) out << "*" << count;
  };
  for (const auto& op : group.regions()[0]->blocks()[0]->operations()) {
    if (!op->def) continue;
    const std::string name = op->def->name();
    if (name == "full") continue;
    if (name == last) {
      ++count;
      continue;
    }
    flush();
    last = name;
    count = 1;
  }
  flush();
  return std::move(out).str();
}

// Programs of older files may say other ranks and extents than their values have.
bool fits(const pir::Type& type, const Tensor& t) {
  if (!t.defined() || t.dtype() != type.dtype()) return false;
  const Shape& said = type.shape();
  const Shape& is = t.shape();
  if (said.size() != is.size()) return false;
  for (size_t i = 0; i < is.size(); ++i) {
    if (!said[i].is_symbolic() && said[i] != is[i]) return false;
  }
  return true;
}

}  // namespace

GroupState::GroupState(std::shared_ptr<const GroupForm> form, const pir::Operation& group)
    : form_(std::move(form)), name_(name_of(group)) {
  for (const pir::Value* v : group.operands()) inputs_.push_back(v->type());
  for (size_t k = 0; k < group.num_results(); ++k) results_.push_back(group.result(k)->type());
  for (const Dim d : form_->sizes()) {
    Source source;
    source.value = d;
    for (size_t i = 0; i < inputs_.size() && d.is_symbolic() && source.input < 0; ++i) {
      const Shape& shape = inputs_[i].shape();
      const auto at = std::find(shape.begin(), shape.end(), d);
      if (at == shape.end()) continue;
      source.input = static_cast<int>(i);
      source.dim = static_cast<int>(at - shape.begin());
    }
    sources_.push_back(source);
  }
}

// False where the inputs are not what the kernel is for.
bool GroupState::compute_sizes(const TensorList& inputs, int64_t* sizes) const {
  for (size_t i = 0; i < inputs_.size(); ++i) {
    if (!fits(inputs_[i], inputs[i])) return false;
  }
  SymbolValues symbols;
  bool bound = false;
  const auto value = [&](Dim d) {
    if (!d.is_symbolic()) return std::optional<int64_t>(d.value());
    if (!bound) {
      for (size_t i = 0; i < inputs_.size(); ++i) pir::bind_symbols(inputs_[i], inputs[i], symbols);
      bound = true;
    }
    return evaluate(d, symbols);
  };
  for (size_t i = 0; i < sources_.size(); ++i) {
    const Source& s = sources_[i];
    if (s.input >= 0) {
      const Tensor& t = inputs[static_cast<size_t>(s.input)];
      sizes[i] = t.shape()[static_cast<size_t>(s.dim)].value();
      continue;
    }
    const auto known = value(s.value);
    if (!known) return false;
    sizes[i] = *known;
  }
  for (const SymbolFact& fact : form_->facts()) {
    const auto a = value(fact.left), b = value(fact.right);
    if (!a || !b) return false;
    using R = SymbolFact::Relation;
    const bool holds = fact.relation == R::kEq   ? *a == *b
                       : fact.relation == R::kNe ? *a != *b
                       : fact.relation == R::kLe ? *a <= *b
                                                 : *a > *b;
    if (!holds) return false;
  }
  return true;
}

bool GroupState::serves(const TensorList& inputs) const {
  SmallVector<int64_t, 16> sizes(sources_.size() + 1);
  return compute_sizes(inputs, sizes.data());
}

std::shared_ptr<pir::RegionExecutable> GroupState::ask(const TensorList& inputs) {
  static const auto* const is_async = bool_flag("FLAGS_cinn_async");
  static const auto* const swap_call = int_flag("FLAGS_cinn_swap_call");
  static const auto* const wait_ms = int_flag("FLAGS_cinn_wait_ms");
  for (const Tensor& t : inputs) {
    // What a convolution gave lies channels-last; its operators keep it so, a kernel would not.
    // Inside of a capture there are no values.
    if (t.defined() && (!t.has_storage() || (t->shared_keys() & kModeLayout))) return nullptr;
  }
  SmallVector<int64_t, 16> sizes(sources_.size() + 1);
  if (!compute_sizes(inputs, sizes.data())) return nullptr;
  const Variant variant = choose_variant(*form_, sizes.data());
  Slot& slot = slots_[variant];
  const std::lock_guard lock(slot.mutex);
  if (slot.executable) return slot.executable;
  ++slot.calls;
  KernelCache& cache = KernelCache::global();
  if (!slot.kernel) slot.kernel = cache.get(form_, variant);
  // The kernel takes over at one call number, however long compiling took: what runs before rounds
  // otherwise, and two runs of a program shall be equal.
  const bool now = !is_async->load(std::memory_order_relaxed);
  if (!now && slot.calls < swap_call->load(std::memory_order_relaxed)) return nullptr;
  if (slot.kernel->state() == CachedKernel::State::kWaiting) {
    const int64_t most = wait_ms->load(std::memory_order_relaxed);
    if (now || most < 0) {
      cache.finish(*slot.kernel);
    } else if (!cache.wait(*slot.kernel, most)) {
      return nullptr;
    }
  }
  if (slot.kernel->state() == CachedKernel::State::kFailed) {
    if (!slot.warned) {
      slot.warned = true;
      warn(str("The group ", name_,
               " could not be compiled and runs operator by operator: ", slot.kernel->problem()));
    }
    return nullptr;
  }
  slot.executable = std::make_shared<GroupExecutable>(shared_from_this(), slot.kernel);
  return slot.executable;
}

TensorList GroupState::run(const CachedKernel& cached, const int64_t* sizes,
                           const TensorList& inputs) const {
  const Kernel& kernel = cached.kernel();
  const Recorded recorded(name_);
  KernelCache::global().count_launch();
  TensorList results;
  for (const pir::Type& type : results_) {
    Shape shape;
    for (const Dim d : type.shape()) {
      int64_t extent = d.is_symbolic() ? 0 : d.value();
      if (d.is_symbolic()) {
        const auto& known = form_->sizes();
        const auto at = std::find(known.begin(), known.end(), d);
        PADDLE_ASSERT(at != known.end());
        extent = sizes[at - known.begin()];
      }
      shape.push_back(Dim(extent));
    }
    results.push_back(Tensor::empty(shape, type.dtype(), type.place()));
  }
  TensorList dense;  // copies of inputs whose memory has gaps or another order
  TensorList temporaries;
  SmallVector<void*, 24> buffers(kernel.buffers.size());
  size_t scratch = 0;
  for (size_t i = 0; i < kernel.buffers.size(); ++i) {
    const Buffer& b = kernel.buffers[i];
    const auto argument = static_cast<size_t>(b.argument);
    const auto elements = [&] { return evaluate(b.elements, sizes); };
    switch (b.space) {
      case Space::kInput: {
        const Tensor* t = &inputs[argument];
        if (!t->is_contiguous()) {
          dense.push_back(t->contiguous_copy_if_needed());
          t = &dense.back();
        }
        buffers[i] = t->numel() == 0 ? nothing : t->raw_data();
        break;
      }
      case Space::kOutput:
        buffers[i] = results[argument].numel() == 0 ? nothing : results[argument].raw_data();
        break;
      case Space::kTemporary:
        temporaries.push_back(Tensor::empty({Dim(elements())}, b.dtype));
        buffers[i] = temporaries.back().raw_data();
        break;
      default:
        scratch += rounded(static_cast<size_t>(elements()) * size_of(b.dtype));
    }
  }
  std::atomic<int32_t> failed{0};
  for (size_t s = 0; s < kernel.stages.size(); ++s) {
    const Stage& stage = kernel.stages[s];
    const StageFunction code = cached.stage(s);
    const int64_t tasks = evaluate(stage.tasks, sizes);
    const int64_t grain = stage.grain ? evaluate(stage.grain, sizes) : 1;
    parallel_for(0, tasks, grain, [&](int64_t begin, int64_t end) {
      int32_t broken = 0;
      if (scratch == 0) {
        code(buffers.data(), sizes, begin, end, &broken);
      } else {
        SmallVector<void*, 24> mine(buffers.begin(), buffers.end());
        char* at = scratch_of_thread(scratch);
        for (size_t i = 0; i < mine.size(); ++i) {
          const Buffer& b = kernel.buffers[i];
          if (b.space != Space::kScratch) continue;
          mine[i] = at;
          at += rounded(static_cast<size_t>(evaluate(b.elements, sizes)) * size_of(b.dtype));
        }
        code(mine.data(), sizes, begin, end, &broken);
      }
      if (broken) failed.store(1, std::memory_order_relaxed);
    });
  }
  // A value for which the kernel is not made: what the region does with it, or raises, counts.
  if (failed.load()) return {};
  return results;
}

std::string GroupState::describe() const {
  std::ostringstream out;
  out << "group " << name_;
  for (size_t v = 0; v < slots_.size(); ++v) {
    const std::lock_guard lock(slots_[v].mutex);
    const Slot& slot = slots_[v];
    if (!slot.kernel) continue;
    out << "\n  " << name_of_variant(static_cast<Variant>(v)) << ": ";
    switch (slot.kernel->state()) {
      case CachedKernel::State::kWaiting:
        out << "not compiled yet, " << slot.calls << " calls ran operator by operator";
        break;
      case CachedKernel::State::kReady: {
        const Kernel& kernel = slot.kernel->kernel();
        out << (slot.kernel->came_from_disk() ? "loaded in " : "compiled in ")
            << static_cast<int64_t>(slot.kernel->milliseconds() * 10) / 10.0 << " ms, "
            << kernel.stages.size() << (kernel.stages.size() == 1 ? " stage" : " stages");
        break;
      }
      case CachedKernel::State::kFailed:
        out << "runs operator by operator: " << slot.kernel->problem();
    }
  }
  return std::move(out).str();
}

CompileReply<pir::RegionExecutable> CpuGroupCompiler::ask(const pir::RegionRequest& request) {
  if (!request.op.is("cinn.group") || !request.op.handle) {
    return CompileReply<pir::RegionExecutable>::declined();
  }
  auto executable = static_cast<GroupState*>(request.op.handle.get())->ask(request.inputs);
  return executable ? CompileReply<pir::RegionExecutable>::ready(std::move(executable))
                    : CompileReply<pir::RegionExecutable>::pending();
}

}  // namespace paddle::cinn
