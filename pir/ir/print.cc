// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The textual form of programs, one operation a line:
//   (%2, %3) = "pd_op.topk" (%0, %1) {axis: -1:i32} : (tensor<4xfloat32>, ...) -> (...)
// Absent operands print as `_`; regions follow the types as `({ ^(%4: type) ... }, { ... })`.
#include <ostream>
#include <unordered_map>

#include "pir/ir/ir.h"

namespace paddle::pir {
namespace {

class Printer {
 public:
  explicit Printer(std::ostream& out) : out_(out) {}

  void block(const Block& b, int depth) {
    for (const auto& op : b.operations()) operation(*op, depth);
  }

  void operation(const Operation& op, int depth) {
    indent(depth);
    out_ << '(';
    for (size_t i = 0; i < op.num_results(); ++i) {
      if (i) out_ << ", ";
      name(op.result(i));
    }
    out_ << ") = " << quoted(op.name()) << " (";
    for (size_t i = 0; i < op.num_operands(); ++i) {
      if (i) out_ << ", ";
      name(op.operand(i));
    }
    out_ << ") {";
    for (size_t i = 0; i < op.attributes().size(); ++i) {
      const NamedAttribute& a = op.attributes()[i];
      out_ << (i ? ", " : "") << a.first << ": " << a.second;
    }
    out_ << "} : (";
    for (size_t i = 0; i < op.num_operands(); ++i) {
      out_ << (i ? ", " : "");
      out_ << (op.operand(i) ? op.operand(i)->type() : Type());
    }
    out_ << ") -> (";
    for (size_t i = 0; i < op.num_results(); ++i) out_ << (i ? ", " : "") << op.result(i)->type();
    out_ << ')';
    if (!op.regions().empty()) regions(op, depth);
    out_ << '\n';
  }

 private:
  void regions(const Operation& op, int depth) {
    out_ << " (";
    for (size_t i = 0; i < op.regions().size(); ++i) {
      out_ << (i ? ", {" : "{");
      for (const auto& b : op.regions()[i]->blocks()) {
        out_ << " ^(";
        for (size_t k = 0; k < b->num_arguments(); ++k) {
          if (k) out_ << ", ";
          name(b->argument(k));
          out_ << ": " << b->argument(k)->type();
        }
        out_ << ")\n";
        block(*b, depth + 1);
        indent(depth);
      }
      out_ << '}';
    }
    out_ << ')';
  }

  void indent(int depth) {
    for (int i = 0; i < depth; ++i) out_ << "  ";
  }

  void name(const Value* v) {
    if (!v) {
      out_ << '_';
      return;
    }
    out_ << '%' << names_.emplace(v, names_.size()).first->second;
  }

  std::ostream& out_;
  std::unordered_map<const Value*, size_t> names_;
};

}  // namespace

std::string print(const Program& program) {
  std::ostringstream out;
  Printer(out).block(program.block(), 0);
  return std::move(out).str();
}

std::string print(const Operation& op) {
  std::ostringstream out;
  Printer(out).operation(op, 0);
  return std::move(out).str();
}

}  // namespace paddle::pir
