// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// An operation is tried alone in a group. What becomes of it there is known once for equal calls.
#include "cinn/group/candidates.h"

#include <functional>
#include <memory>
#include <mutex>
#include <sstream>
#include <unordered_map>

#include "cinn/group/form.h"
#include "cinn/group/group_op.h"
#include "cinn/scalar/random_math.h"
#include "paddle_core/op/op_def.h"
#include "pir/ir/clone.h"

namespace paddle::cinn {
namespace {

std::string key_of(const pir::Operation& op) {
  std::ostringstream out;
  out << op.name();
  for (const auto& [name, value] : op.attributes()) out << ' ' << name << '=' << value;
  for (const pir::Value* v : op.operands()) {
    if (!v) {
      out << " none";
      continue;
    }
    const pir::Operation* maker = v->producer();
    out << ' ' << v->type();
    if (maker && is_constant_maker(*maker)) {
      if (maker->is("builtin.constant")) out << (is_uniform(*maker) ? " uniform" : " various");
      for (const auto& [name, value] : maker->attributes()) out << ' ' << name << '=' << value;
    }
    if (maker && maker->is("builtin.combine")) {
      for (const pir::Value* e : maker->operands()) out << ' ' << e->type();
    }
  }
  return std::move(out).str();
}

std::string obstacle_of(const pir::Operation& op) {
  pir::Program scratch;
  class Copy : public pir::Cloner {
   public:
    void map(const pir::Value* from, pir::Value* to) { values_[from] = to; }
  } copy;
  auto group =
      std::make_unique<pir::Operation>(kGroup, std::vector<pir::Value*>(), std::vector<pir::Type>(),
                                       std::vector<pir::NamedAttribute>());
  pir::Block& block = group->add_region().add_block();
  const std::function<void(const pir::Value*)> take = [&](const pir::Value* v) {
    if (!v || copy.of(v)) return;
    const pir::Operation* maker = v->producer();
    if (maker && (is_constant_maker(*maker) || maker->is("builtin.combine"))) {
      for (const pir::Value* inner : maker->operands()) take(inner);
      block.append(copy.clone(*maker));
    } else {
      copy.map(v, block.add_argument(v->type()));
    }
  };
  try {
    for (const pir::Value* v : op.operands()) take(v);
    block.append(copy.clone(op));
    std::vector<pir::Value*> results;
    for (size_t k = 0; k < op.num_results(); ++k) {
      if (!op.result(k)->type().is_null()) results.push_back(copy.of(op.result(k)));
    }
    block.append(std::make_unique<pir::Operation>("cf.yield", results, std::vector<pir::Type>(),
                                                  std::vector<pir::NamedAttribute>()));
    GroupForm::parts_of(*group);
    return "";
  } catch (const Error& e) {
    return e.message();
  }
}

// Empty where nothing but the form of the operation is in question.
std::string why_never(const pir::Operation& op) {
  const bool updates = is_update(op);
  if (!op.def || !op.regions().empty()) return "it is no operator";
  if (op.num_results() == 0 || op.def->list_result) return "it gives no tensor, or a list of them";
  if (op.def->has(kRandom) && !is_random_by_element(op)) {
    return "its random numbers are no function of a state and the place of an element";
  }
  if (op.def->has(kDynamicOutput)) return "the extents of its results depend on values";
  if ((op.def->is_native_inplace() || op.def->has(kSideEffect)) && !updates) {
    return "it has an effect that no kernel has";
  }
  for (size_t k = 0; k < op.num_results(); ++k) {
    const pir::Type& type = op.result(k)->type();
    if (updates && type.is_null() && !op.result(k)->used()) continue;
    if (!type.is_tensor()) return "one of its results is no tensor";
    if (type.place().kind != DeviceKind::kCpu) return "it runs on another device";
  }
  return "";
}

}  // namespace

bool is_update(const pir::Operation& op) {
  return op.def && op.def->is_native_inplace() && op.def->decompose_fn && op.regions().empty() &&
         !op.def->has(kRandom | kDynamicOutput);
}

bool is_random_by_element(const pir::Operation& op) {
  return op.def && op.def->has(kRandom) && op.regions().empty() && draws_by_element(*op.def);
}

Candidate candidate(const pir::Operation& op) {
  if (const std::string why = why_never(op); !why.empty()) return {false, why, false};
  // Alone in a group: what it becomes there is known once for equal calls.
  const std::string key = key_of(op);
  static std::mutex mutex;
  static std::unordered_map<std::string, std::string> answers;
  {
    const std::lock_guard lock(mutex);
    if (const auto found = answers.find(key); found != answers.end()) {
      return {found->second.empty(), found->second, !found->second.empty()};
    }
  }
  const std::string obstacle = obstacle_of(op);
  const std::lock_guard lock(mutex);
  if (answers.size() > 4096) answers.clear();
  answers[key] = obstacle;
  return {obstacle.empty(), obstacle, !obstacle.empty()};
}

}  // namespace paddle::cinn
