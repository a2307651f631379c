// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// What stands outside of threads loops is run for all threads before the next statement; a threads
// loop is run by one thread after the other. Between barriers any order of threads is possible on a
// device, so an element that two of them use there, one writing, is a race whatever came out here.
#include "cinn/loop/interpret.h"

#include <algorithm>
#include <memory>
#include <set>
#include <unordered_map>

#include "cinn/loop/scalar_code.h"
#include "paddle_core/base/error.h"

namespace paddle::cinn {
namespace {

constexpr int32_t kNobody = -1, kSeveral = -2;

// Who used an element last.
struct Use {
  int64_t task = kNobody;  // the writer's, in this stage
  int64_t reading_task = kNobody;
  int64_t epoch = -1;  // of what follows
  int32_t writer = kNobody, reader = kNobody;
  bool written = false;
};

struct Memory {
  void* data = nullptr;
  int64_t elements = 0;
  std::vector<char> own;
  std::vector<Use> uses;
};

class Interpreter {
 public:
  Interpreter(const Kernel& kernel, const std::vector<int64_t>& sizes)
      : kernel_(kernel), sizes_(sizes) {}

  Interpretation run(const std::vector<void*>& memory) {
    check_sizes();
    for (size_t i = 0; i < kernel_.buffers.size(); ++i) {
      const Buffer& b = kernel_.buffers[i];
      Memory m;
      m.elements = evaluate(b.elements, sizes_.data());
      m.uses.resize(static_cast<size_t>(m.elements));
      if (b.space <= Space::kUpdated) {
        PADDLE_CHECK_RUNTIME(memory.at(i) || m.elements == 0, "cinn: kernel ", kernel_.name,
                             ": there is no memory for ", b.name, ".");
        m.data = memory[i];
        if (b.space == Space::kUpdated) {
          for (Use& u : m.uses) u.written = true;
        }
      } else {
        m.own.resize(static_cast<size_t>(m.elements) * size_of(b.dtype));
        m.data = m.own.data();
      }
      memory_.push_back(std::move(m));
    }
    for (stage_ = 0; stage_ < kernel_.stages.size(); ++stage_) run_stage(kernel_.stages[stage_]);
    return std::move(seen_);
  }

 private:
  void check_sizes() const {
    PADDLE_CHECK_RUNTIME(sizes_.size() == kernel_.sizes.size(), "cinn: kernel ", kernel_.name,
                         " has ", kernel_.sizes.size(), " sizes and was given ", sizes_.size(),
                         ".");
    for (size_t i = 0; i < kernel_.multiples.size(); ++i) {
      PADDLE_CHECK_RUNTIME(sizes_[i] % kernel_.multiples[i] == 0, "cinn: kernel ", kernel_.name,
                           " takes multiples of ", kernel_.multiples[i], " for size ", i,
                           " and was given ", sizes_[i], ".");
    }
  }

  void run_stage(const Stage& stage) {
    threads_ = stage.threads;
    for (Memory& m : memory_) {
      for (Use& u : m.uses) u = {kNobody, kNobody, -1, kNobody, kNobody, u.written};
    }
    const int64_t tasks = evaluate(stage.tasks, sizes_.data());
    for (task_ = 0; task_ < tasks; ++task_) {
      ++epoch_;
      for (size_t i = 0; i < memory_.size(); ++i) {
        const Space space = kernel_.buffers[i].space;
        if (space != Space::kScratch && space != Space::kShared) continue;
        for (Use& u : memory_[i].uses) u = {};
      }
      registers_.assign(static_cast<size_t>(threads_),
                        std::vector<Scalar64>(static_cast<size_t>(kernel_.num_registers)));
      set_variable(stage.task, task_);
      run_together(stage.body);
    }
  }

  void set_variable(Expr variable, int64_t value) {
    const auto i = static_cast<size_t>(variable->integer);
    if (i >= variables_.size()) variables_.resize(i + 1);
    variables_[i] = value;
  }

  // -- problems --
  void problem(const std::string& what, int64_t buffer, const std::string& detail) {
    if (!said_.emplace(stage_, statement_, buffer, what).second) return;
    seen_.problems.push_back(str("stage ", stage_, ", task ", task_, ", ", describe(), ": ", what,
                                 " of ", kernel_.buffers[static_cast<size_t>(buffer)].name,
                                 detail));
  }
  std::string describe() const {
    std::string text;
    if (const auto* d = std::get_if<Declare>(&statement_->is)) {
      text = str("r", d->reg, " := ", to_string(d->value));
    } else if (const auto* a = std::get_if<Assign>(&statement_->is)) {
      text = str("r", a->reg, " = ", to_string(a->value));
    } else if (const auto* a = std::get_if<Accumulate>(&statement_->is)) {
      text = str("r", a->reg, " ", name_of(a->combine), "= ", to_string(a->value));
    } else if (const auto* s = std::get_if<Store>(&statement_->is)) {
      text = str("b", s->buffer, "[", to_string(s->index), "] = ", to_string(s->value));
    } else if (const auto* run = std::get_if<StoreRun>(&statement_->is)) {
      text = str("b", run->buffer, "[", to_string(run->index),
                 " ...] = ", to_string(run->values[0]), ", ...");
    } else if (const auto* l = std::get_if<Loop>(&statement_->is)) {
      text = str("loop over ", to_string(l->extent));
    } else if (const auto* branch = std::get_if<If>(&statement_->is)) {
      text = str("if ", to_string(branch->condition));
    } else if (const auto* c = std::get_if<Check>(&statement_->is)) {
      text = str("check ", to_string(c->condition));
    }
    constexpr size_t kMost = 160;
    return text.size() > kMost ? text.substr(0, kMost) + "..." : text;
  }

  // Null where the index is out of bounds.
  Use* use_of(int64_t buffer, int64_t index, const char* what) {
    Memory& m = memory_[static_cast<size_t>(buffer)];
    if (index < 0 || index >= m.elements) {
      problem(str(what, " out of bounds"), buffer,
              str(": index ", index, " of ", m.elements, " elements"));
      return nullptr;
    }
    Use& u = m.uses[static_cast<size_t>(index)];
    if (u.epoch != epoch_) {
      u.epoch = epoch_;
      u.writer = u.reader = kNobody;
    }
    return &u;
  }
  bool is_global(int64_t buffer) const {
    const Space space = kernel_.buffers[static_cast<size_t>(buffer)].space;
    return space == Space::kOutput || space == Space::kUpdated || space == Space::kTemporary;
  }

  Scalar64 read(int64_t buffer, int64_t index, int32_t thread) {
    const Buffer& b = kernel_.buffers[static_cast<size_t>(buffer)];
    Use* u = use_of(buffer, index, "a read");
    if (!u) return {};
    if (b.space != Space::kInput) {
      if (!u->written) {
        problem("a read of an element that nothing wrote", buffer, str(": index ", index));
        return {};
      }
      if (u->writer != kNobody && u->writer != thread) {
        problem("a race", buffer,
                str(": thread ", thread, " reads index ", index, ", which thread ", u->writer,
                    " writes, without a barrier between"));
      }
      u->reader = u->reader == kNobody || u->reader == thread ? thread : kSeveral;
      if (is_global(buffer)) {
        if (u->task != kNobody && u->task != task_) {
          problem("a race", buffer,
                  str(": task ", task_, " reads index ", index, ", which task ", u->task,
                      " of the same stage writes"));
        }
        u->reading_task = u->reading_task == kNobody || u->reading_task == task_ ? task_ : kSeveral;
      }
    }
    return read_element(memory_[static_cast<size_t>(buffer)].data, b.dtype, index);
  }

  void write(int64_t buffer, int64_t index, Scalar64 value, int32_t thread) {
    Use* u = use_of(buffer, index, "a write");
    if (!u) return;
    const auto other = [thread](int32_t t) { return t != kNobody && t != thread; };
    if (other(u->writer) || other(u->reader)) {
      const bool writes = other(u->writer);
      problem("a race", buffer,
              str(": thread ", thread, " writes index ", index, ", which ",
                  !writes && u->reader == kSeveral ? std::string("other threads")
                                                   : str("thread ", writes ? u->writer : u->reader),
                  writes ? " writes" : " read", ", without a barrier between"));
    }
    if (is_global(buffer)) {
      const auto foreign = [this](int64_t t) { return t != kNobody && t != task_; };
      if (foreign(u->task) || foreign(u->reading_task)) {
        problem("a race", buffer,
                str(": task ", task_, " writes index ", index,
                    ", which another task of the same "
                    "stage ",
                    foreign(u->task) ? "writes" : "reads"));
      }
      u->task = task_;
    }
    u->writer = thread;
    u->written = true;
    const Buffer& b = kernel_.buffers[static_cast<size_t>(buffer)];
    write_element(memory_[static_cast<size_t>(buffer)].data, b.dtype, index, value);
  }

  // -- expressions --
  const ScalarCode& code_of(Expr e) {
    auto& code = codes_[e];
    if (!code) code = std::make_unique<ScalarCode>(e);
    return *code;
  }
  Scalar64 value_of(Expr e, int32_t thread, size_t depth = 0) {
    while (depth >= values_.size()) values_.push_back(std::make_unique<std::vector<Scalar64>>());
    const auto leaf = [&](Expr x) -> Scalar64 {
      switch (x->op) {
        case ExprOp::kVariable:
          return {variables_[static_cast<size_t>(x->integer)]};
        case ExprOp::kSize:
          return {sizes_[static_cast<size_t>(x->integer)]};
        case ExprOp::kRegister:
          return registers_[static_cast<size_t>(thread)][static_cast<size_t>(x->integer)];
        default:
          return value_of(x->args[0], thread ^ static_cast<int32_t>(x->args[1]->integer),
                          depth + 1);
      }
    };
    return code_of(e).run(*values_[depth], leaf, [&](Expr load, int64_t index) {
      return read(load->integer, index, thread);
    });
  }
  Scalar64& reg(int64_t number, int32_t thread) {
    return registers_[static_cast<size_t>(thread)][static_cast<size_t>(number)];
  }
  Scalar64 combined(Combine how, DType type, Scalar64 a, Scalar64 b) const {
    static constexpr ExprOp kOps[] = {ExprOp::kAdd, ExprOp::kMultiply, ExprOp::kMin,
                                      ExprOp::kMax, ExprOp::kAnd,      ExprOp::kOr};
    ExprNode operand{ExprOp::kRegister, type, {}}, node{kOps[static_cast<size_t>(how)], type, {}};
    node.args = {&operand, &operand};
    const Scalar64 args[] = {a, b};
    return apply(&node, args);
  }

  // -- statements --
  // By all threads, each statement before the next.
  void run_together(const Body& body) {
    for (const Statement& s : body) {
      statement_ = &s;
      if (const auto* loop = std::get_if<Loop>(&s.is)) {
        const int64_t extent = value_of(loop->extent, 0).whole;
        if (loop->kind == Loop::Kind::kThreads) {
          for (int32_t t = 0; t < threads_; ++t) {
            for (int64_t i = t; i < extent; i += threads_) {
              set_variable(loop->variable, i);
              run_alone(loop->body, t);
            }
          }
        } else {
          for (int64_t i = 0; i < extent; ++i) {
            set_variable(loop->variable, i);
            run_together(loop->body);
          }
        }
      } else if (const auto* branch = std::get_if<If>(&s.is)) {
        if (value_of(branch->condition, 0).whole) run_together(branch->body);
      } else if (std::holds_alternative<Barrier>(s.is)) {
        ++epoch_;
      } else if (const auto* run = std::get_if<StoreRun>(&s.is)) {
        store(*run, 0);  // only where a task is one thread
      } else {
        run_at_once(s);
      }
    }
  }

  // Values first, then registers: a shuffle reads what the others had before.
  void run_at_once(const Statement& s) {
    if (threads_ == 1) return run_one(s, 0);
    std::vector<Scalar64> values;
    for (int32_t t = 0; t < threads_; ++t) values.push_back(value_of(value_in(s), t));
    for (int32_t t = 0; t < threads_; ++t) finish(s, values[static_cast<size_t>(t)], t);
  }
  static Expr value_in(const Statement& s) {
    if (const auto* d = std::get_if<Declare>(&s.is)) return d->value;
    if (const auto* a = std::get_if<Assign>(&s.is)) return a->value;
    if (const auto* a = std::get_if<Accumulate>(&s.is)) return a->value;
    if (const auto* store = std::get_if<Store>(&s.is)) return store->value;
    return std::get<Check>(s.is).condition;
  }
  void finish(const Statement& s, Scalar64 value, int32_t thread) {
    if (const auto* d = std::get_if<Declare>(&s.is)) {
      reg(d->reg, thread) = value;
    } else if (const auto* a = std::get_if<Assign>(&s.is)) {
      reg(a->reg, thread) = value;
    } else if (const auto* a = std::get_if<Accumulate>(&s.is)) {
      Scalar64& r = reg(a->reg, thread);
      r = combined(a->combine, a->value->type, r, value);
    } else if (const auto* store = std::get_if<Store>(&s.is)) {
      write(store->buffer, value_of(store->index, thread).whole, value, thread);
    } else if (!value.whole) {
      seen_.failed = true;
    }
  }
  void store(const StoreRun& run, int32_t thread) {
    const int64_t first = value_of(run.index, thread).whole;
    for (size_t k = 0; k < run.values.size(); ++k) {
      write(run.buffer, first + static_cast<int64_t>(k), value_of(run.values[k], thread), thread);
    }
  }
  void run_one(const Statement& s, int32_t thread) {
    finish(s, value_of(value_in(s), thread), thread);
  }

  // By one thread.
  void run_alone(const Body& body, int32_t thread) {
    for (const Statement& s : body) {
      statement_ = &s;
      if (const auto* loop = std::get_if<Loop>(&s.is)) {
        const int64_t extent = value_of(loop->extent, thread).whole;
        for (int64_t i = 0; i < extent; ++i) {
          set_variable(loop->variable, i);
          run_alone(loop->body, thread);
        }
      } else if (const auto* branch = std::get_if<If>(&s.is)) {
        if (value_of(branch->condition, thread).whole) run_alone(branch->body, thread);
      } else if (const auto* run = std::get_if<StoreRun>(&s.is)) {
        store(*run, thread);
      } else {
        run_one(s, thread);
      }
    }
  }

  const Kernel& kernel_;
  const std::vector<int64_t>& sizes_;
  Interpretation seen_;
  std::vector<Memory> memory_;
  std::vector<std::vector<Scalar64>> registers_;  // by thread
  std::vector<int64_t> variables_;
  std::unordered_map<Expr, std::unique_ptr<ScalarCode>> codes_;
  std::vector<std::unique_ptr<std::vector<Scalar64>>> values_;  // by depth of shuffles
  std::set<std::tuple<size_t, const Statement*, int64_t, std::string>> said_;
  const Statement* statement_ = nullptr;
  size_t stage_ = 0;
  int64_t task_ = 0, epoch_ = 0;
  int32_t threads_ = 1;
};

}  // namespace

Interpretation interpret(const Kernel& kernel, const std::vector<void*>& memory,
                         const std::vector<int64_t>& sizes) {
  verify(kernel);
  return Interpreter(kernel, sizes).run(memory);
}

}  // namespace paddle::cinn
