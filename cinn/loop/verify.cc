// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The rules of kernel.h and expr.h, checked before a kernel is translated.
#include <algorithm>
#include <set>
#include <unordered_set>

#include "cinn/loop/kernel.h"
#include "paddle_core/base/error.h"

namespace paddle::cinn {
namespace {

DType computed_in(DType type) {
  return type == DType::kFloat16 || type == DType::kBFloat16 ? DType::kFloat32 : type;
}

class Verifier {
 public:
  explicit Verifier(const Kernel& kernel) : kernel_(kernel) {}

  void run() {
    for (const Buffer& b : kernel_.buffers) {
      check(b.elements && is_of_sizes(b.elements), "the extent of buffer ", b.name,
            " is no expression of sizes");
    }
    for (size_t i = 0; i < kernel_.stages.size(); ++i) {
      stage_ = i;
      const Stage& stage = kernel_.stages[i];
      check(is_of_sizes(stage.tasks), "the number of tasks is no expression of sizes");
      check(!stage.grain || is_of_sizes(stage.grain), "the grain is no expression of sizes");
      registers_.assign(static_cast<size_t>(kernel_.num_registers), {});
      variables_ = {stage.task};
      in_vector_ = false;
      visit(stage.body, 0);
      for (const int64_t b : now_written_) written_.insert(b);
      now_written_.clear();
    }
  }

 private:
  struct Register {
    bool known = false, of_lanes = false;
    DType type = DType::kUndefined;
  };

  template <typename... T>
  void check(bool holds, const T&... why) const {
    PADDLE_CHECK_RUNTIME(holds, "cinn: kernel ", kernel_.name, ", stage ", stage_, ": ", why...,
                         ".");
  }

  static bool is_of_sizes(Expr e) {
    return e->op == ExprOp::kSize || e->op == ExprOp::kConstant ||
           (!e->args.empty() && e->op != ExprOp::kLoad &&
            std::all_of(e->args.begin(), e->args.end(), is_of_sizes));
  }

  void check_expression(Expr e) {
    std::unordered_set<Expr> seen;
    std::vector<Expr> waiting = {e};
    while (!waiting.empty()) {
      const Expr at = waiting.back();
      waiting.pop_back();
      if (!seen.insert(at).second) continue;
      switch (at->op) {
        case ExprOp::kVariable:
          check(variables_.contains(at), to_string(at), " is used outside of its loop");
          break;
        case ExprOp::kSize:
          check(at->integer < static_cast<int64_t>(kernel_.sizes.size()), "there is no size ",
                at->integer);
          break;
        case ExprOp::kRegister: {
          check(at->integer < kernel_.num_registers, "there is no register ", at->integer);
          const Register& r = registers_[static_cast<size_t>(at->integer)];
          check(r.known, "register ", at->integer, " is read before it is declared");
          check(r.type == at->type, "register ", at->integer, " holds ", r.type, ", read as ",
                at->type);
          break;
        }
        case ExprOp::kLoad: {
          check(at->integer >= 0 && at->integer < static_cast<int64_t>(kernel_.buffers.size()),
                "there is no buffer ", at->integer);
          const Buffer& b = kernel_.buffers[static_cast<size_t>(at->integer)];
          check(at->type == computed_in(b.dtype), "buffer ", b.name, " of ", b.dtype,
                " is read as ", at->type);
          check(b.space != Space::kTemporary || written_.contains(at->integer), "buffer ", b.name,
                " is read before a stage wrote it");
          check(b.space != Space::kUpdated || !written_.contains(at->integer), "buffer ", b.name,
                " is read after a stage overwrote it");
          break;
        }
        default:
          break;
      }
      waiting.insert(waiting.end(), at->args.begin(), at->args.end());
    }
  }

  void visit(const Body& body, int depth) {
    std::vector<int64_t> declared;
    for (const Statement& s : body) {
      if (const auto* loop = std::get_if<Loop>(&s.is)) {
        check_expression(loop->extent);
        check(loop->extent->type == DType::kInt64, "a loop has an extent of ", loop->extent->type);
        const bool vector = loop->kind == Loop::Kind::kVector;
        check(!(vector && in_vector_), "a vector loop stands in another one");
        check(variables_.insert(loop->variable).second, to_string(loop->variable),
              " runs in two loops at once");
        const bool before = in_vector_;
        in_vector_ = in_vector_ || vector;
        visit(loop->body, depth + 1);
        in_vector_ = before;
        variables_.erase(loop->variable);
      } else if (const auto* d = std::get_if<Declare>(&s.is)) {
        check(d->reg >= 0 && d->reg < kernel_.num_registers, "there is no register ", d->reg);
        check_expression(d->value);
        registers_[static_cast<size_t>(d->reg)] = {true, in_vector_, d->value->type};
        declared.push_back(d->reg);
      } else if (const auto* a = std::get_if<Assign>(&s.is)) {
        check_expression(a->value);
        const Register& r = known(a->reg);
        check(r.type == a->value->type, "register ", a->reg, " of ", r.type, " gets ",
              a->value->type);
        check(!in_vector_ || r.of_lanes, "register ", a->reg,
              " is assigned in a vector loop and was declared outside of it");
      } else if (const auto* a = std::get_if<Accumulate>(&s.is)) {
        check_expression(a->value);
        const Register& r = known(a->reg);
        check(r.type == a->value->type, "register ", a->reg, " of ", r.type, " gets ",
              a->value->type);
      } else if (const auto* store = std::get_if<Store>(&s.is)) {
        check(store->buffer >= 0 && store->buffer < static_cast<int64_t>(kernel_.buffers.size()),
              "there is no buffer ", store->buffer);
        const Buffer& b = kernel_.buffers[static_cast<size_t>(store->buffer)];
        check_expression(store->index);
        check_expression(store->value);
        check(store->index->type == DType::kInt64, "buffer ", b.name, " is indexed by ",
              store->index->type);
        check(b.space != Space::kInput, "input ", b.name, " is written");
        check(store->value->type == computed_in(b.dtype), "buffer ", b.name, " of ", b.dtype,
              " gets ", store->value->type);
        check(b.space == Space::kScratch || b.space == Space::kShared ||
                  !written_.contains(store->buffer),
              "buffer ", b.name, " is written by two stages");
        now_written_.insert(store->buffer);
      } else if (const auto* branch = std::get_if<If>(&s.is)) {
        check_expression(branch->condition);
        check(branch->condition->type == DType::kBool, "a condition has type ",
              branch->condition->type);
        visit(branch->body, depth + 1);
      } else if (const auto* c = std::get_if<Check>(&s.is)) {
        check_expression(c->condition);
        check(c->condition->type == DType::kBool, "a condition has type ", c->condition->type);
      }
    }
    for (const int64_t r : declared) registers_[static_cast<size_t>(r)].known = false;
  }

  const Register& known(int64_t reg) const {
    check(reg >= 0 && reg < kernel_.num_registers, "there is no register ", reg);
    const Register& r = registers_[static_cast<size_t>(reg)];
    check(r.known, "register ", reg, " is changed before it is declared");
    return r;
  }

  const Kernel& kernel_;
  size_t stage_ = 0;
  std::vector<Register> registers_;
  std::set<Expr> variables_;
  bool in_vector_ = false;
  std::set<int64_t> written_, now_written_;
};

}  // namespace

void verify(const Kernel& kernel) { Verifier(kernel).run(); }

}  // namespace paddle::cinn
