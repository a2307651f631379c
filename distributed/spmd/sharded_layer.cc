// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The layer of distributed tensors, below autograd. A call's rule says how its tensors have to lie;
// those that lie otherwise are moved, the operator runs with the parts, and its results are parts
// of distributed tensors.

#include "distributed/spmd/sharded_layer.h"

#include <algorithm>
#include <optional>

#include "distributed/spmd/reshard.h"
#include "distributed/spmd/resolve.h"
#include "paddle_core/autograd/autograd.h"
#include "paddle_core/autograd/view_sync.h"
#include "paddle_core/comm/job.h"
#include "paddle_core/device/execution_context.h"
#include "paddle_core/dispatch/call.h"
#include "paddle_core/dispatch/deferred.h"
#include "paddle_core/dispatch/execute/decomposition.h"
#include "phi_kernels/ops/collective/placement_args.h"

namespace paddle::distributed {
namespace {

Tensor sharing(const TensorImpl* t) {
  return Tensor(IntrusivePtr<TensorImpl>::share(const_cast<TensorImpl*>(t)));
}

template <typename Fn>
void for_each_tensor(const OpDef& op, const Slot* args, Fn&& fn) {
  for (int i = 0; i < op.num_args; ++i) {
    if (args[i].kind == SlotKind::kTensor) fn(*args[i].tensor);
    if (args[i].kind != SlotKind::kTensorList) continue;
    for (uint32_t k = 0; k < args[i].count; ++k) {
      if (args[i].list[k].defined()) fn(*args[i].list[k].impl());
    }
  }
}

// The mesh of all distributed tensors of the call; null when there is none.
const ProcessMesh* mesh_of(const OpDef& op, const Slot* args) {
  const DistAttr* found = nullptr;
  for_each_tensor(op, args, [&](const TensorImpl& t) {
    const DistAttr* attr = dist_attr_of(t);
    if (!attr) return;
    PADDLE_CHECK_VALUE(!found || found->mesh() == attr->mesh(), op.name(),
                       ": its tensors lie on different meshes: ", *found, ", and ", *attr,
                       ". Reshard them to one mesh first.");
    found = attr;
  });
  return found ? found->mesh() : nullptr;
}

// The arguments with parts in the place of distributed tensors.
class LocalCall {
 public:
  explicit LocalCall(const OpDef& op, const Slot* args)
      : op_(op), slots_(args, args + op.num_args) {
    lists_.reserve(op.num_args);
  }
  void set(const Spmd::Operand& operand, Tensor local) {
    const auto arg = static_cast<size_t>(operand.arg);
    if (operand.element < 0) {
      slots_[arg] = Slot::of(local);
      tensors_.push_back(std::move(local));
      return;
    }
    TensorList* list = nullptr;
    for (auto& [at, known] : lists_) {
      if (at == operand.arg) list = &known;
    }
    if (!list) {
      const Slot& s = slots_[arg];
      lists_.emplace_back(operand.arg, TensorList(s.list, s.list + s.count));
      list = &lists_.back().second;
      slots_[arg] = Slot::of(*list);
    }
    (*list)[static_cast<size_t>(operand.element)] = std::move(local);
  }
  void set_shape(int arg, Shape shape) {
    shapes_.push_back(std::make_unique<Shape>(std::move(shape)));
    slots_[static_cast<size_t>(arg)] = Slot::of(*shapes_.back());
  }
  void set_integer(int arg, int64_t value) {
    slots_[static_cast<size_t>(arg)] = Slot::of_int(value);
  }
  void run(Outputs& outs) { call(op_, slots_.data(), outs); }
  const Slot* slots() const { return slots_.data(); }

 private:
  const OpDef& op_;
  SmallVector<Slot, 8> slots_;
  TensorList tensors_;
  std::vector<std::pair<int, TensorList>> lists_;
  std::vector<std::unique_ptr<Shape>> shapes_;
};

// What an argument has here for placements; of one whose values nobody reads only the shape.
Tensor local_operand(const OpDef& op, const Spmd::Operand& operand, const DistAttr* attr) {
  const Tensor x = sharing(operand.tensor);
  if (!op.reads_shape_only(operand.arg)) return local_for(x, attr);
  if (dist_attr_of(x) == attr) return local_part(x);
  const int64_t position = own_position(*attr->mesh());
  return Tensor::meta(local_shape(x.shape(), *attr, position), x.dtype(), x.place());
}

// A random operator draws what it would draw for the whole.
class DrawsPart {
 public:
  DrawsPart(const OpDef& op, const Slot* args, const Outputs& wholes, const DistAttr* attr,
            int64_t position) {
    if (!op.has(kRandom) || attr->is_replicated()) return;
    if (op.random_count_fn(args, wholes.data()) == 0) return;
    const Shape& shape = wholes[0].shape();
    if (deferred_sink()) now_.emplace("a random operator on a distributed tensor");
    SmallVector<ElementMap::Axis, 5> axes;
    const IndexRanges ranges = local_ranges(shape, *attr, position);
    for (size_t i = 0; i < ranges.size(); ++i) {
      axes.push_back({shape[i].value(), ranges[i].begin, 1, ranges[i].count});
    }
    map_.emplace(std::span<const ElementMap::Axis>(axes.data(), axes.size()));
    scope_.emplace(*map_);
  }

 private:
  std::optional<RunsNow> now_;
  std::optional<ElementMap> map_;
  std::optional<ElementMapScope> scope_;
};

void record_if_view(const OpDef& op, const Slot* args, const Outputs& outs) {
  if (op.is_view()) autograd::record_view(outs[0], op, args);
}

// The commonest call: one elementwise operator whose tensors lie alike.
bool run_alike(const OpDef& op, const Slot* args, Outputs& outs) {
  if (!op.has(kElementwise) || op.has(kRandom) || op.list_result) return false;
  const TensorImpl* first = nullptr;
  bool alike = true;
  for_each_tensor(op, args, [&](const TensorImpl& t) {
    if (!t.sharded) {
      alike &= t.numel == 1 && t.shape.empty();
    } else if (!first) {
      first = &t;
    } else {
      alike &= t.sharded->attr == first->sharded->attr && t.shape == first->shape;
    }
  });
  // A single element is not split.
  if (!alike || first->numel <= 1 || first->sharded->attr->has_partial()) return false;
  if (!first->sharded->local.defined()) return false;
  SmallVector<Slot, 8> slots(args, args + op.num_args);
  for (Slot& slot : slots) {
    if (slot.kind == SlotKind::kTensorList) return false;
    if (slot.kind == SlotKind::kTensor && slot.tensor->sharded) {
      slot = Slot::of(slot.tensor->sharded->local);
    }
  }
  const Tensor kept = sharing(first);
  Outputs local;
  call(op, slots.data(), local);
  outs.clear();
  for (Tensor& t : local) {
    if (!t.defined()) {
      outs.emplace_back();
      continue;
    }
    const DType dtype = t.dtype();
    outs.push_back(make_sharded(kept.shape(), dtype, kept->sharded->attr, std::move(t)));
  }
  record_if_view(op, args, outs);
  return true;
}

void run_with_rule(const Spmd& rule, const ProcessMesh* mesh, const Slot* args,
                   const Outputs& inferred, Outputs& outs) {
  const OpDef& op = rule.op();
  const Resolution resolution = resolve(rule, mesh);
  const int64_t position = own_position(*mesh);
  LocalCall local(op, args);
  for (size_t i = 0; i < rule.operands().size(); ++i) {
    Tensor part = local_operand(op, rule.operands()[i], resolution.operands[i]);
    if (position >= 0) local.set(rule.operands()[i], std::move(part));
  }
  outs.clear();
  if (position < 0) {  // another mesh's work: only shapes are known here
    PADDLE_CHECK_RUNTIME(!op.has(kDynamicOutput), op.name(),
                         ": the shape of the result depends on values, and this rank is not in the "
                         "mesh of its arguments.");
    for (size_t k = 0; k < inferred.size(); ++k) {
      outs.push_back(inferred[k].defined() ? make_sharded(inferred[k].shape(), inferred[k].dtype(),
                                                          resolution.results[k], Tensor())
                                           : Tensor());
    }
    return;
  }
  for (const auto& [arg, result] : rule.shape_arguments()) {
    const auto r = static_cast<size_t>(result);
    local.set_shape(arg, local_shape(inferred[r].shape(), *resolution.results[r], position));
  }
  for (const auto& [arg, value] : resolution.integers) local.set_integer(arg, value);
  Outputs parts;
  {
    const bool has_first = !inferred.empty() && inferred[0].defined();
    std::optional<DrawsPart> draws;
    if (has_first) draws.emplace(op, args, inferred, resolution.results[0], position);
    local.run(parts);
  }
  for (size_t k = 0; k < parts.size(); ++k) {
    if (!parts[k].defined()) {
      outs.emplace_back();
      continue;
    }
    const bool dynamic = op.has(kDynamicOutput);
    const DistAttr* attr = dynamic ? DistAttr::replicated(mesh) : resolution.results[k];
    const Shape shape = dynamic ? parts[k].shape() : inferred[k].shape();
    const DType dtype = parts[k].dtype();
    outs.push_back(make_sharded(shape, dtype, attr, std::move(parts[k])));
  }
  record_if_view(op, args, outs);
}

// Operators that write arguments, by operators that do not: their results are written then.
void write_decomposed(const OpDef& op, const Slot* args, Outputs& outs) {
  TensorList results = decomposed(op, args);
  outs.clear();
  for (size_t k = 0; k < results.size(); ++k) {
    const int arg = op.inplace_arg[k];
    if (arg < 0) {
      outs.push_back(std::move(results[k]));
      continue;
    }
    const Tensor target = sharing(args[arg].tensor);
    outs.push_back(target);
    if (results[k].impl() == target.impl()) continue;  // stays as it is
    const DistAttr* own = dist_attr_of(target);
    const Tensor& made = results[k];
    target.overwrite_from(own ? reshard(made, own) : dist_attr_of(made) ? unshard(made) : made);
    autograd::forget_views(target);
  }
}

// Operators that write arguments. With a rule the written tensors, and what has their shape, are
// updated where they are most split; without one, whole.
void run_native_inplace(const OpDef& op, const Slot* args, const ProcessMesh* mesh, Outputs& outs) {
  const DistAttr* attr = DistAttr::replicated(mesh);
  const Shape* shape = nullptr;
  const auto elements = [&](const DistAttr* a, const Shape& s) {
    const int64_t position = own_position(*mesh);
    return numel_of(local_shape(s, *a, position < 0 ? 0 : position)).value();
  };
  Outputs inferred;
  infer_with_values(op, args, inferred);
  Spmd rule(op, args, inferred.data(), inferred.size());
  const bool has_rule = sharding_rule(rule) && !rule.factors().empty();
  if (rule.runs_decomposed()) return write_decomposed(op, args, outs);
  for (size_t k = 0; k < op.num_results && has_rule; ++k) {
    const int arg = op.inplace_arg[k];
    if (arg < 0 || args[arg].kind != SlotKind::kTensor || !args[arg].tensor->sharded) continue;
    const TensorImpl& t = *args[arg].tensor;
    if (t.numel <= 1 || (shape && !(t.shape == *shape))) continue;
    const DistAttr* own = t.sharded->attr->reduced();
    if (!shape || elements(own, t.shape) < elements(attr, t.shape)) attr = own;
    shape = &t.shape;
  }
  const DistAttr* whole = DistAttr::replicated(mesh);
  const int64_t position = own_position(*mesh);
  LocalCall local(op, args);
  for (const Spmd::Operand& o : rule.operands()) {
    const bool follows = shape && o.tensor->shape == *shape;
    // A plain argument that is written stays the object that is written.
    if (!o.tensor->sharded && !follows) continue;
    Tensor part = local_operand(op, o, follows ? attr : whole);
    if (position >= 0) local.set(o, std::move(part));
  }
  outs.clear();
  outs.resize(op.num_results);
  Outputs parts;
  if (position >= 0) local.run(parts);
  for (size_t k = 0; k < op.num_results; ++k) {
    const int arg = op.inplace_arg[k];
    if (arg < 0) {
      if (position >= 0) outs[k] = parts[k];
      continue;
    }
    if (args[arg].kind != SlotKind::kTensor) continue;
    const Tensor target = sharing(args[arg].tensor);
    outs[k] = target;
    const bool follows = shape && target.shape() == *shape;
    if (!target->sharded && !follows) continue;  // was written itself
    const DistAttr* computed = follows ? attr : whole;
    if (computed == dist_attr_of(target)) {
      autograd::forget_views(target);
      continue;
    }
    const Tensor updated =
        make_sharded(target.shape(), target.dtype(), computed, position >= 0 ? parts[k] : Tensor());
    const DistAttr* own = dist_attr_of(target);
    target.overwrite_from(own ? reshard(updated, own) : unshard(updated));
    autograd::forget_views(target);
  }
}

// ValueError when the mesh has ranks that the job does not have.
const DistAttr* in_job(const OpDef& op, const DistAttr* attr) {
  const Job* job = current_job();
  const int64_t size = job ? job->size() : 1;
  const Ranks& ranks = attr->mesh()->ranks();
  const int64_t last = *std::max_element(ranks.begin(), ranks.end());
  PADDLE_CHECK_VALUE(last < size, op.name(), ": the mesh has rank ", last, " and the job has ",
                     size, " ranks; start more, or make the mesh smaller.");
  return attr;
}

// Operators that say how a tensor lies.
void place(const OpDef& op, const Slot* args, Outputs& outs) {
  const Tensor x = sharing(args[0].tensor);
  const Args given(op, args);
  const std::string_view name = op.name();
  outs.clear();
  if (name == "reshard") {
    outs.push_back(reshard(x, in_job(op, ops::attr_of_args(given, 1))));
  } else if (name == "unshard") {
    outs.push_back(unshard(x));
  } else if (name == "local_part") {
    PADDLE_CHECK_VALUE(!x->sharded || local_part(x).defined(), "local_part: rank ", current_rank(),
                       " is not in the mesh of the tensor (", *dist_attr_of(x),
                       ") and has no part of it.");
    outs.push_back(local_part(x).share_values());
  } else {
    PADDLE_CHECK_VALUE(!x->sharded, "whole_of_parts: local is distributed already.");
    const DistAttr* attr = in_job(op, ops::attr_of_args(given, 2));
    outs.push_back(make_sharded(given.ints(1), x.dtype(), attr, x.share_values()));
  }
}

// Of a plain tensor these are copies, which a program may hold.
bool is_copy(const OpDef& op, const Slot* args) {
  const std::string_view name = op.name();
  return op.has(kPlaces) && !args[0].tensor->sharded && (name == "unshard" || name == "local_part");
}

void sharded_layer(const OpDef& op, const Slot* args, Outputs& outs) {
  if (is_copy(op, args)) {
    const ModeGuard guard(kModeSharded);
    return call(op, args, outs);
  }
  PADDLE_CHECK_KIND(ErrorKind::kNotImplemented, !capture_sink() || deferred_sink(), op.name(),
                    ": distributed tensors are not captured as a whole program yet; use "
                    "to_static(full_graph=False), whose segments compute with them.");
  if (op.has(kPlaces)) return place(op, args, outs);
  if (call_with_numbers(op, args, outs)) return;  // rules read numbers
  const ProcessMesh* mesh = mesh_of(op, args);
  if (!mesh) {
    const ModeGuard guard(kModeSharded);
    return call(op, args, outs);
  }
  if (op.is_native_inplace()) return run_native_inplace(op, args, mesh, outs);
  if (run_alike(op, args, outs)) return;
  Outputs inferred;
  if (op.has(kDynamicOutput)) {
    const Spmd whole(op, args, nullptr, 0);
    return run_with_rule(whole, mesh, args, inferred, outs);
  }
  if (sharding_source(op) == ShardingSource::kDecomposition) {
    TensorList results = decomposed(op, args);
    outs.clear();
    for (Tensor& t : results) outs.push_back(std::move(t));
    return;
  }
  infer_with_values(op, args, inferred);
  Spmd rule(op, args, inferred.data(), inferred.size());
  sharding_rule(rule);
  run_with_rule(rule, mesh, args, inferred, outs);
}

}  // namespace

void install_sharded() {
  install_layer(kModeSharded, sharded_layer);
  set_rank_of_thread(current_rank);
}

}  // namespace paddle::distributed
