// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Decompositions in the place of kernels, and the record of what they call.
#include "paddle_core/dispatch/execute/decomposition.h"

#include <algorithm>
#include <mutex>
#include <unordered_map>
#include <unordered_set>

#include "paddle_core/dispatch/execute/on_device.h"
#include "paddle_core/op/args.h"

namespace paddle {
namespace {

// The decompositions that run on this thread, the innermost first.
struct Running {
  const OpDef* op;
  const Running* outer;
};
__thread const Running* innermost __attribute__((tls_model("initial-exec"))) = nullptr;

std::string way_to(const OpDef& op) {
  std::string way = op.name();
  for (const Running* at = innermost; at; at = at->outer) way = str(at->op->name(), " -> ", way);
  return way;
}

void require_lower_rank(const OpDef& op) {
  if (!innermost || op.rank() < innermost->op->rank()) return;
  throw_rank(*innermost->op, op, way_to(op));
}

class RunningScope {
 public:
  explicit RunningScope(const OpDef& op) : self_{&op, innermost} {
    require_lower_rank(op);
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

}  // namespace

TensorList decomposed(const OpDef& op, const Slot* args) {
  const RunningScope scope(op);
  Args view(op, args);
  return op.decompose_fn(view);
}

void throw_rank(const OpDef& caller, const OpDef& op, const std::string& way) {
  throw_error(
      ErrorKind::kRuntime,
      str("operator ", caller.name(), " (rank ", caller.rank(),
          "): its decomposition calls operator ", op.name(), " (rank ", op.rank(), "), as ", way,
          "; decompositions call operators of lower ranks only, so that they end: break the cycle, "
          "say the rank of the one that is called, or register it before the other."));
}

void run_decomposition(const OpDef& op, const Slot* args, Outputs& outs, Place place) {
  const PlaceScope constants(place);
  TensorList results = decomposed(op, args);
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
  const PlaceScope constants(place);
  const TensorList next = decomposed(op, args);
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
  if (innermost) {
    require_lower_rank(op);
    note_call(*innermost->op, op);
  }
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

}  // namespace paddle
