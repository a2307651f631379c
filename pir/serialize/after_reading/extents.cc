// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// -1 as symbols, and what programs compute of shapes as expressions of symbols.
#include <algorithm>
#include <optional>
#include <unordered_map>

#include "paddle_core/shape/sym.h"
#include "pir/serialize/after_reading/legalize.h"

namespace paddle::pir {
namespace {

bool has_unknown(const Type& t) {
  return std::any_of(t.shape().begin(), t.shape().end(),
                     [](Dim d) { return !d.is_symbolic() && d.value() < 0; }) ||
         std::any_of(t.elements().begin(), t.elements().end(), has_unknown);
}

Type with_symbols(const Type& t, SymbolScope& scope) {
  if (t.is_vector()) {
    std::vector<Type> elements;
    for (const Type& e : t.elements()) elements.push_back(with_symbols(e, scope));
    return Type::vector(std::move(elements));
  }
  if (!t.is_tensor()) return t;
  Shape shape;
  for (const Dim d : t.shape()) {
    shape.push_back(!d.is_symbolic() && d.value() < 0 ? scope.fresh() : d);
  }
  return Type::tensor(t.dtype(), shape);
}

// The type says the same as the file's, only more.
bool refines(const Type& inferred, const Type& declared) {
  if (inferred.kind() != declared.kind() || inferred.dtype() != declared.dtype() ||
      inferred.shape().size() != declared.shape().size() ||
      inferred.elements().size() != declared.elements().size()) {
    return false;
  }
  for (size_t i = 0; i < declared.elements().size(); ++i) {
    if (!refines(inferred.elements()[i], declared.elements()[i])) return false;
  }
  for (size_t i = 0; i < declared.shape().size(); ++i) {
    const Dim a = inferred.shape()[i], b = declared.shape()[i];
    if (!b.is_symbolic() && b.value() >= 0 && !(a == b)) return false;
    if (!a.is_symbolic() && a.value() < 0) return false;
  }
  return true;
}

using Extent = std::optional<Dim>;

// Numbers that a program takes from the shapes of its tensors, as far as they are symbols: those of
// a run. Other extents may differ from what a file declares of its inputs.
class ShapeArithmetic {
 public:
  // Operands that only symbols and constants make up become builtin.dims.
  void visit(Operation& op) {
    for (size_t i = 0; i < op.num_operands(); ++i) {
      if (!takes_ints(op, i)) continue;
      if (Value* dims = as_dims(op, op.operand(i))) op.set_operand(i, dims);
    }
    if (op.num_results() == 1) {
      if (auto numbers = made_by(op)) known_.emplace(op.result(), std::move(*numbers));
    }
  }

 private:
  using Numbers = std::vector<Extent>;

  static bool takes_ints(const Operation& op, size_t operand) {
    if (!op.def || !op.operand(operand)) return false;
    size_t at = 0;
    for (const ArgSpec& arg : op.def->schema().args) {
      if (is_operand(arg) && at++ == operand) return arg.type == ArgType::kIntArray;
    }
    return false;
  }

  Value* as_dims(Operation& user, Value* v) {
    const auto found = known_.find(v);
    if (found == known_.end()) return nullptr;
    Shape dims;
    for (const Extent& e : found->second) {
      if (!e) return nullptr;
      dims.push_back(*e);
    }
    if (is_static(dims)) return nullptr;
    Builder b(*user.block());
    b.set_before(&user);
    return b
        .create("builtin.dims", {}, {Type::tensor(DType::kInt64, {Dim(count_of(dims))})},
                {{"value", dims}})
        ->result();
  }
  static int64_t count_of(const Shape& dims) { return static_cast<int64_t>(dims.size()); }

  std::optional<Numbers> made_by(const Operation& op) const {
    if (op.is("pd_op.shape64") || op.is("pd_op.shape")) return of_shape(op.operand(0));
    if (op.is("pd_op.full_int_array")) {
      const Shape dims = op.attribute("value").to_dims();
      return Numbers(dims.begin(), dims.end());
    }
    if (op.is("pd_op.full")) return of_number(op);
    if (op.is("pd_op.slice")) return of_slice(op);
    if (op.is("builtin.combine")) return of_list(op);
    const bool joined = op.is("pd_op.stack") || op.is("pd_op.concat");
    if (joined || op.is("pd_op.cast") || op.is("pd_op.assign")) {
      if (!op.operand(0) || op.result()->type().shape().size() > 1 ||
          is_floating(op.result()->type().dtype())) {
        return {};
      }
      const auto found = known_.find(op.operand(0));
      if (found != known_.end()) return found->second;
    }
    return {};
  }

  static std::optional<Numbers> of_shape(const Value* v) {
    if (!v || !v->type().is_tensor()) return {};
    Numbers out;
    for (const Dim d : v->type().shape()) out.push_back(d.is_symbolic() ? Extent(d) : Extent());
    return out;
  }

  static std::optional<Numbers> of_number(const Operation& op) {
    const Type& type = op.result()->type();
    const bool one =
        type.is_tensor() && !is_floating(type.dtype()) &&
        (type.shape().empty() || (type.shape().size() == 1 && type.shape()[0] == Dim(1)));
    if (!one) return {};
    return Numbers{Dim(op.attribute("value").to_scalar().to_int())};
  }

  // Of a vector, from one place to another.
  std::optional<Numbers> of_slice(const Operation& op) const {
    const auto found = known_.find(op.operand(0));
    if (found == known_.end()) return {};
    const auto from = position(op.operand(1), found->second.size()),
               to = position(op.operand(2), found->second.size());
    if (!from || !to || *from > *to) return {};
    return Numbers(found->second.begin() + *from, found->second.begin() + *to);
  }
  std::optional<int64_t> position(const Value* v, size_t size) const {
    const auto found = known_.find(v);
    if (found == known_.end() || found->second.size() != 1 || !found->second[0] ||
        found->second[0]->is_symbolic()) {
      return {};
    }
    const int64_t n = static_cast<int64_t>(size), at = found->second[0]->value();
    return std::clamp<int64_t>(at < 0 ? at + n : at, 0, n);
  }

  std::optional<Numbers> of_list(const Operation& op) const {
    Numbers out;
    for (const Value* v : op.operands()) {
      const auto found = known_.find(v);
      if (found == known_.end()) return {};
      out.insert(out.end(), found->second.begin(), found->second.end());
    }
    return out;
  }

  std::unordered_map<const Value*, Numbers> known_;
};

// What a list is made of, and what it is split into, are the same values.
std::vector<Type> types_of_list(const Operation& op) {
  const Value* first = op.num_operands() > 0 ? op.operand(0) : nullptr;
  if (op.is("builtin.split") && first && first->type().is_vector()) {
    return first->type().elements();
  }
  if (!op.is("builtin.combine") || op.num_results() != 1) return {};
  std::vector<Type> elements;
  for (const Value* v : op.operands()) {
    if (!v) return {};
    elements.push_back(v->type());
  }
  return {Type::vector(std::move(elements))};
}

void resolve(Operation& op, SymbolScope& scope) {
  std::vector<Type> inferred = types_of_list(op);
  if (op.def && op.regions().empty()) {
    const size_t facts = scope.facts().size();
    try {
      inferred = infer_types(op);
    } catch (const Error&) {
      inferred.clear();  // the interpreter reports it with the real extents
    }
    // An assumption could give another shape; those of windows only say that the call is valid.
    const bool only_checks = op.def->schema().arg_index("data_format") >= 0;
    if (scope.facts().size() != facts && !only_checks) inferred.clear();
  }
  for (size_t k = 0; k < op.num_results(); ++k) {
    Value* v = op.result(k);
    if (!has_unknown(v->type())) continue;
    const bool known = k < inferred.size() && inferred.size() == op.num_results() &&
                       refines(inferred[k], v->type());
    v->set_type(known ? inferred[k] : with_symbols(v->type(), scope));
  }
}

// Of an iteration or of a branch. What is carried from one iteration to the next has extents of its
// own in each, so its symbols stand for no others.
void resolve_regions(const Operation& op, SymbolScope& scope) {
  for (const auto& region : op.regions()) {
    for (const auto& block : region->blocks()) {
      for (size_t i = 0; i < block->num_arguments(); ++i) {
        Value* v = block->argument(i);
        if (has_unknown(v->type())) v->set_type(with_symbols(v->type(), scope));
      }
      for (const auto& inner : block->operations()) {
        resolve_regions(*inner, scope);
        resolve(*inner, scope);
      }
    }
  }
}

}  // namespace

void resolve_extents(Program& program, bool through_values) {
  SymbolScope scope;
  program.keep_symbols(scope.owner());
  ShapeArithmetic numbers;
  std::vector<Operation*> all;
  for (const auto& op : program.block().operations()) all.push_back(op.get());
  for (Operation* op : all) {
    if (through_values) numbers.visit(*op);
    resolve_regions(*op, scope);
    resolve(*op, scope);
  }
}

}  // namespace paddle::pir
