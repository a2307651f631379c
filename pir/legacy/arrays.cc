// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Arrays as values that each write replaces.
#include "pir/legacy/arrays.h"

#include <algorithm>
#include <limits>

#include "pir/dialect/dialect.h"
#include "pir/legacy/terms.h"

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
  OpId name;
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

constexpr int64_t kEnd = std::numeric_limits<int32_t>::max();

Term whole(OpTranslation& make, int64_t value) {
  return Term::full(make, {1}, static_cast<double>(value), DType::kInt64);
}

Term index(OpTranslation& make, Value* i) { return Term(make, i).cast(DType::kInt64).reshape({1}); }

// Elements [from, to) of axis 0.
Term part(OpTranslation& make, const Term& x, const Given& from, const Given& to) {
  return {make,
          make.make("slice",
                    {{"input", x.value()}, {"axes", Ints{0}}, {"starts", from}, {"ends", to}})};
}

Given ints(int64_t value) { return Ints{value}; }

// How many numbers each element has.
Term sizes_of(const Term& shapes) { return shapes.make("prod", {{"axis", Ints{1}}}); }

// A list of parts of several lengths that lie one behind the other.
struct Parts {
  OpTranslation& make;
  Term data, lengths;

  Term begin(const Term& i) const { return part(make, lengths, ints(0), i.value()).sum({0}, true); }
  Term at(const Term& i) const { return part(make, data, begin(i).value(), begin(i + 1).value()); }
  // The data with `piece` in the place of part `i`.
  Term replaced(const Term& piece, const Term& i) const {
    return Term::concat({part(make, data, ints(0), begin(i).value()), piece,
                         part(make, data, begin(i + 1).value(), ints(kEnd))},
                        0);
  }
};

// `list` with `row`, of axis 0, in the place of its row `i`.
Term with_element(OpTranslation& make, const Term& list, const Term& row, const Term& i) {
  return Term::concat(
      {part(make, list, ints(0), i.value()), row, part(make, list, (i + 1).value(), ints(kEnd))},
      0);
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
                      ": the program reads an array of another origin, which paddle cannot "
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
      op.result()->replace_all_uses_with(array_length(make, s));
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
    size_t k = op.num_results();
    for (Value* array : written) k -= state(array, op).size();
    for (Value* array : written) {
      for (Value*& v : state(array, op)) v = op.result(k++);
    }
  }

  Type later(const ArrayState& s, size_t k) {
    return later_part(k, s[k]->type(), translator_.symbols());
  }

  Translator& translator_;
  States states_;
};

}  // namespace

Type later_part(size_t k, const Type& type, SymbolScope& symbols) {
  Shape shape{symbols.fresh()};
  if (k == 1) shape.push_back(type.shape()[1]);
  return Type::tensor(type.dtype(), shape);
}

ArrayState empty_array(OpTranslation& make, DType dtype, size_t rank) {
  const DType known = dtype == DType::kUndefined ? DType::kFloat32 : dtype;
  return {Term::full(make, {0}, 0, known),
          Term::full(make, {0, static_cast<int64_t>(rank)}, 0, DType::kInt64)};
}

bool is_new_array(const ArrayState& s) {
  const Operation* made = s[1]->producer();
  return made && made->is("pd_op.full");
}

Value* array_length(OpTranslation& make, const ArrayState& s) {
  return part(make, Term(make, s[1]).extents(), ints(0), ints(1));
}

void write_element(OpTranslation& make, ArrayState& s, Value* x, Value* i,
                   const std::vector<Value*>& offsets) {
  const Term at = index(make, i), value(make, x), shape = value.extents();
  if (is_new_array(s)) {
    s = empty_array(make, value.dtype(), static_cast<size_t>(value.rank()));
    for (size_t level = 0; level < 2 * offsets.size(); ++level) {
      s.push_back(Term::full(make, {0}, 0, DType::kInt64));
    }
  }
  if (s[1]->type().shape()[1] != Dim(value.rank())) {
    make.fail(str("an element of rank ", value.rank(), " is written to an array of others"));
  }
  const Term shapes(make, s[1]);
  const Parts numbers{make, Term(make, s[0]).cast(value.dtype()), sizes_of(shapes)};
  s[0] = numbers.replaced(value.reshape({-1}), at);
  s[1] = with_element(make, shapes, shape.unsqueeze(0), at);
  for (size_t k = 2; k + 1 < s.size(); k += 2) {
    const size_t level = k / 2 - 1;
    const Term own = level < offsets.size() ? Term(make, offsets[level])
                                            : Term::full(make, {0}, 0, DType::kInt64);
    const Parts levels{make, Term(make, s[k]), Term(make, s[k + 1])};
    s[k] = levels.replaced(own, at);
    s[k + 1] = with_element(make, levels.lengths, own.extents(), at);
  }
}

Value* read_element(OpTranslation& make, const ArrayState& s, Value* i) {
  const Term at = index(make, i), shapes(make, s[1]);
  const Parts numbers{make, Term(make, s[0]), sizes_of(shapes)};
  const int64_t rank = shapes.shape()[1].value();
  return numbers.at(at).reshape(part(make, shapes, at.value(), (at + 1).value()).reshape({rank}));
}

std::vector<Value*> read_offsets(OpTranslation& make, const ArrayState& s, Value* i) {
  std::vector<Value*> levels;
  for (size_t k = 2; k + 1 < s.size(); k += 2) {
    const Parts all{make, Term(make, s[k]), Term(make, s[k + 1])};
    levels.push_back(all.at(index(make, i)));
  }
  return levels;
}

Value* join_elements(OpTranslation& make, const ArrayState& s, int64_t axis, bool stacked) {
  const Term numbers(make, s[0]), shapes(make, s[1]);
  const int64_t rank = shapes.shape()[1].value();
  const int64_t axes = rank + (stacked ? 1 : 0);
  if (axis < -axes || axis >= axes) {
    make.fail(str("axis has value ", axis, " for elements of rank ", rank));
  }
  if (axis < 0) axis += axes;
  const Term shape = part(make, shapes, ints(-1), ints(kEnd)).reshape({rank});
  if (!stacked && axis == 0) {
    return numbers.reshape(
        Term::concat({whole(make, -1), part(make, shape, ints(1), ints(rank))}, 0));
  }
  Term out = numbers.reshape(Term::concat({Term(make, array_length(make, s)), shape}, 0));
  Ints perm;
  for (int64_t k = 1; k <= rank; ++k) perm.push_back(k);
  perm.insert(perm.begin() + axis, 0);
  if (axis > 0) out = out.transpose(perm);
  if (stacked) return out;
  return out.make("flatten", {{"start_axis", axis}, {"stop_axis", axis + 1}});
}

Value* joined_extents(OpTranslation& make, const ArrayState& s, int64_t axis, bool stacked) {
  const Term shapes(make, s[1]);
  const int64_t rank = shapes.shape()[1].value();
  if (stacked) {
    const Term one = whole(make, 1).cast(DType::kInt32);
    return one.make("expand", {{"shape", array_length(make, s)}});
  }
  return shapes.at(1, axis < 0 ? axis + rank : axis).cast(DType::kInt32);
}

bool is_array_operation(const Operation& op) { return form_of(op) != nullptr; }

void lower_arrays(Program& program, Translator& translator) {
  check(program.block());
  ArrayLowering(translator).run(program.block());
}

}  // namespace paddle::pir
