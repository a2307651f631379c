// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Removal of what loops carry from one iteration to the next and nothing reads, such as the
// variables of a body that each iteration overwrites.
#include <algorithm>
#include <unordered_set>

#include "pir/dialect/control_flow.h"
#include "pir/dialect/effects.h"
#include "pir/transform/transform.h"

namespace paddle::pir {
namespace {

using Values = std::unordered_set<const Value*>;

void add_reads(const Operation& op, Values& read) {
  read.insert(op.operands().begin(), op.operands().end());
  for (const auto& region : op.regions()) {
    for (const auto& block : region->blocks()) {
      for (const auto& inner : block->operations()) add_reads(*inner, read);
    }
  }
}

// One loop. A carrier is kept when its result is used, or when the condition, an effect or another
// carrier that is kept depends on it.
class Carriers {
 public:
  explicit Carriers(Operation& loop)
      : loop_(loop), body_(*loop.regions()[0]->blocks()[0]), kept_(loop.num_results()) {
    for (size_t i = 0; i < kept_.size(); ++i) kept_[i] = loop.result(i)->used();
    while (grow()) {
    }
  }

  size_t num_dead() const {
    return static_cast<size_t>(std::count(kept_.begin(), kept_.end(), false));
  }

  // The loop without them, in its place.
  Operation* rebuild() {
    std::vector<Value*> operands{loop_.operand(0)}, given{yield().operand(0)};
    std::vector<Type> types;
    for (size_t i = 0; i < kept_.size(); ++i) {
      if (!kept_[i]) continue;
      operands.push_back(loop_.operand(i + 1));
      given.push_back(yield().operand(i + 1));
      types.push_back(loop_.result(i)->type());
    }
    Builder b(*loop_.block());
    b.set_before(&loop_);
    Operation* made = b.create(loop_.name(), operands, types, loop_.attributes());
    made->location = loop_.location;
    Operation& old = yield();
    Builder(body_).create(old.name(), given, {}, old.attributes());
    body_.erase(&old);
    eliminate_dead_code(body_);
    Block& body = made->add_region().add_block();
    for (size_t i = 0; i < kept_.size(); ++i) {
      if (!kept_[i]) continue;
      Value* result = made->result(body.num_arguments());
      result->stop_gradient = loop_.result(i)->stop_gradient;
      loop_.result(i)->replace_all_uses_with(result);
      Value* argument = body.add_argument(body_.argument(i)->type());
      argument->stop_gradient = body_.argument(i)->stop_gradient;
      body_.argument(i)->replace_all_uses_with(argument);
    }
    while (!body_.operations().empty()) {
      body.move(body_.operations().front().get(), body.operations().end());
    }
    loop_.block()->erase(&loop_);
    return made;
  }

 private:
  Operation& yield() const { return *body_.operations().back(); }

  bool grow() {
    Values read{yield().operand(0)};
    for (size_t i = 0; i < kept_.size(); ++i) {
      if (kept_[i]) read.insert(yield().operand(i + 1));
    }
    const auto& ops = body_.operations();
    for (auto at = std::next(ops.rbegin()); at != ops.rend(); ++at) {
      const Operation& op = **at;
      bool wanted = !is_pure(op);
      for (size_t k = 0; k < op.num_results(); ++k) wanted = wanted || read.contains(op.result(k));
      if (wanted) add_reads(op, read);
    }
    bool grown = false;
    for (size_t i = 0; i < kept_.size(); ++i) {
      if (kept_[i] || !read.contains(body_.argument(i))) continue;
      kept_[i] = grown = true;
    }
    return grown;
  }

  Operation& loop_;
  Block& body_;
  std::vector<bool> kept_;
};

}  // namespace

size_t drop_unread_carriers(Block& block) {
  size_t dropped = 0;
  std::vector<Operation*> all;
  for (const auto& op : block.operations()) all.push_back(op.get());
  for (Operation* op : all) {
    if (is_while(*op)) {
      Carriers carriers(*op);
      const size_t dead = carriers.num_dead();
      if (dead > 0 && dead < op->num_results()) {
        op = carriers.rebuild();
        dropped += dead;
      }
    }
    for (const auto& region : op->regions()) {
      for (const auto& inner : region->blocks()) dropped += drop_unread_carriers(*inner);
    }
  }
  return dropped;
}

}  // namespace paddle::pir
