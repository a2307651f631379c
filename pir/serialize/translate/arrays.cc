// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Arrays as values that each write replaces.
#include "pir/serialize/translate/arrays.h"

#include <algorithm>
#include <limits>

#include "pir/dialect/dialect.h"
#include "pir/serialize/translate/translate.h"

namespace paddle::pir {
namespace {

using Ints = std::vector<int64_t>;

using States = std::vector<std::pair<Value*, ArrayState>>;  // by array, in the order of creation

// The array that a value is: writing gives the array itself.
Value* root_of(Value* v) {
  while (v->producer() && v->producer()->is("pd_op.array_write_")) v = v->producer()->operand(0);
  return v;
}

struct Form {
  std::string_view name;
  size_t operands, results;
};
constexpr Form kForms[] = {{"pd_op.create_array", 0, 1},      {"pd_op.array_length", 1, 1},
                           {"pd_op.array_write_", 3, 1},      {"pd_op.array_read", 2, 1},
                           {"pd_op.slice_array_dense", 2, 1}, {"pd_op.array_to_tensor", 1, 2}};

const Form* form_of(const Operation& op) {
  for (const Form& form : kForms) {
    if (op.is(form.name)) return &form;
  }
  return nullptr;
}

// Files may say anything.
void check(const Operation& op) {
  const Form* form = form_of(op);
  if (!form) return;
  bool fits = op.num_operands() == form->operands && op.num_results() == form->results;
  for (size_t i = 0; fits && i < op.num_operands(); ++i) {
    fits = op.operand(i) &&
           op.operand(i)->type().kind() == (i == 0 ? Type::Kind::kVector : Type::Kind::kTensor);
  }
  for (size_t k = 0; fits && k < op.num_results(); ++k) {
    const Type& t = op.result(k)->type();
    fits = !t.is_vector() || (t.elements().size() == 1 && t.elements()[0].is_tensor());
  }
  if (op.is("pd_op.create_array")) fits = fits && op.result()->type().is_vector();
  PADDLE_CHECK_VALUE(fits, "program file: ", op.name(),
                     " has other operands or results than it can.");
}

void check(const Block& block) {
  for (const auto& op : block.operations()) {
    check(*op);
    for (const auto& region : op->regions()) {
      for (const auto& inner : region->blocks()) {
        PADDLE_CHECK_VALUE(
            !inner->operations().empty() && inner->operations().back()->is("cf.yield"),
            "program file: a block of ", op->name(), " does not end in a yield.");
        check(*inner);
      }
    }
  }
}

void collect_written(const Block& block, std::vector<Value*>& out) {
  for (const auto& op : block.operations()) {
    if (op->is("pd_op.array_write_")) {
      Value* root = root_of(op->operand(0));
      if (std::find(out.begin(), out.end(), root) == out.end()) out.push_back(root);
    }
    for (const auto& region : op->regions()) {
      for (const auto& inner : region->blocks()) collect_written(*inner, out);
    }
  }
}

Value* sum(OpTranslation& make, Value* a, Value* b) {
  return make.make("add", {{"x", a}, {"y", b}});
}

Value* product(OpTranslation& make, Value* a, Value* b) {
  return make.make("multiply", {{"x", a}, {"y", b}});
}

Value* join(OpTranslation& make, const std::vector<Value*>& parts) {
  return make.make("concat", {{"x", parts}, {"axis", int64_t{0}}});
}

Value* index(OpTranslation& make, Value* i) {
  return make.make("reshape", {{"x", make.cast(i, DType::kInt64)}, {"shape", Ints{1}}});
}

Value* number(OpTranslation& make, int64_t value) {
  return make.make("full", {{"shape", Ints{1}}, {"value", value}, {"dtype", DType::kInt64}});
}

// Numbers of an element.
Value* size_of(OpTranslation& make, Value* shape) {
  if (shape->type().shape()[0] == Dim(0)) return number(make, 1);
  return make.make("prod", {{"x", shape}, {"axis", Ints{0}}, {"keepdim", true}});
}

Value* part(OpTranslation& make, Value* numbers, const Given& from, const Given& to) {
  return make.make("slice",
                   {{"input", numbers}, {"axes", Ints{0}}, {"starts", from}, {"ends", to}});
}

class ArrayLowering {
 public:
  explicit ArrayLowering(Translator& translator) : translator_(translator) {}

  void run(Block& block) {
    std::vector<Operation*> dead;
    auto& ops = block.operations();
    for (auto at = ops.begin(); at != ops.end();) {
      Operation* op = (at++)->get();
      if (!op->regions().empty()) {
        enter(*op);
      } else if (is_array_operation(*op)) {
        lower(*op);
        dead.push_back(op);
      }
    }
    // Readers come behind writers.
    for (; !dead.empty(); dead.pop_back()) block.erase(dead.back());
  }

 private:
  ArrayState& state(Value* array, const Operation& op) {
    Value* root = root_of(array);
    const auto found = std::find_if(states_.rbegin(), states_.rend(),
                                    [&](const auto& s) { return s.first == root; });
    PADDLE_CHECK_KIND(ErrorKind::kNotImplemented, found != states_.rend(), op.name(),
                      ": the program reads an array of another origin, which this build cannot "
                      "run.");
    return found->second;
  }

  // -- operators ------------------------------------------------------------------------------
  void lower(Operation& op) {
    const OpDesc desc{op.name(), {}, {}, {}};
    Builder builder(*op.block());
    builder.set_before(&op);
    OpTranslation make(translator_, desc, builder);
    if (op.is("pd_op.create_array")) {
      const Type& element = op.result()->type().elements()[0];
      states_.emplace_back(op.result(), empty_array(make, element.dtype(), element.shape().size()));
      return;
    }
    ArrayState& s = state(op.operand(0), op);
    if (op.is("pd_op.array_length")) {
      op.result()->replace_all_uses_with(s[1]);
    } else if (op.is("pd_op.array_write_")) {
      write_element(make, s, op.operand(1), op.operand(2));
    } else if (op.is("pd_op.array_to_tensor")) {
      const int64_t axis = op.attribute("axis").to_int();
      const bool stacked = op.attribute("use_stack").to_int() != 0;
      op.result(0)->replace_all_uses_with(join_elements(make, s, axis, stacked));
      if (op.result(1)->used()) {
        op.result(1)->replace_all_uses_with(joined_extents(make, s, axis, stacked));
      }
    } else {
      op.result()->replace_all_uses_with(read_element(make, s, op.operand(1)));
    }
  }

  // -- blocks ---------------------------------------------------------------------------------
  // Arrays from outside that the blocks of `op` write go through its operands and results.
  void enter(Operation& op) {
    std::vector<Value*> written;
    for (const auto& region : op.regions()) {
      for (const auto& inner : region->blocks()) collect_written(*inner, written);
    }
    std::erase_if(written, [&](Value* v) {
      return std::none_of(states_.begin(), states_.end(),
                          [&](const auto& s) { return s.first == v; });
    });
    const bool loop = op.is("pd_op.while");
    for (Value* array : written) {
      const ArrayState& s = state(array, op);
      for (size_t k = 0; k < s.size(); ++k) {
        if (loop) op.add_operand(s[k]);
        op.add_result(later(s, k));
      }
    }
    const States outer = states_;
    for (const auto& region : op.regions()) {
      for (const auto& inner : region->blocks()) {
        states_ = outer;
        for (Value* array : written) {
          ArrayState& s = state(array, op);
          for (size_t k = 0; loop && k < s.size(); ++k) s[k] = inner->add_argument(later(s, k));
        }
        run(*inner);
        Operation* last = inner->operations().back().get();
        for (Value* array : written) {
          for (Value* v : state(array, op)) last->add_operand(v);
        }
      }
    }
    states_ = outer;
    size_t k = op.num_results() - 3 * written.size();
    for (Value* array : written) {
      for (Value*& v : state(array, op)) v = op.result(k++);
    }
  }

  // The type of a part of the state after more writes.
  Type later(const ArrayState& s, size_t k) {
    const Type& now = s[k]->type();
    return k > 0 ? now : Type::tensor(now.dtype(), {translator_.symbols().fresh()});
  }

  Translator& translator_;
  States states_;
};

}  // namespace

ArrayState empty_array(OpTranslation& make, DType dtype, size_t rank) {
  const auto zeros = [&](size_t n, DType t) {
    return make.make(
        "full", {{"shape", Ints{static_cast<int64_t>(n)}}, {"value", int64_t{0}}, {"dtype", t}});
  };
  return {zeros(0, dtype == DType::kUndefined ? DType::kFloat32 : dtype), zeros(1, DType::kInt64),
          zeros(rank, DType::kInt64)};
}

void write_element(OpTranslation& make, ArrayState& s, Value* x, Value* i) {
  Value* at = index(make, i);
  Value* shape = make.make("shape64", {{"input", x}});
  Value* n = size_of(make, shape);
  Value* begin = product(make, at, n);
  Value* numbers = make.cast(s[0], x->type().dtype());
  constexpr int64_t kEnd = std::numeric_limits<int32_t>::max();
  s[0] = join(make, {part(make, numbers, Ints{0}, begin),
                     make.make("reshape", {{"x", x}, {"shape", Ints{-1}}}),
                     part(make, numbers, sum(make, begin, n), Ints{kEnd})});
  s[1] = make.make("maximum", {{"x", s[1]}, {"y", sum(make, at, number(make, 1))}});
  s[2] = shape;
}

Value* read_element(OpTranslation& make, const ArrayState& s, Value* i) {
  Value* n = size_of(make, s[2]);
  Value* begin = product(make, index(make, i), n);
  return make.make("reshape",
                   {{"x", part(make, s[0], begin, sum(make, begin, n))}, {"shape", s[2]}});
}

Value* join_elements(OpTranslation& make, const ArrayState& s, int64_t axis, bool stacked) {
  const int64_t rank = s[2]->type().shape()[0].value();
  const int64_t axes = rank + (stacked ? 1 : 0);
  if (axis < -axes || axis >= axes) {
    make.fail(str("axis has value ", axis, " for elements of rank ", rank));
  }
  if (axis < 0) axis += axes;
  if (!stacked && axis == 0) {
    Value* shape = join(make, {number(make, -1), part(make, s[2], Ints{1}, Ints{rank})});
    return make.make("reshape", {{"x", s[0]}, {"shape", shape}});
  }
  Value* out = make.make("reshape", {{"x", s[0]}, {"shape", join(make, {s[1], s[2]})}});
  Ints perm;
  for (int64_t k = 1; k <= rank; ++k) perm.push_back(k);
  perm.insert(perm.begin() + axis, 0);
  if (axis > 0) out = make.make("transpose", {{"x", out}, {"perm", perm}});
  if (stacked) return out;
  return make.make("flatten", {{"x", out}, {"start_axis", axis}, {"stop_axis", axis + 1}});
}

Value* joined_extents(OpTranslation& make, const ArrayState& s, int64_t axis, bool stacked) {
  Value* extent = stacked ? number(make, 1) : part(make, s[2], Ints{axis}, Ints{axis + 1});
  return make.cast(make.make("expand", {{"x", extent}, {"shape", s[1]}}), DType::kInt32);
}

bool is_array_operation(const Operation& op) { return form_of(op) != nullptr; }

void lower_arrays(Program& program, Translator& translator) {
  check(program.block());
  ArrayLowering(translator).run(program.block());
}

}  // namespace paddle::pir
