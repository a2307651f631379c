// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Making and dissolving groups. An operation that overwrites an operand stays behind all that reads
// what it held before.
#include "cinn/group/group_op.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <unordered_map>
#include <unordered_set>

#include "pir/dialect/dialect.h"
#include "pir/dialect/operation_record.h"
#include "pir/ir/clone.h"

namespace paddle::cinn {
namespace {

const pir::Operation& yield_of(const pir::Operation& group) {
  return pir::terminator_of(group, *group.regions().at(0));
}

void verify_group(const pir::Operation& op) {
  PADDLE_CHECK_VALUE(op.regions().size() == 1 && op.regions()[0]->blocks().size() == 1,
                     "cinn.group: it has ", op.regions().size(),
                     " regions; one of one block is expected.");
  const pir::Block& block = *op.regions()[0]->blocks()[0];
  PADDLE_CHECK_VALUE(block.num_arguments() == op.num_operands(), "cinn.group: its block takes ",
                     block.num_arguments(), " values and it has ", op.num_operands(), " operands.");
  for (size_t i = 0; i < op.num_operands(); ++i) {
    PADDLE_CHECK_VALUE(op.operand(i) && block.argument(i)->type() == op.operand(i)->type(),
                       "cinn.group: operand ", i, " has another type than its block's argument.");
  }
}

std::vector<pir::Type> infer_group(const pir::Operation& op) {
  std::vector<pir::Type> types;
  for (const pir::Value* v : yield_of(op).operands()) types.push_back(v->type());
  return types;
}

class Outline : public pir::Cloner {
 public:
  Outline(const std::vector<pir::Operation*>& members, const std::vector<pir::Operation*>& copied)
      : members_(members.begin(), members.end()) {
    // What is copied stands before its first reader: it may read members itself.
    std::unordered_set<const pir::Operation*> waiting(copied.begin(), copied.end());
    const std::function<void(pir::Operation*)> place = [&](pir::Operation* op) {
      for (pir::Value* v : op->operands()) {
        pir::Operation* maker = v ? v->producer() : nullptr;
        if (maker && waiting.erase(maker) > 0) place(maker);
      }
      all_.push_back(op);
    };
    for (pir::Operation* op : members) place(op);
    inside_.insert(all_.begin(), all_.end());
  }

  pir::Operation* run(pir::Operation* last) {
    std::vector<pir::Value*> operands, results;
    std::unordered_set<const pir::Value*> known;
    for (pir::Operation* op : all_) {
      for (pir::Value* v : op->operands()) {
        if (!v || (v->producer() && inside_.contains(v->producer()))) continue;
        if (known.insert(v).second) operands.push_back(v);
      }
    }
    for (pir::Operation* op : all_) {
      if (!members_.contains(op)) continue;
      for (size_t k = 0; k < op->num_results(); ++k) {
        const auto& uses = op->result(k)->uses();
        // A copied operation outside still reads the original.
        const bool outside = std::any_of(uses.begin(), uses.end(), [&](const pir::Use& use) {
          return !members_.contains(use.op);
        });
        if (outside) results.push_back(op->result(k));
      }
    }
    std::vector<pir::Type> types;
    for (const pir::Value* v : results) types.push_back(v->type());
    auto group = std::make_unique<pir::Operation>(kGroup, operands, std::move(types),
                                                  std::vector<pir::NamedAttribute>());
    group->location = last->location;
    pir::Block& block = group->add_region().add_block();
    for (pir::Value* v : operands) values_[v] = block.add_argument(v->type());
    for (pir::Operation* op : all_) block.append(clone(*op));
    std::vector<pir::Value*> yielded;
    for (const pir::Value* v : results) yielded.push_back(of(v));
    block.append(std::make_unique<pir::Operation>("cf.yield", yielded, std::vector<pir::Type>(),
                                                  std::vector<pir::NamedAttribute>()));
    pir::Block& outer = *last->block();
    move_users(outer, last);
    pir::Operation* made = outer.insert(last->position(), std::move(group));
    for (size_t k = 0; k < results.size(); ++k) {
      pir::Value* mine = made->result(k);
      mine->stop_gradient = results[k]->stop_gradient;
      results[k]->replace_all_uses_with(mine);
    }
    // The copy of the last member reads the group's results by now only if it is none itself.
    std::vector<pir::Operation*> gone(all_.rbegin(), all_.rend());
    for (pir::Operation* op : gone) {
      if (members_.contains(op)) outer.erase(op);
    }
    return made;
  }

 private:
  // What stands between the members and needs one of them goes behind the last.
  void move_users(pir::Block& block, pir::Operation* last) {
    std::unordered_set<const pir::Operation*> late;
    const auto behind = std::next(last->position());
    pir::Operation* first = nullptr;
    for (pir::Operation* op : all_) {
      if (members_.contains(op)) {
        first = op;
        break;
      }
    }
    std::vector<pir::Operation*> moved;
    bool drawn = false;
    for (auto at = first->position(); at != behind; ++at) {
      pir::Operation* op = at->get();
      if (members_.contains(op)) {
        drawn = drawn || draws(*op);
        continue;
      }
      // What draws after a member does so still.
      bool needs = drawn && draws(*op);
      needs = needs ||
              std::any_of(op->operands().begin(), op->operands().end(), [&](const pir::Value* v) {
                return v && v->producer() &&
                       (members_.contains(v->producer()) || late.contains(v->producer()));
              });
      for (const pir::Value* target : overwritten_operands(*op)) {
        for (const pir::Operation* reader : readers_of(target)) {
          needs = needs || (reader != op && (members_.contains(reader) || late.contains(reader)));
        }
      }
      if (!needs) continue;
      late.insert(op);
      drawn = drawn || draws(*op);
      moved.push_back(op);
    }
    for (pir::Operation* op : moved) block.move(op, behind);
  }

  std::unordered_set<const pir::Operation*> members_, inside_;
  std::vector<pir::Operation*> all_;
};

}  // namespace

bool is_constant_maker(const pir::Operation& op) {
  return op.is("pd_op.full") || op.is("pd_op.full_int_array") || op.is("builtin.dims") ||
         op.is("builtin.constant");
}

bool is_uniform(const pir::Operation& constant) {
  const Tensor& t = constant.attribute("value").get<pir::DenseValues>().tensor;
  if (t.numel() == 1) return true;
  if (t.numel() == 0 || !t.is_contiguous() || !t.place().is_host()) return false;
  const auto* bytes = static_cast<const char*>(t.raw_data());
  const auto all = static_cast<size_t>(t.numel()) * size_of(t.dtype());
  return std::memcmp(bytes, bytes + size_of(t.dtype()), all - size_of(t.dtype())) == 0;
}

bool draws(const pir::Operation& op) {
  if (op.def && op.def->has(kRandom)) return true;
  for (const auto& region : op.regions()) {
    for (const auto& block : region->blocks()) {
      const auto& all = block->operations();
      if (std::any_of(all.begin(), all.end(), [](const auto& inner) { return draws(*inner); }))
        return true;
    }
  }
  return false;
}

std::vector<pir::Value*> overwritten_operands(const pir::Operation& op) {
  std::vector<pir::Value*> targets;
  if (op.is(kGroup)) {
    const pir::Block& block = *op.regions().at(0)->blocks().at(0);
    for (const auto& inner : block.operations()) {
      for (const pir::Value* target : overwritten_operands(*inner)) {
        for (size_t i = 0; i < block.num_arguments(); ++i) {
          if (block.argument(i) == target) targets.push_back(op.operand(i));
        }
      }
    }
    return targets;
  }
  if (!op.def || !op.def->is_native_inplace()) return targets;
  const auto& sources = op.def->inplace_arg;
  size_t at = 0;
  const auto& args = op.def->schema().args;
  for (size_t i = 0; i < args.size(); ++i) {
    if (!pir::is_operand(args[i])) continue;
    pir::Value* v = op.operand(at++);
    const bool written =
        std::find(sources.begin(), sources.end(), static_cast<int8_t>(i)) != sources.end();
    if (written && v) targets.push_back(v);
  }
  return targets;
}

std::vector<pir::Operation*> readers_of(const pir::Value* v) {
  std::vector<pir::Operation*> readers;
  for (const pir::Use& use : v->uses()) {
    readers.push_back(use.op);
    if (!use.op->def || !use.op->def->is_view()) continue;
    const auto inner = readers_of(use.op->result());
    readers.insert(readers.end(), inner.begin(), inner.end());
  }
  return readers;
}

std::vector<pir::Operation*> earlier_readers(const pir::Operation& op) {
  std::vector<pir::Operation*> readers;
  for (const pir::Value* target : overwritten_operands(op)) {
    for (pir::Operation* reader : readers_of(target)) {
      if (reader != &op) readers.push_back(reader);
    }
  }
  return readers;
}

void register_group() {
  [[maybe_unused]] static const bool registered = [] {
    pir::OperationRecord record;
    record.name = kGroup;
    record.traits = pir::kPure;
    record.verify = verify_group;
    record.infer = infer_group;
    pir::register_operation(std::move(record));
    return true;
  }();
}

pir::Operation* outline(const std::vector<pir::Operation*>& members,
                        const std::vector<pir::Operation*>& copied) {
  register_group();
  return Outline(members, copied).run(members.back());
}

std::vector<pir::Operation*> inline_group(pir::Operation& group) {
  std::vector<pir::Operation*> made;
  pir::Block& block = *group.block();
  const pir::Block& inner = *group.regions().at(0)->blocks().at(0);
  class Inline : public pir::Cloner {
   public:
    void map(const pir::Value* from, pir::Value* to) { values_[from] = to; }
  } copy;
  for (size_t i = 0; i < inner.num_arguments(); ++i) copy.map(inner.argument(i), group.operand(i));
  for (const auto& op : inner.operations()) {
    if (op->has(pir::kTerminator)) continue;
    made.push_back(block.insert(group.position(), copy.clone(*op)));
  }
  const pir::Operation& yield = yield_of(group);
  for (size_t k = 0; k < group.num_results(); ++k) {
    group.result(k)->replace_all_uses_with(copy.of(yield.operand(k)));
  }
  block.erase(&group);
  return made;
}

size_t inline_groups(pir::Block& block) {
  size_t count = 0;
  for (auto at = block.operations().begin(); at != block.operations().end();) {
    pir::Operation* op = (at++)->get();
    if (op->is("cinn.group")) {
      inline_group(*op);
      ++count;
      continue;
    }
    for (const auto& region : op->regions()) {
      for (const auto& inner : region->blocks()) count += inline_groups(*inner);
    }
  }
  return count;
}

}  // namespace paddle::cinn
