// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The walk over the stages of blocks that emitters for GPUs share: which values are known where,
// how a vector loop becomes lanes, and which accesses are wide. `V` is a value in the target's
// code. Private to codegen.
//
// An expression is emitted where it is first read and known until its scope ends or something it
// depends on changes; moving it out of loops is left to the target's compiler.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cinn/loop/kernel.h"
#include "paddle_core/base/error.h"

namespace paddle::cinn {

template <typename V>
class BlockEmitter {
 public:
  virtual ~BlockEmitter() = default;

 protected:
  explicit BlockEmitter(const Kernel& kernel) : kernel_(kernel) {}

  // A register, of a lane where it was declared in a vector loop.
  using Register = std::pair<int64_t, int>;

  // -- what a target gives --
  virtual V emit_constant(Expr e) = 0;
  virtual V emit_operation(Expr e, const std::vector<V>& args) = 0;
  virtual V emit_shuffle(Expr e, const V& x) = 0;
  virtual V emit_size(int64_t number) = 0;
  virtual V emit_thread() = 0;  // its number in the block, int64
  virtual void declare(Register r, DType type, const V& value) = 0;
  virtual void assign(Register r, DType type, const V& value) = 0;
  virtual V read(Register r, DType type) = 0;
  // Of neighbours from the index on; one, or so many that they fill 4, 8 or 16 bytes and begin at a
  // multiple of that.
  virtual std::vector<V> load(int64_t buffer, const V& index, int count) = 0;
  virtual void store(int64_t buffer, const V& index, const std::vector<V>& values) = 0;
  // The iterations first, first + step, ...; gives the variable.
  virtual V begin_loop(const V& first, const V& extent, int64_t step) = 0;
  virtual void end_loop() = 0;
  virtual void begin_if(const V& condition) = 0;
  virtual void end_if() = 0;
  virtual void emit_barrier() = 0;
  virtual void fail_unless(const V& condition) = 0;

  void emit_stage_body(const Stage& stage, const V& task) {
    threads_ = stage.threads;
    scopes_.assign(1, {});
    variables_.clear();
    variables_[stage.task] = task;
    lane_ = {};
    emit_body(stage.body);
  }

  V value(Expr e) {
    if (e->op == ExprOp::kVariable && e != lane_.variable) return variables_.at(e);
    const bool by_lane = differs_by_lane(e);
    const Key key{e, by_lane ? lane_.number : -1};
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
      if (const auto found = scope->find(key); found != scope->end()) return found->second;
    }
    if (e->op == ExprOp::kLoad && by_lane && load_wide(e)) return scopes_.back().at(key);
    V made = make(e);
    return scopes_.back().insert_or_assign(key, std::move(made)).first->second;
  }

  const Kernel& kernel_;

 private:
  using Key = std::pair<Expr, int>;
  // The vector loop around, if there is one, and the lane that is being emitted.
  struct Lane {
    Expr variable = nullptr;
    int width = 0, number = -1;
    std::set<int64_t> registers;
    std::unordered_map<Expr, bool> known;
  };

  Expr constant_lane() { return kernel_.pool->integer(lane_.number); }

  bool differs_by_lane(Expr e) {
    if (!lane_.variable) return false;
    if (e == lane_.variable) return true;
    if (e->op == ExprOp::kRegister) return lane_.registers.contains(e->integer);
    if (e->args.empty()) return false;
    if (const auto found = lane_.known.find(e); found != lane_.known.end()) return found->second;
    const bool answer =
        std::any_of(e->args.begin(), e->args.end(), [this](Expr a) { return differs_by_lane(a); });
    return lane_.known[e] = answer;
  }
  Register register_of(int64_t number) const {
    return {number, lane_.registers.contains(number) ? lane_.number : -1};
  }

  V make(Expr e) {
    switch (e->op) {
      case ExprOp::kConstant:
        return emit_constant(e);
      case ExprOp::kVariable:  // of the lanes
        return emit_constant(constant_lane());
      case ExprOp::kSize:
        return emit_size(e->integer);
      case ExprOp::kRegister:
        return read(register_of(e->integer), e->type);
      case ExprOp::kLoad:
        return load(e->integer, value(e->args[0]), 1)[0];
      case ExprOp::kShuffleXor:
        return emit_shuffle(e, value(e->args[0]));
      default: {
        std::vector<V> args;
        for (Expr a : e->args) args.push_back(value(a));
        return emit_operation(e, args);
      }
    }
  }

  // -- wide accesses --
  // The index at lane 0 and how many lanes one access takes; 1 where lanes are no neighbours or
  // their first is not known to be aligned.
  std::pair<Expr, int> neighbours(Expr index, int64_t buffer) {
    const auto bytes =
        static_cast<int>(size_of(kernel_.buffers[static_cast<size_t>(buffer)].dtype));
    const int count = std::min(lane_.width, 16 / bytes);
    if (count * bytes < 4 || coefficient_of(index, lane_.variable) != 1) return {nullptr, 1};
    const Expr first = kernel_.pool->subtract(index, lane_.variable);
    if (differs_by_lane(first) || known_divisor(first, kernel_.multiples) % count != 0)
      return {nullptr, 1};
    return {first, count};
  }
  bool load_wide(Expr e) {
    const auto [first, count] = neighbours(e->args[0], e->integer);
    if (count == 1) return false;
    for (int at = 0; at < lane_.width; at += count) {
      const V index = value(kernel_.pool->add(first, kernel_.pool->integer(at)));
      const std::vector<V> values = load(e->integer, index, count);
      for (int i = 0; i < count; ++i) {
        scopes_.back().insert_or_assign(Key{e, at + i}, values[static_cast<size_t>(i)]);
      }
    }
    return true;
  }
  void store_lanes(const Store& s) {
    const auto values = lanes(s.value);
    const auto [first, count] = neighbours(s.index, s.buffer);
    for (int at = 0; at < lane_.width; at += count) {
      lane_.number = at;
      const V index =
          value(count == 1 ? s.index : kernel_.pool->add(first, kernel_.pool->integer(at)));
      store(s.buffer, index, {values.begin() + at, values.begin() + at + count});
    }
  }
  std::vector<V> lanes(Expr e) {
    std::vector<V> values;
    for (lane_.number = 0; lane_.number < lane_.width; ++lane_.number) values.push_back(value(e));
    lane_.number = 0;
    return values;
  }

  // -- what is no longer known --
  template <typename Changed>
  void forget(const Changed& changed) {
    std::unordered_map<Expr, bool> answers;
    const std::function<bool(Expr)> depends = [&](Expr e) -> bool {
      if (const auto found = answers.find(e); found != answers.end()) return found->second;
      bool answer = changed(e);
      for (Expr a : e->args) answer = answer || depends(a);
      return answers[e] = answer;
    };
    for (auto& scope : scopes_) {
      std::erase_if(scope, [&](const auto& entry) { return depends(entry.first.first); });
    }
  }
  void forget_register(int64_t number) {
    forget([number](Expr e) { return e->op == ExprOp::kRegister && e->integer == number; });
  }
  void forget_changed_by(const Body& body) {
    std::set<int64_t> registers, buffers;
    collect(body, registers, buffers);
    forget([&](Expr e) {
      return (e->op == ExprOp::kRegister && registers.contains(e->integer)) ||
             (e->op == ExprOp::kLoad && buffers.contains(e->integer));
    });
  }
  static void collect(const Body& body, std::set<int64_t>& registers, std::set<int64_t>& buffers) {
    for (const Statement& s : body) {
      if (const auto* d = std::get_if<Declare>(&s.is)) registers.insert(d->reg);
      if (const auto* a = std::get_if<Assign>(&s.is)) registers.insert(a->reg);
      if (const auto* a = std::get_if<Accumulate>(&s.is)) registers.insert(a->reg);
      if (const auto* store = std::get_if<Store>(&s.is)) buffers.insert(store->buffer);
      if (const auto* run = std::get_if<StoreRun>(&s.is)) buffers.insert(run->buffer);
      if (const auto* loop = std::get_if<Loop>(&s.is)) collect(loop->body, registers, buffers);
      if (const auto* branch = std::get_if<If>(&s.is)) collect(branch->body, registers, buffers);
    }
  }

  // -- statements --
  void emit_body(const Body& body) {
    for (const Statement& s : body) std::visit([this](const auto& x) { emit(x); }, s.is);
  }
  void emit(const Loop& loop) {
    if (loop.kind == Loop::Kind::kVector) return emit_lanes(loop);
    const bool threads = loop.kind == Loop::Kind::kThreads;
    forget_changed_by(loop.body);
    const V extent = value(loop.extent);
    const V first = threads ? emit_thread() : emit_constant(kernel_.pool->integer(0));
    // Each thread takes one iteration, or none.
    const bool once =
        threads && loop.extent->op == ExprOp::kConstant && loop.extent->integer <= threads_;
    const bool all = once && loop.extent->integer == threads_;
    if (!once) {
      variables_[loop.variable] = begin_loop(first, extent, threads ? threads_ : 1);
    } else {
      variables_[loop.variable] = first;
      if (!all) {
        ExprNode less{ExprOp::kLess, DType::kBool, {}};
        less.args = {loop.variable, loop.extent};
        begin_if(emit_operation(&less, {first, extent}));
      }
    }
    if (!all) scopes_.emplace_back();
    emit_body(loop.body);
    if (!all) scopes_.pop_back();
    if (!once) end_loop();
    if (once && !all) end_if();
    variables_.erase(loop.variable);
    forget_changed_by(loop.body);
    forget([&](Expr e) { return e == loop.variable; });
  }
  void emit_lanes(const Loop& loop) {
    lane_ = {loop.variable, loop.width, 0, {}, {}};
    emit_body(loop.body);
    forget([&](Expr e) {
      return e == loop.variable ||
             (e->op == ExprOp::kRegister && lane_.registers.contains(e->integer));
    });
    lane_ = {};
  }
  void emit(const Declare& d) {
    if (!lane_.variable) {
      const V v = value(d.value);
      forget_register(d.reg);
      return declare({d.reg, -1}, d.value->type, v);
    }
    const auto values = lanes(d.value);
    lane_.registers.insert(d.reg);
    lane_.known.clear();
    forget_register(d.reg);
    for (int i = 0; i < lane_.width; ++i) {
      declare({d.reg, i}, d.value->type, values[static_cast<size_t>(i)]);
    }
  }
  void emit(const Assign& a) {
    if (!lane_.variable) {
      const V v = value(a.value);
      forget_register(a.reg);
      return assign({a.reg, -1}, a.value->type, v);
    }
    const auto values = lanes(a.value);
    forget_register(a.reg);
    for (int i = 0; i < lane_.width; ++i) {
      assign({a.reg, i}, a.value->type, values[static_cast<size_t>(i)]);
    }
  }
  void emit(const Accumulate& a) {
    static constexpr ExprOp kOps[] = {ExprOp::kAdd, ExprOp::kMultiply, ExprOp::kMin,
                                      ExprOp::kMax, ExprOp::kAnd,      ExprOp::kOr};
    ExprNode operation{kOps[static_cast<size_t>(a.combine)], a.value->type, {}};
    operation.args = {a.value, a.value};
    const auto add = [&](Register r, const V& v) {
      const V before = read(r, a.value->type);
      assign(r, a.value->type, emit_operation(&operation, {before, v}));
    };
    if (!lane_.variable) {
      const V v = value(a.value);
      add({a.reg, -1}, v);
    } else {
      const auto values = lanes(a.value);
      for (lane_.number = 0; lane_.number < lane_.width; ++lane_.number) {
        add(register_of(a.reg), values[static_cast<size_t>(lane_.number)]);
      }
      lane_.number = 0;
    }
    forget_register(a.reg);
  }
  void emit(const Store& s) {
    if (lane_.variable) {
      store_lanes(s);
      lane_.number = 0;
    } else {
      const V v = value(s.value);
      store(s.buffer, value(s.index), {v});
    }
    forget([&](Expr e) { return e->op == ExprOp::kLoad && e->integer == s.buffer; });
  }
  void emit(const StoreRun& run) {
    for (size_t k = 0; k < run.values.size(); ++k) {
      const Expr offset = kernel_.pool->integer(static_cast<int64_t>(k));
      emit(Store{run.buffer, kernel_.pool->add(run.index, offset), run.values[k]});
    }
  }
  void emit(const If& branch) {
    const V condition = value(branch.condition);
    forget_changed_by(branch.body);
    begin_if(condition);
    scopes_.emplace_back();
    emit_body(branch.body);
    scopes_.pop_back();
    end_if();
    forget_changed_by(branch.body);
  }
  void emit(const Check& c) {
    if (!lane_.variable) return fail_unless(value(c.condition));
    for (const V& v : lanes(c.condition)) fail_unless(v);
  }
  void emit(const Barrier&) {
    emit_barrier();
    forget([this](Expr e) {
      return e->op == ExprOp::kLoad &&
             kernel_.buffers[static_cast<size_t>(e->integer)].space != Space::kInput;
    });
  }

  std::vector<std::map<Key, V>> scopes_;
  std::unordered_map<Expr, V> variables_;
  Lane lane_;
  int threads_ = 1;
};

}  // namespace paddle::cinn
