// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Kernels and expressions as text.
#include <functional>
#include <sstream>
#include <unordered_map>

#include "cinn/loop/kernel.h"
#include "paddle_core/base/error.h"

namespace paddle::cinn {

const char* name_of(ExprOp op) {
  static constexpr const char* kNames[] = {
      "constant",    "variable", "size", "register", "load",       "negate", "abs",
      "sqrt",        "floor",    "ceil", "trunc",    "round_even", "not",    "cast",
      "bitcast",     "round16",  "add",  "subtract", "multiply",   "divide", "floordiv",
      "mod",         "min",      "max",  "copysign", "and",        "or",     "xor",
      "shl",         "shr",      "sar",  "less",     "less_equal", "equal",  "not_equal",
      "shuffle_xor", "select",   "fma"};
  return kNames[static_cast<size_t>(op)];
}

std::string to_string(Expr e, const std::function<std::string(Expr)>& name_for) {
  if (name_for) {
    if (std::string name = name_for(e); !name.empty()) return name;
  }
  const auto inner = [&](size_t i) { return to_string(e->args[i], name_for); };
  const auto call = [&](std::string name) {
    std::string text = std::move(name) + "(";
    for (size_t i = 0; i < e->args.size(); ++i) text += (i ? ", " : "") + inner(i);
    return text + ")";
  };
  const auto infix = [&](const char* sign) {
    return "(" + inner(0) + " " + sign + " " + inner(1) + ")";
  };
  switch (e->op) {
    case ExprOp::kConstant:
      return is_floating(e->type)      ? str(e->real)
             : e->type == DType::kBool ? (e->integer ? "true" : "false")
                                       : str(e->integer);
    case ExprOp::kVariable:
      return str("i", e->integer);
    case ExprOp::kSize:
      return str("n", e->integer);
    case ExprOp::kRegister:
      return str("r", e->integer);
    case ExprOp::kLoad:
      return str("b", e->integer, "[", inner(0), "]");
    case ExprOp::kAdd:
      return infix("+");
    case ExprOp::kSubtract:
      return infix("-");
    case ExprOp::kMultiply:
      return infix("*");
    case ExprOp::kDivide:
      return infix("/");
    case ExprOp::kFloorDivide:
      return infix("//");
    case ExprOp::kModulo:
      return infix("%");
    case ExprOp::kLess:
      return infix("<");
    case ExprOp::kLessEqual:
      return infix("<=");
    case ExprOp::kEqual:
      return infix("==");
    case ExprOp::kNotEqual:
      return infix("!=");
    case ExprOp::kCast:
    case ExprOp::kBitcast:
      return call(str(e->op == ExprOp::kCast ? "" : "bits_as_", e->type));
    case ExprOp::kRound16:
      return call(str("round_to_", static_cast<DType>(e->integer)));
    default:
      return call(name_of(e->op));
  }
}

const char* name_of(Space space) {
  static constexpr const char* kNames[] = {"input",     "output",  "updated",
                                           "temporary", "scratch", "shared"};
  return kNames[static_cast<size_t>(space)];
}

namespace {

class Printer {
 public:
  explicit Printer(std::ostream& out) : out_(out) {}

  void print(const Kernel& kernel) {
    out_ << "kernel " << kernel.name << '\n';
    for (size_t i = 0; i < kernel.buffers.size(); ++i) {
      const Buffer& b = kernel.buffers[i];
      out_ << "  b" << i << ": " << name_of(b.space) << ' ' << b.name << ' ' << b.dtype << '['
           << to_string(b.elements) << "]\n";
    }
    for (size_t i = 0; i < kernel.stages.size(); ++i) {
      const Stage& stage = kernel.stages[i];
      out_ << "stage " << i << ": tasks " << to_string(stage.task) << " of "
           << to_string(stage.tasks);
      if (stage.grain) out_ << ", at least " << to_string(stage.grain) << " to a thread";
      if (stage.threads > 1) out_ << ", each " << stage.threads << " threads";
      out_ << '\n';
      print(stage.body, 1);
    }
  }

 private:
  // What occurs several times gets a name and a line of its own.
  std::string text(Expr e, int depth) {
    name_shared(e, depth);
    return str_of(e);
  }
  void name_shared(Expr root, int depth) {
    std::unordered_map<Expr, int> uses;
    std::vector<Expr> order;
    const std::function<void(Expr)> count = [&](Expr e) {
      if (e->args.empty() || names_.contains(e)) return;
      if (++uses[e] > 1) return;
      for (Expr a : e->args) count(a);
      order.push_back(e);
    };
    count(root);
    for (Expr e : order) {
      if (uses[e] < 2) continue;
      const std::string value = str_of(e);
      names_[e] = str("t", num_names_++);
      out_ << names_[e] << " := " << value << '\n'
           << std::string(static_cast<size_t>(depth) * 2, ' ');
    }
  }
  std::string str_of(Expr e) {
    return to_string(e, [this](Expr inner) {
      const auto found = names_.find(inner);
      return found == names_.end() ? std::string() : found->second;
    });
  }

  void print(const Body& body, int depth) {
    const auto before = names_;
    for (const Statement& s : body) {
      out_ << std::string(static_cast<size_t>(depth) * 2, ' ');
      std::visit([&](const auto& statement) { print_one(statement, depth); }, s.is);
    }
    names_ = before;
  }
  void print_one(const Loop& loop, int depth) {
    static constexpr const char* kKinds[] = {"for", "vector", "threads"};
    out_ << kKinds[static_cast<size_t>(loop.kind)] << ' ' << to_string(loop.variable) << " of "
         << to_string(loop.extent);
    if (loop.width > 1) out_ << ", " << loop.width << " lanes";
    if (loop.unroll > 1) out_ << ", " << loop.unroll << " copies";
    out_ << '\n';
    print(loop.body, depth + 1);
  }
  void print_one(const Declare& d, int depth) {
    const std::string value = text(d.value, depth);
    out_ << 'r' << d.reg << " := " << value << '\n';
  }
  void print_one(const Assign& a, int depth) {
    const std::string value = text(a.value, depth);
    out_ << 'r' << a.reg << " = " << value << '\n';
  }
  void print_one(const Accumulate& a, int depth) {
    const std::string value = text(a.value, depth);
    out_ << 'r' << a.reg << ' ' << name_of(a.combine) << "= " << value << '\n';
  }
  void print_one(const Store& s, int depth) {
    const std::string index = text(s.index, depth), value = text(s.value, depth);
    out_ << 'b' << s.buffer << '[' << index << "] = " << value << (s.streamed ? ", streamed" : "")
         << '\n';
  }
  void print_one(const StoreRun& s, int depth) {
    const std::string index = text(s.index, depth);
    std::vector<std::string> values;
    for (Expr value : s.values) values.push_back(text(value, depth));
    out_ << 'b' << s.buffer << '[' << index << " ...] = ";
    for (size_t k = 0; k < values.size(); ++k) out_ << (k > 0 ? ", " : "") << values[k];
    out_ << '\n';
  }
  void print_one(const If& branch, int depth) {
    const std::string condition = text(branch.condition, depth);
    out_ << "if " << condition << '\n';
    print(branch.body, depth + 1);
  }
  void print_one(const Check& c, int depth) {
    const std::string condition = text(c.condition, depth);
    out_ << "check " << condition << '\n';
  }
  void print_one(const Barrier&, int) { out_ << "barrier\n"; }

  std::ostream& out_;
  std::unordered_map<Expr, std::string> names_;
  size_t num_names_ = 0;
};

}  // namespace

const char* name_of(Combine combine) {
  static constexpr const char* kNames[] = {"add", "multiply", "min", "max", "and", "or"};
  return kNames[static_cast<size_t>(combine)];
}

std::string print(const Kernel& kernel) {
  std::ostringstream out;
  Printer(out).print(kernel);
  return std::move(out).str();
}

}  // namespace paddle::cinn
