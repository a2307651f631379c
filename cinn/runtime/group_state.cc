// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Choosing and launching kernels.
#include "cinn/runtime/group_state.h"

#include <algorithm>
#include <cstring>
#include <unordered_set>

#include "cinn/runtime/group_executable.h"
#include "cinn/runtime/interpreted_group.h"
#include "cinn/scalar/random_math.h"
#include "paddle_core/base/flags.h"
#include "paddle_core/base/log.h"
#include "paddle_core/device/execution_context.h"
#include "paddle_core/device/parallel.h"
#include "paddle_core/profile/trace.h"
#include "pir/dialect/operation_record.h"
#include "pir/interpreter/interpreter.h"

namespace paddle::cinn {

namespace {

// What FLAGS_cinn_interpret asks for.
class InterpretedGroup final : public pir::RegionExecutable {
 public:
  InterpretedGroup(std::shared_ptr<const GroupState> group, bool blocks)
      : group_(std::move(group)), blocks_(blocks) {}
  TensorList run(const TensorList& inputs) override {
    return group_->run_interpreted(blocks_, inputs);
  }

 private:
  const std::shared_ptr<const GroupState> group_;
  const bool blocks_;
};

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

// Once in a process for groups of the same operators, such as those of equal layers.
bool is_first_warning(const std::string& group) {
  static std::mutex mutex;
  static std::unordered_set<std::string> known;
  const std::lock_guard lock(mutex);
  return known.insert(group).second;
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

GroupState::GroupState(const std::vector<GroupPart>& parts, const pir::Operation& group,
                       int64_t number, std::vector<Edge> edges)
    : number_(number),
      edges_(std::move(edges)),
      operators_(pir::region_operators(group)),
      name_(pir::region_name(group)) {
  for (const pir::Value* v : group.operands()) inputs_.push_back(v->type());
  for (size_t k = 0; k < group.num_results(); ++k) results_.push_back(group.result(k)->type());
  add_parts(parts);
}

GroupState::GroupState(const GroupState& group, const std::vector<GroupPart>& parts,
                       std::vector<pir::Type> inputs, std::vector<pir::Type> results)
    : number_(group.number_),
      edges_(group.edges_),
      operators_(group.operators_),
      name_(group.name_),
      inputs_(std::move(inputs)),
      results_(std::move(results)) {
  add_parts(parts);
}

void GroupState::add_parts(const std::vector<GroupPart>& parts) {
  for (const GroupPart& made : parts) {
    Part& part = parts_.emplace_back();
    part.made = made;
    draws_ += made.draws.size();
    for (const int i : made.form->graph().in_place) {
      if (i >= 0) overwritten_.push_back(made.inputs[static_cast<size_t>(i)]);
    }
    for (const Dim d : made.form->sizes()) {
      Source source;
      source.value = d;
      for (size_t i = 0; i < made.inputs.size() && source.input < 0; ++i) {
        const Shape& shape = inputs_[static_cast<size_t>(made.inputs[i])].shape();
        const auto at = std::find(shape.begin(), shape.end(), d);
        if (at == shape.end() || !d.is_symbolic()) continue;
        source.input = static_cast<int>(i);
        source.dim = static_cast<int>(at - shape.begin());
      }
      part.sources.push_back(source);
    }
  }
}

// False where the inputs are not what the kernel is for.
bool GroupState::compute_sizes(const Part& part, const TensorList& inputs, Sizes& sizes) const {
  sizes.resize(part.made.form->graph().num_kernel_sizes() + 1);
  const auto input = [&](size_t i) -> const Tensor& {
    return inputs[static_cast<size_t>(part.made.inputs[i])];
  };
  const size_t count = part.made.inputs.size();
  const auto type = [&](size_t i) -> const pir::Type& {
    return inputs_[static_cast<size_t>(part.made.inputs[i])];
  };
  for (size_t i = 0; i < count; ++i) {
    if (!fits(type(i), input(i))) return false;
  }
  SymbolValues symbols;
  bool bound = false;
  const auto value = [&](Dim d) {
    if (!d.is_symbolic()) return std::optional<int64_t>(d.value());
    if (!bound) {
      for (size_t i = 0; i < count; ++i) pir::bind_symbols(type(i), input(i), symbols);
      bound = true;
    }
    return evaluate(d, symbols);
  };
  for (size_t i = 0; i < part.sources.size(); ++i) {
    const Source& s = part.sources[i];
    if (s.input >= 0) {
      sizes[i] = input(static_cast<size_t>(s.input)).shape()[static_cast<size_t>(s.dim)].value();
      continue;
    }
    const auto known = value(s.value);
    if (!known) return false;
    sizes[i] = *known;
  }
  for (const SymbolFact& fact : part.made.form->facts()) {
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
  Sizes sizes;
  return std::all_of(parts_.begin(), parts_.end(),
                     [&](const Part& part) { return compute_sizes(part, inputs, sizes); });
}

// Whether what is overwritten is dense and nothing else that is read lies there.
bool GroupState::may_overwrite(const TensorList& inputs) const {
  if (overwritten_.empty()) return true;
  struct Range {
    const char *begin, *end;
    int written;
  };
  SmallVector<Range, 64> ranges;
  const auto add = [&](const Tensor& t, int written) {
    if (!t.defined() || t.numel() == 0) return;
    const auto* begin = static_cast<const char*>(t.raw_data());
    ranges.push_back(
        {begin, begin + t.numel() * static_cast<int64_t>(size_of(t.dtype())), written});
  };
  for (const int i : overwritten_) {
    if (!inputs[static_cast<size_t>(i)].is_contiguous()) return false;
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    const int position = static_cast<int>(i);
    const bool written =
        std::find(overwritten_.begin(), overwritten_.end(), position) != overwritten_.end();
    // What has strides may reach further than its number of elements: it is copied first, but not
    // when it shows memory that is written.
    if (!inputs[i].is_contiguous()) {
      for (const int w : overwritten_) {
        if (inputs[i].shares_storage(inputs[static_cast<size_t>(w)])) return false;
      }
      continue;
    }
    add(inputs[i], written);
  }
  std::sort(ranges.begin(), ranges.end(),
            [](const Range& a, const Range& b) { return a.begin < b.begin; });
  const char *read_end = nullptr, *written_end = nullptr;
  for (const Range& r : ranges) {
    if (r.begin < written_end || (r.written && r.begin < read_end)) return false;
    (r.written ? written_end : read_end) = std::max(r.written ? written_end : read_end, r.end);
  }
  return true;
}

// Null: it is not its turn, or there is none.
std::shared_ptr<CachedKernel> GroupState::kernel_for(Part& part, Variant variant) {
  static const auto* const is_async = bool_flag("FLAGS_cinn_async");
  static const auto* const swap_call = int_flag("FLAGS_cinn_swap_call");
  static const auto* const wait_ms = int_flag("FLAGS_cinn_wait_ms");
  Slot& slot = part.slots[variant];
  ++slot.calls;
  KernelCache& cache = KernelCache::global();
  if (!slot.kernel) slot.kernel = cache.get(part.made.form, variant);
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
  if (slot.kernel->state() != CachedKernel::State::kFailed) return slot.kernel;
  if (is_first_warning(name_)) {
    warn(str("The group ", name_,
             " could not be compiled and runs operator by operator: ", slot.kernel->problem()));
  }
  return nullptr;
}

std::shared_ptr<pir::RegionExecutable> GroupState::ask(const TensorList& inputs) {
  const bool watched = pir::GroupWatch::is_on();
  const auto is_private = [](const Tensor& t) {
    return t.defined() && (t->shared_keys() & kModeLayout);
  };
  const bool moved = std::any_of(inputs.begin(), inputs.end(), is_private);
  size_t activations = 0;
  const std::shared_ptr<GroupState> other = moved ? turned(inputs, activations) : nullptr;
  if (watched) {
    const std::lock_guard lock(mutex_);
    watched_turned_ = other != nullptr;
  }
  if (other) return ask_turned(*other, inputs, activations);
  if (!watched) return choose(inputs, nullptr);
  std::string why_not;
  auto executable = choose(inputs, &why_not);
  note_call(inputs, executable != nullptr, std::move(why_not));
  return executable;
}

std::shared_ptr<pir::RegionExecutable> GroupState::choose(const TensorList& inputs,
                                                          std::string* why_not) {
  const auto no = [&](const char* why) {
    if (why_not) *why_not = why;
    return nullptr;
  };
  for (const Tensor& t : inputs) {
    // Inside of a capture there are no values.
    if (t.defined() && (!t.has_storage() || (t->shared_keys() & kModeLayout))) {
      return no("an input lies in memory in an order of its own");
    }
  }
  if (!may_overwrite(inputs)) return no("what it overwrites shares memory with other inputs");
  std::vector<Variant> variants;
  Sizes sizes;
  for (const Part& part : parts_) {
    if (!compute_sizes(part, inputs, sizes)) {
      return no("the inputs have other shapes or dtypes than it is for");
    }
    variants.push_back(choose_variant(*part.made.form, sizes.data()));
  }
  if (const Interpreted how = interpretation_wanted(); how != Interpreted::kNo) {
    return std::make_shared<InterpretedGroup>(shared_from_this(), how == Interpreted::kBlocks);
  }
  const std::lock_guard lock(mutex_);
  static const auto* const autotune = bool_flag("FLAGS_cinn_autotune");
  const bool tunes = autotune->load(std::memory_order_relaxed);
  const int magnitude = tunes ? magnitude_of(inputs) : 0;
  const auto tuned = [&](bool& known) -> std::shared_ptr<pir::RegionExecutable> {
    pir::RegionExecutable* found = find_tuned(variants, magnitude, known);
    if (!found) return no("FLAGS_cinn_autotune found it faster uncompiled");
    return {shared_from_this(), found};
  };
  bool known = false;
  if (tunes) {
    auto found = tuned(known);
    if (known) return found;
  }
  for (const Chosen& c : chosen_) {
    if (!tunes && c.variants == variants) return {shared_from_this(), c.executable.get()};
  }
  Kernels kernels;
  bool all = true;
  for (size_t i = 0; i < parts_.size(); ++i) {
    kernels.push_back(kernel_for(parts_[i], variants[i]));
    all = all && kernels.back();
  }
  if (!all) return no("its kernel takes over at a later call, or could not be compiled");
  if (tunes) {
    add_tuned(variants, magnitude, kernels);
    return tuned(known);
  }
  chosen_.push_back(
      {std::move(variants), std::make_unique<GroupExecutable>(*this, std::move(kernels))});
  return {shared_from_this(), chosen_.back().executable.get()};
}

// A part in one run.
struct GroupState::Launch {
  const Kernel* kernel = nullptr;
  const CachedKernel* cached = nullptr;  // null: the interpreter runs it
  const LaunchNumbers* plan = nullptr;
  LaunchNumbers::Values numbers;  // of `plan`
  Sizes sizes;
  SmallVector<void*, 24> buffers;
  size_t scratch = 0;  // bytes of each thread
  TensorList memory;   // copies of inputs whose memory has gaps, and temporaries
  std::vector<std::pair<Tensor, Tensor>> copied;  // what is written to an input in the end

  void run(size_t stage, int64_t begin, int64_t end, std::atomic<bool>& failed) const {
    int32_t broken = 0;
    const StageFunction code = cached->stage(stage);
    if (scratch == 0) {
      code(const_cast<void**>(buffers.data()), sizes.data(), begin, end, &broken);
    } else {
      SmallVector<void*, 24> mine(buffers.begin(), buffers.end());
      char* at = scratch_of_thread(scratch);
      for (size_t i = 0; i < mine.size(); ++i) {
        const Buffer& b = kernel->buffers[i];
        if (b.space != Space::kScratch) continue;
        mine[i] = at;
        at += rounded(static_cast<size_t>(plan->elements(numbers, i)) * size_of(b.dtype));
      }
      code(mine.data(), sizes.data(), begin, end, &broken);
    }
    if (broken) failed.store(true, std::memory_order_relaxed);
  }
};

void GroupState::prepare(const Part& part, const TensorList& inputs, Launch& launch,
                         TensorList& results) const {
  const GroupForm& form = *part.made.form;
  const Graph& graph = form.graph();
  const Kernel& kernel = *launch.kernel;
  const auto input = [&](int64_t i) -> const Tensor& {
    return inputs[static_cast<size_t>(part.made.inputs[static_cast<size_t>(i)])];
  };
  const auto fresh = [&](size_t k) {
    const int result = part.made.results[k];
    if (result < 0)
      return Tensor::empty(input(graph.in_place[k]).shape(), graph.node(graph.results[k]).dtype);
    const pir::Type& type = results_[static_cast<size_t>(result)];
    Shape shape;
    for (const Dim d : type.shape()) {
      int64_t extent = d.is_symbolic() ? 0 : d.value();
      if (d.is_symbolic()) {
        const auto& known = form.sizes();
        const auto at = std::find(known.begin(), known.end(), d);
        PADDLE_ASSERT(at != known.end());
        extent = launch.sizes[static_cast<size_t>(at - known.begin())];
      }
      shape.push_back(Dim(extent));
    }
    return Tensor::empty(shape, type.dtype(), type.place());
  };
  SmallVector<Tensor, 8> made(graph.results.size());
  launch.plan->compute(launch.sizes.data(), launch.numbers);
  launch.buffers.resize(kernel.buffers.size());
  for (size_t i = 0; i < kernel.buffers.size(); ++i) {
    const Buffer& b = kernel.buffers[i];
    const auto elements = [&] { return launch.plan->elements(launch.numbers, i); };
    const auto memory_of = [](const Tensor& t) {
      return t.numel() == 0 ? static_cast<void*>(nothing) : t.raw_data();
    };
    switch (b.space) {
      case Space::kUpdated:
        launch.buffers[i] = memory_of(input(b.argument));
        break;
      case Space::kInput: {
        const Tensor& t = input(b.argument);
        if (!t.is_contiguous()) launch.memory.push_back(t.contiguous_copy_if_needed());
        launch.buffers[i] = memory_of(t.is_contiguous() ? t : launch.memory.back());
        break;
      }
      case Space::kOutput: {
        const auto k = static_cast<size_t>(b.argument);
        made[k] = fresh(k);
        launch.buffers[i] = memory_of(made[k]);
        break;
      }
      case Space::kTemporary:
        launch.memory.push_back(Tensor::empty({Dim(elements())}, b.dtype));
        launch.buffers[i] = launch.memory.back().raw_data();
        break;
      default:
        launch.scratch += rounded(static_cast<size_t>(elements()) * size_of(b.dtype));
    }
  }
  for (size_t k = 0; k < made.size(); ++k) {
    const int replaced = graph.in_place[k];
    if (replaced >= 0 && made[k].defined()) launch.copied.emplace_back(made[k], input(replaced));
    const int result = part.made.results[k];
    if (result >= 0)
      results[static_cast<size_t>(result)] = replaced >= 0 ? input(replaced) : made[k];
  }
}

// The tasks of all stages of the level, side by side. False when a kernel gave up.
bool GroupState::run_level(std::vector<Launch>& launches, int level) {
  struct Span {
    const Launch* launch;
    size_t stage;
    int64_t tasks, grain, first;  // first: of its pieces of `grain` tasks
  };
  SmallVector<Span, 8> spans;
  int64_t pieces = 0;
  double worth = 0;  // threads
  for (Launch& launch : launches) {
    const Kernel& kernel = *launch.kernel;
    for (size_t s = 0; s < kernel.stages.size(); ++s) {
      if (launch.cached->level(s) != level) continue;
      const int64_t tasks = LaunchNumbers::tasks(launch.numbers, s);
      const int64_t grain = LaunchNumbers::grain(launch.numbers, s);
      if (tasks == 0) continue;
      spans.push_back({&launch, s, tasks, grain, pieces});
      pieces += (tasks + grain - 1) / grain;
      worth += static_cast<double>(tasks) / static_cast<double>(grain);
    }
  }
  std::atomic<bool> failed{false};
  if (spans.size() == 1) {
    const Span& span = spans[0];
    parallel_for(0, span.tasks, span.grain, [&](int64_t begin, int64_t end) {
      span.launch->run(span.stage, begin, end, failed);
    });
    return !failed.load();
  }
  const int64_t least = std::max<int64_t>(
      1, static_cast<int64_t>(static_cast<double>(pieces) / std::max(1.0, worth)));
  parallel_for(0, pieces, least, [&](int64_t begin, int64_t end) {
    auto at = std::upper_bound(spans.begin(), spans.end(), begin,
                               [](int64_t piece, const Span& s) { return piece < s.first; });
    for (--at; at != spans.end() && at->first < end; ++at) {
      const int64_t from = std::max<int64_t>(begin - at->first, 0) * at->grain;
      const int64_t to = std::min((end - at->first) * at->grain, at->tasks);
      at->launch->run(at->stage, from, to, failed);
    }
  });
  return !failed.load();
}

void GroupState::write_back(const std::vector<Launch>& launches, const TensorList& inputs) const {
  for (const Launch& launch : launches) {
    for (const auto& [value, target] : launch.copied) {
      std::memcpy(target.raw_data(), value.raw_data(),
                  static_cast<size_t>(value.numel()) * size_of(value.dtype()));
    }
  }
  for (const int i : overwritten_) inputs[static_cast<size_t>(i)]->storage->note_overwrite();
}

// In the order of the operations, each as its operator would.
void GroupState::draw(std::vector<Launch>& launches) const {
  for (size_t next = 0; next < draws_; ++next) {
    for (size_t i = 0; i < parts_.size(); ++i) {
      const GroupPart& part = parts_[i].made;
      const auto at = std::find(part.draws.begin(), part.draws.end(), next);
      if (at == part.draws.end()) continue;
      const auto d = static_cast<size_t>(at - part.draws.begin());
      const Graph& graph = part.form->graph();
      const DrawOf& of = graph.draws[d];
      Sizes& sizes = launches[i].sizes;
      int64_t elements = 1;
      for (const Extent e : of.shape)
        elements *= e.size < 0 ? e.number : sizes[static_cast<size_t>(e.size)];
      const Tensor result = Tensor::meta({Dim(elements)}, DType::kFloat32);
      // How many counters these operators take depends on the number of elements alone.
      PhiloxState state = draw_state(of.op->def->random_count_fn(nullptr, &result));
      if (const int64_t seed = fixed_seed(*of.op); seed != 0) {
        state = {static_cast<uint64_t>(seed), 0};
      }
      sizes[graph.seed_size(d)] = static_cast<int64_t>(state.seed);
      sizes[graph.seed_size(d) + 1] = static_cast<int64_t>(state.offset);
    }
  }
}

TensorList GroupState::run(const Kernels& kernels, const TensorList& inputs) const {
  const Recorded recorded(name_);
  KernelCache::global().count_launch();
  TensorList results(results_.size());
  std::vector<Launch> launches(parts_.size());
  int levels = 0;
  for (size_t i = 0; i < parts_.size(); ++i) {
    launches[i].cached = kernels[i].get();
    launches[i].kernel = &kernels[i]->kernel();
    launches[i].plan = &kernels[i]->numbers();
    PADDLE_ASSERT(compute_sizes(parts_[i], inputs, launches[i].sizes));
    prepare(parts_[i], inputs, launches[i], results);
    levels = std::max(levels, kernels[i]->num_levels());
  }
  draw(launches);
  for (int level = 0; level < levels; ++level) {
    // A value for which a kernel is not made: what the region does with it, or raises, counts.
    if (!run_level(launches, level)) return {};
  }
  write_back(launches, inputs);
  return results;
}

TensorList GroupState::run_interpreted(bool blocks, const TensorList& inputs) const {
  KernelCache::global().count_launch();
  TensorList results(results_.size());
  std::vector<Launch> launches(parts_.size());
  for (size_t i = 0; i < parts_.size(); ++i) {
    PADDLE_ASSERT(compute_sizes(parts_[i], inputs, launches[i].sizes));
  }
  draw(launches);
  for (size_t i = 0; i < parts_.size(); ++i) {
    Launch& launch = launches[i];
    const Kernel kernel = kernel_to_interpret(*parts_[i].made.form, blocks, launch.sizes.data());
    const LaunchNumbers plan(kernel);
    launch.kernel = &kernel;
    launch.plan = &plan;
    prepare(parts_[i], inputs, launch, results);
    const auto num_sizes = static_cast<std::ptrdiff_t>(kernel.sizes.size());
    const std::vector<void*> memory(launch.buffers.begin(), launch.buffers.end());
    const std::vector<int64_t> sizes(launch.sizes.begin(), launch.sizes.begin() + num_sizes);
    const bool holds = interpret_group(name_, kernel, memory, sizes);
    launch.kernel = nullptr;
    launch.plan = nullptr;
    if (!holds) return {};  // as kernels do: the region runs, or raises
  }
  write_back(launches, inputs);
  return results;
}

std::vector<GroupPart> GroupState::parts() const {
  const std::lock_guard lock(mutex_);
  std::vector<GroupPart> made;
  for (const Part& part : parts_) made.push_back(part.made);
  return made;
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
