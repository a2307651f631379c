// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Decompositions in the place of kernels, and the record of what they call.
#include "paddle_core/dispatch/decomposition.h"

#include <algorithm>
#include <mutex>
#include <unordered_map>
#include <unordered_set>

#include "paddle_core/dispatch/on_device.h"
#include "paddle_core/op/args.h"

namespace paddle {
namespace {

// The decompositions that run on this thread, the innermost first.
struct Running {
  const OpDef* op;
  const Running* outer;
};
__thread const Running* innermost __attribute__((tls_model("initial-exec"))) = nullptr;

class RunningScope {
 public:
  explicit RunningScope(const OpDef& op) : self_{&op, innermost} {
    for (const Running* at = innermost; at; at = at->outer) {
      PADDLE_CHECK_RUNTIME(at->op != &op, "operator ", op.name(),
                           ": its decomposition calls the operator again, at last through that of ",
                           innermost->op->name(), "; decompositions must end.");
    }
    innermost = &self_;
  }
  ~RunningScope() { innermost = self_.outer; }
  RunningScope(const RunningScope&) = delete;
  RunningScope& operator=(const RunningScope&) = delete;

 private:
  Running self_;
};

struct Calls {
  std::mutex mutex;
  std::unordered_map<const OpDef*, std::unordered_set<const OpDef*>> by_caller;
};

Calls& calls() {
  static Calls* all = new Calls;  // outlives every thread
  return *all;
}

void note_call(const OpDef& caller, const OpDef& op) {
  const std::lock_guard lock(calls().mutex);
  calls().by_caller[&caller].insert(&op);
}

bool shares_memory(const OpDef& op, const Slot* args, const Tensor& t) {
  if (!t.defined() || !t.has_storage()) return false;
  const auto same = [&](const Tensor& x) { return x.defined() && x->storage == t->storage; };
  for (int i = 0; i < op.num_args; ++i) {
    if (args[i].kind == SlotKind::kTensor && args[i].tensor->storage == t->storage) return true;
    if (args[i].kind != SlotKind::kTensorList) continue;
    if (std::any_of(args[i].list, args[i].list + args[i].count, same)) return true;
  }
  return false;
}

int rank_within(const OpDef& op, std::vector<const OpDef*>& path) {
  if (op.kind() != OpKind::kComposed) return 0;
  if (std::find(path.begin(), path.end(), &op) != path.end()) {
    std::string cycle;
    for (const OpDef* on : path) cycle += str(on->name(), " -> ");
    throw_error(ErrorKind::kRuntime,
                str("decompositions form a cycle: ", cycle, op.name(), "; they must end."));
  }
  path.push_back(&op);
  int rank = -1;
  for (const OpDef* called : seen_calls(op)) {
    rank = std::max(rank, 1 + std::max(0, rank_within(*called, path)));
  }
  path.pop_back();
  return rank;
}

}  // namespace

void run_decomposition(const OpDef& op, const Slot* args, Outputs& outs, Place place) {
  const RunningScope scope(op);
  const PlaceScope constants(place);
  Args view(op, args);
  TensorList results = op.decompose_fn(view);
  PADDLE_ASSERT(op.list_result || results.size() == op.num_results);
  outs.clear();
  for (Tensor& t : results) {
    if (!op.is_view() && shares_memory(op, args, t)) {
      Tensor own = Tensor::empty(t.shape(), t.dtype(), t.place());
      own.copy_data_from(t);
      t = std::move(own);
    }
    outs.push_back(std::move(t));
  }
}

void run_inplace_decomposition(const OpDef& op, const Slot* args, Outputs& outs, Place place) {
  const RunningScope scope(op);
  const PlaceScope constants(place);
  Args view(op, args);
  const TensorList next = op.decompose_fn(view);
  PADDLE_ASSERT(next.size() == op.num_results);
  outs.clear();
  outs.resize(op.num_results);
  for (size_t k = 0; k < op.num_results; ++k) {
    const int source = op.inplace_arg[k];
    if (source < 0) {
      outs[k] = next[k];
    } else if (args[source].kind == SlotKind::kTensor && next[k].defined()) {
      outs[k] = Tensor(IntrusivePtr<TensorImpl>::share(args[source].tensor));
      if (outs[k].impl() != next[k].impl()) outs[k].overwrite_from(next[k]);
    }
  }
}

void force_decompositions(bool on) {
  if (on) {
    process_modes |= kModeDecompose;
  } else {
    process_modes &= ~uint32_t{kModeDecompose};
  }
}

bool decompositions_are_forced() {
  return (process_modes.load(std::memory_order_relaxed) & kModeDecompose) != 0;
}

bool run_forced(const OpDef& op, const Slot* args, Outputs& outs) {
  if (innermost) note_call(*innermost->op, op);
  // Views stay views: what they share is part of their meaning.
  if (!op.decompose_fn || !op.kernels.any() || op.is_view()) return false;
  Outputs declared;  // raises what the operator's shape rule refuses
  infer_meta(op, args, declared);
  const Place place = call_place(op, args, facts_of(op, args));
  if (op.is_native_inplace()) {
    run_inplace_decomposition(op, args, outs, place);
    return true;
  }
  if (op.list_result && declared.empty()) return false;
  run_decomposition(op, args, outs, place);
  return true;
}

std::vector<const OpDef*> seen_calls(const OpDef& op) {
  const std::lock_guard lock(calls().mutex);
  const auto found = calls().by_caller.find(&op);
  if (found == calls().by_caller.end()) return {};
  std::vector<const OpDef*> list(found->second.begin(), found->second.end());
  std::sort(list.begin(), list.end(), [](const OpDef* a, const OpDef* b) { return a->id < b->id; });
  return list;
}

int rank_of(const OpDef& op) {
  std::vector<const OpDef*> path;
  return rank_within(op, path);
}

}  // namespace paddle
