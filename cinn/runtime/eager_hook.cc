// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Calls by what a kernel depends on, and the groups that were made of them.
#include "cinn/runtime/eager_hook.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <unordered_map>

#include "cinn/group/group_op.h"
#include "cinn/runtime/group_state.h"
#include "paddle_core/base/flags.h"
#include "paddle_core/dispatch/execute/decomposition.h"
#include "paddle_core/dispatch/watch/observers.h"
#include "paddle_core/profile/trace.h"
#include "pir/dialect/dialect.h"
#include "pir/dialect/effects.h"

namespace paddle::cinn {
namespace {

// Calls that were seen; those without a group are forgotten when there are so many.
constexpr size_t kMostCalls = 1024;

// Within a call that waits for its kernel: the composed operators inside get none of their own.
thread_local bool inside_call = false;

Tensor tensor_of(TensorImpl* t) { return Tensor(IntrusivePtr<TensorImpl>::share(t)); }

// All tensors of a call in the order of its arguments.
TensorList tensors_of(const OpDef& op, const Slot* args) {
  TensorList all;
  for (int i = 0; i < op.num_args; ++i) {
    if (args[i].kind == SlotKind::kTensor) all.push_back(tensor_of(args[i].tensor));
    if (args[i].kind != SlotKind::kTensorList) continue;
    for (uint32_t k = 0; k < args[i].count; ++k) {
      if (args[i].list[k].defined()) all.push_back(args[i].list[k]);
    }
  }
  return all;
}

// What the kernel of a call depends on, as bytes.
class Key {
 public:
  explicit Key(const OpDef& op) { add(op.id); }
  template <typename T>
  void add(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    text_.append(reinterpret_cast<const char*>(&value), sizeof(value));
  }
  void add_bytes(const void* at, size_t size) {
    add(size);
    text_.append(static_cast<const char*>(at), size);
  }
  // Which extents are equal to each other, and which are 1.
  void add_pattern(const Tensor& t) {
    add(t.dtype());
    add(t.shape().size());
    for (const Dim d : t.shape()) {
      if (d == Dim(1)) {
        add(int32_t{-1});
        continue;
      }
      const auto at = std::find(extents_.begin(), extents_.end(), d);
      add(static_cast<int32_t>(at - extents_.begin()));
      if (at == extents_.end()) extents_.push_back(d);
    }
  }
  void add_slot(const Slot& s) {
    add(s.kind);
    switch (s.kind) {
      case SlotKind::kNone:
        break;
      case SlotKind::kTensor:
        add_pattern(tensor_of(s.tensor));
        break;
      case SlotKind::kTensorList:
        add(s.count);
        for (uint32_t k = 0; k < s.count; ++k) {
          add(s.list[k].defined());
          if (s.list[k].defined()) add_pattern(s.list[k]);
        }
        break;
      case SlotKind::kScalar:
        add(s.scalar->kind());
        add(s.scalar->is_integral() ? s.scalar->to_int() : int64_t{0});
        add(s.scalar->to_complex());
        break;
      case SlotKind::kInts:
        add_bytes(s.dims, s.count * sizeof(Dim));
        break;
      case SlotKind::kFloats:
        add_bytes(s.floats, s.count * sizeof(double));
        break;
      case SlotKind::kString:
        add_bytes(s.chars, s.count);
        break;
      case SlotKind::kFloat:
        add(s.f);
        break;
      case SlotKind::kPlace:
        add(s.place.kind);
        break;
      case SlotKind::kBool:
      case SlotKind::kInt:
      case SlotKind::kDType:
        add(s.i);
    }
  }
  // The extents themselves, where a group is for them alone.
  void add_extents() {
    for (const Dim d : extents_) add(d);
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  SmallVector<Dim, 16> extents_;
};

class Call {
 public:
  SymbolOwner symbols;  // of the types in the group
  std::shared_ptr<GroupState> group;
  bool seen = false, declined = false;
  bool by_extents = false;  // the operator decides by extents: a group for each
};

// The operation alone in a group; extents other than 1 are symbols if that is wanted.
void make_group(Call& call, const OpDef& op, const Slot* args, const TensorList& tensors,
                bool symbolic) {
  pir::Program program;
  pir::Builder builder(program.block());
  SymbolScope scope;
  program.keep_symbols(scope.owner());
  std::unordered_map<int64_t, Dim> symbols;
  std::vector<pir::Value*> parameters;
  for (const Tensor& t : tensors) {
    Shape shape;
    for (const Dim d : t.shape()) {
      if (!symbolic || d == Dim(1)) {
        shape.push_back(d);
        continue;
      }
      auto found = symbols.find(d.value());
      if (found == symbols.end()) {
        found = symbols.emplace(d.value(), scope.fresh(d.value())).first;
      }
      shape.push_back(found->second);
    }
    parameters.push_back(builder
                             .create("builtin.parameter", {},
                                     {pir::Type::tensor(t.dtype(), shape, t.place())},
                                     {{"index", static_cast<int64_t>(parameters.size())}})
                             ->result());
  }
  size_t next = 0;
  const pir::ValueOf value_of = [&](const Tensor&) { return parameters.at(next++); };
  Outputs none(op.num_results);
  pir::Operation* untyped = pir::build_operation(builder, op, args, none, value_of);
  const std::vector<pir::Type> types = pir::infer_types(*untyped);
  pir::Operation* typed =
      builder.create(untyped->name(), untyped->operands(), types, untyped->attributes());
  typed->def = &op;
  program.block().erase(untyped);
  std::vector<pir::Operation*> constants;
  for (const auto& made : program.block().operations()) {
    if (made.get() != typed && !made->is("builtin.parameter")) constants.push_back(made.get());
  }
  std::vector<pir::Value*> results;
  for (size_t k = 0; k < typed->num_results(); ++k) results.push_back(typed->result(k));
  builder.create(std::string(pir::kResults), results, {});
  const pir::Operation* group = outline({typed}, constants);
  call.group = std::make_shared<GroupState>(GroupForm::parts_of(*group), *group);
  call.symbols = scope.owner();
}

// A call whose kernel is not there yet.
class Uncompiled final : public CompiledCall {
 public:
  void run(const OpDef& op, const Slot* args, Outputs& outs) override {
    const bool before = inside_call;
    inside_call = true;
    try {
      run_decomposition(op, args, outs, Place());
    } catch (...) {
      inside_call = before;
      throw;
    }
    inside_call = before;
  }
};

class Compiled final : public CompiledCall {
 public:
  explicit Compiled(std::shared_ptr<pir::RegionExecutable> kernel) : kernel_(std::move(kernel)) {}
  void run(const OpDef& op, const Slot* args, Outputs& outs) override {
    if (kernel_->wants_region()) {
      const int64_t begin = profile::now_ns();
      Uncompiled().run(op, args, outs);
      return kernel_->region_ran(profile::now_ns() - begin);
    }
    TensorList results = kernel_->run(tensors_of(op, args));
    // Values that the kernel is not made for, such as an index out of range.
    if (results.empty()) return Uncompiled().run(op, args, outs);
    outs.clear();
    for (Tensor& t : results) outs.push_back(std::move(t));
  }

 private:
  const std::shared_ptr<pir::RegionExecutable> kernel_;
};

class EagerCalls final : public CompileHook {
 public:
  using Reply = CompileReply<CompiledCall>;
  Reply ask(const OpDef& op, const Slot* args, const Outputs& results, Place place) override {
    if (inside_call || !may_compile(op, args, results, place)) return Reply::declined();
    const TensorList tensors = tensors_of(op, args);
    std::shared_ptr<GroupState> group;
    {
      const std::lock_guard lock(mutex_);
      Key key(op);
      for (int i = 0; i < op.num_args; ++i) key.add_slot(args[i]);
      Call* call = &find(key.text());
      if (call->by_extents) {
        key.add_extents();
        call = &find(key.text());
        if (!call->group && !call->declined) make(*call, op, args, tensors, false);
      }
      if (call->declined) return Reply::declined();
      if (!call->group) {
        static const auto* const is_async = bool_flag("FLAGS_cinn_async");
        // Calls that come once, such as those with a number that changes, are not worth a kernel.
        if (!call->seen && is_async->load(std::memory_order_relaxed)) {
          call->seen = true;
          return waiting();
        }
        make(*call, op, args, tensors, true);
        if (call->by_extents) return waiting();
        if (call->declined) return Reply::declined();
      }
      group = call->group;
    }
    auto kernel = group->ask(tensors);
    return kernel ? Reply::ready(std::make_shared<Compiled>(std::move(kernel))) : waiting();
  }

 private:
  static Reply waiting() {
    static const auto call = std::make_shared<Uncompiled>();
    return Reply::ready(call);
  }

  static bool may_compile(const OpDef& op, const Slot* args, const Outputs& results, Place place) {
    if (!place.is_host() || op.list_result || op.is_view() || op.num_results == 0 ||
        op.has(kRandom | kSideEffect | kDynamicOutput)) {
      return false;
    }
    if (observes_results() || decompositions_are_forced()) return false;
    for (const Tensor& t : results) {
      if (!t.defined()) return false;
      const Shape& shape = t.shape();  // they have no number of elements yet
      if (std::find(shape.begin(), shape.end(), Dim(0)) != shape.end()) return false;
    }
    bool some = false;
    for (const Tensor& t : tensors_of(op, args)) {
      if (!t.has_storage() || (t->shared_keys() & kModeLayout) || t.numel() == 0) return false;
      some = true;
    }
    return some;
  }

  Call& find(const std::string& key) {
    if (calls_.size() >= kMostCalls && !calls_.contains(key)) {
      std::erase_if(calls_, [](const auto& entry) { return !entry.second.group; });
      if (calls_.size() >= kMostCalls) calls_.clear();
    }
    return calls_[key];
  }

  static void make(Call& call, const OpDef& op, const Slot* args, const TensorList& tensors,
                   bool symbolic) {
    try {
      make_group(call, op, args, tensors, symbolic);
      if (call.group->serves(tensors)) return;
    } catch (const Error&) {  // an operation in it is no part of a kernel
    }
    call.group = nullptr;
    (symbolic ? call.by_extents : call.declined) = true;
  }

  std::mutex mutex_;
  std::unordered_map<std::string, Call> calls_;
};

}  // namespace

CompileHook& eager_calls() {
  static auto* const hook = new EagerCalls;
  return *hook;
}

}  // namespace paddle::cinn
