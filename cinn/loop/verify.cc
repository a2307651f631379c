// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The rules of kernel.h and expr.h, checked before a kernel is translated.
#include <algorithm>
#include <set>
#include <span>
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
    check(kernel_.multiples.empty() || kernel_.multiples.size() == kernel_.sizes.size(), "it has ",
          kernel_.sizes.size(), " sizes and multiples of ", kernel_.multiples.size());
    for (const Buffer& b : kernel_.buffers) {
      check(b.elements && is_of_sizes(b.elements), "the extent of buffer ", b.name,
            " is no expression of sizes");
    }
    for (size_t i = 0; i < kernel_.stages.size(); ++i) {
      stage_ = i;
      const Stage& stage = kernel_.stages[i];
      check(is_of_sizes(stage.tasks), "the number of tasks is no expression of sizes");
      check(!stage.grain || is_of_sizes(stage.grain), "the grain is no expression of sizes");
      check(stage.threads == 1 || (stage.threads % kWarp == 0 && stage.threads <= kMostThreads),
            "a block has ", stage.threads, " threads; it must be a multiple of ", kWarp, " up to ",
            kMostThreads);
      registers_.assign(static_cast<size_t>(kernel_.num_registers), {});
      variables_ = {stage.task};
      uniform_ = {stage.task};
      blocks_ = stage.is_of_blocks();
      in_vector_ = in_threads_ = false;
      visit(stage.body, 0);
      for (const int64_t b : now_written_) written_.insert(b);
      now_written_.clear();
    }
  }

 private:
  struct Register {
    bool known = false, of_lanes = false, of_iteration = false;
    DType type = DType::kUndefined;
  };

  template <typename... T>
  void check(bool holds, const T&... why) const {
    PADDLE_CHECK_RUNTIME(holds, "cinn: kernel ", kernel_.name, ", stage ", stage_, ": ", why...,
                         ".");
  }

  static constexpr int kMostThreads = 1024;

  // Whether all threads of a block have one value for it.
  bool is_uniform(Expr e) const {
    if (e->op == ExprOp::kVariable) return uniform_.contains(e);
    return e->op != ExprOp::kRegister && e->op != ExprOp::kLoad &&
           std::all_of(e->args.begin(), e->args.end(), [this](Expr a) { return is_uniform(a); });
  }
  // Outside of threads loops.
  void check_uniform(Expr e, const char* what) const {
    check(!blocks_ || in_threads_ || is_uniform(e), what, " ", to_string(e),
          " may differ between the threads that meet at a barrier");
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
          check(b.space != Space::kShared || blocks_, "buffer ", b.name,
                " is shared by threads, and the stage has no blocks");
          check(b.space != Space::kTemporary || written_.contains(at->integer), "buffer ", b.name,
                " is read before a stage wrote it");
          check(b.space != Space::kUpdated || !written_.contains(at->integer), "buffer ", b.name,
                " is read after a stage overwrote it");
          break;
        }
        case ExprOp::kShuffleXor: {
          check(
              blocks_ && !in_threads_,
              "threads shuffle where not all of them are: outside of blocks or in a threads loop");
          const Expr mask = at->args[1];
          check(mask->op == ExprOp::kConstant && mask->integer > 0 && mask->integer < kWarp,
                "threads shuffle by ", to_string(mask), "; it must be a number from 1 to ",
                kWarp - 1);
          break;
        }
        default:
          break;
      }
      waiting.insert(waiting.end(), at->args.begin(), at->args.end());
    }
  }

  void check_store(int64_t buffer, Expr index, std::span<const Expr> values) {
    check(buffer >= 0 && buffer < static_cast<int64_t>(kernel_.buffers.size()),
          "there is no buffer ", buffer);
    const Buffer& b = kernel_.buffers[static_cast<size_t>(buffer)];
    check_expression(index);
    check(index->type == DType::kInt64, "buffer ", b.name, " is indexed by ", index->type);
    check(!blocks_ || in_threads_, "buffer ", b.name, " is stored to by every thread of a block");
    check(b.space != Space::kShared || blocks_, "buffer ", b.name,
          " is shared by threads, and the stage has no blocks");
    check(b.space != Space::kInput, "input ", b.name, " is written");
    for (Expr value : values) {
      check_expression(value);
      check(value->type == computed_in(b.dtype), "buffer ", b.name, " of ", b.dtype, " gets ",
            value->type);
    }
    check(b.space == Space::kScratch || b.space == Space::kShared || !written_.contains(buffer),
          "buffer ", b.name, " is written by two stages");
    now_written_.insert(buffer);
  }

  void check_loop(const Loop& loop) const {
    if (loop.kind == Loop::Kind::kThreads) {
      check(blocks_, "a threads loop stands in a stage without blocks");
      check(!in_threads_, "a threads loop stands in another one");
    }
    if (loop.kind != Loop::Kind::kVector) {
      check(!(blocks_ && in_vector_), "a loop stands in a vector loop of a block");
      return;
    }
    check(!in_vector_, "a vector loop stands in another one");
    check(!blocks_ || in_threads_, "a vector loop of a block stands outside of a threads loop");
    check(!blocks_ || (is_integer_constant(loop.extent, loop.width) && loop.unroll == 1),
          "a vector loop of a block has ", loop.width, " lanes and ", to_string(loop.extent),
          " iterations, ", loop.unroll, " copies");
  }

  void visit(const Body& body, int depth) {
    std::vector<int64_t> declared;
    for (const Statement& s : body) {
      if (const auto* loop = std::get_if<Loop>(&s.is)) {
        check_expression(loop->extent);
        check(loop->extent->type == DType::kInt64, "a loop has an extent of ", loop->extent->type);
        check_uniform(loop->extent, "the extent");
        check_loop(*loop);
        const bool vector = loop->kind == Loop::Kind::kVector;
        const bool threads = loop->kind == Loop::Kind::kThreads;
        check(variables_.insert(loop->variable).second, to_string(loop->variable),
              " runs in two loops at once");
        if (!threads && !in_threads_) uniform_.insert(loop->variable);
        const bool vector_before = in_vector_, threads_before = in_threads_;
        in_vector_ = in_vector_ || vector;
        const Expr lanes_before = lanes_;
        if (vector) lanes_ = loop->variable;
        in_threads_ = in_threads_ || threads;
        visit(loop->body, depth + 1);
        in_vector_ = vector_before;
        lanes_ = lanes_before;
        in_threads_ = threads_before;
        variables_.erase(loop->variable);
        uniform_.erase(loop->variable);
      } else if (const auto* d = std::get_if<Declare>(&s.is)) {
        check(d->reg >= 0 && d->reg < kernel_.num_registers, "there is no register ", d->reg);
        check_expression(d->value);
        registers_[static_cast<size_t>(d->reg)] = {true, in_vector_, in_threads_, d->value->type};
        declared.push_back(d->reg);
      } else if (const auto* a = std::get_if<Assign>(&s.is)) {
        check_expression(a->value);
        const Register& r = known(a->reg);
        check(r.type == a->value->type, "register ", a->reg, " of ", r.type, " gets ",
              a->value->type);
        check(!in_vector_ || r.of_lanes, "register ", a->reg,
              " is assigned in a vector loop and was declared outside of it");
        check(!in_threads_ || r.of_iteration, "register ", a->reg,
              " is assigned in a threads loop and was declared outside of it");
      } else if (const auto* a = std::get_if<Accumulate>(&s.is)) {
        check_expression(a->value);
        const Register& r = known(a->reg);
        check(r.type == a->value->type, "register ", a->reg, " of ", r.type, " gets ",
              a->value->type);
      } else if (const auto* store = std::get_if<Store>(&s.is)) {
        check_store(store->buffer, store->index, std::span(&store->value, 1));
      } else if (const auto* run = std::get_if<StoreRun>(&s.is)) {
        check(!lanes_ ||
                  coefficient_of(run->index, lanes_) == static_cast<int64_t>(run->values.size()),
              "runs of values do not follow each other at ", to_string(run->index));
        check_store(run->buffer, run->index, run->values);
      } else if (const auto* branch = std::get_if<If>(&s.is)) {
        check_expression(branch->condition);
        check(branch->condition->type == DType::kBool, "a condition has type ",
              branch->condition->type);
        check_uniform(branch->condition, "the condition");
        check(!(blocks_ && in_vector_), "a condition stands in a vector loop of a block");
        visit(branch->body, depth + 1);
      } else if (const auto* c = std::get_if<Check>(&s.is)) {
        check_expression(c->condition);
        check(c->condition->type == DType::kBool, "a condition has type ", c->condition->type);
      } else if (std::holds_alternative<Barrier>(s.is)) {
        check(blocks_ && !in_threads_,
              "a barrier stands where not all threads are: outside of blocks or in a threads loop");
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
  std::set<Expr> uniform_;  // those that all threads of a block have one value of
  Expr lanes_ = nullptr;    // the variable of the vector loop around
  bool blocks_ = false, in_vector_ = false, in_threads_ = false;
  std::set<int64_t> written_, now_written_;
};

}  // namespace

void verify(const Kernel& kernel) { Verifier(kernel).run(); }

}  // namespace paddle::cinn
