// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Expressions of extents as operators.
#include "pir/serialize/before_writing/lower_extents.h"

#include <algorithm>
#include <unordered_map>

#include "paddle_core/shape/sym.h"
#include "pir/dialect/control_flow.h"
#include "pir/dialect/dialect.h"

namespace paddle::pir {
namespace {

class ExtentLowering {
 public:
  void run(Block& block) {
    const auto sources = sources_;
    const auto made = made_;
    for (size_t i = 0; i < block.num_arguments(); ++i) note(block.argument(i));
    auto& ops = block.operations();
    for (auto at = ops.begin(); at != ops.end();) {
      Operation* op = (at++)->get();
      for (const auto& region : op->regions()) {
        for (const auto& inner : region->blocks()) run(*inner);
      }
      if (op->is("builtin.dims") || is_open_full(*op)) {
        lower(op);
        continue;
      }
      if (op->is(kExtent)) {
        name(op);
        continue;
      }
      check_attributes(*op);
      for (size_t k = 0; k < op->num_results(); ++k) note(op->result(k));
    }
    sources_ = sources;
    made_ = made;
  }

 private:
  struct Source {
    Value* value;
    size_t axis;
  };

  // The first value that has an extent stands for it: inputs come first.
  void note(Value* v) {
    if (!v->type().is_tensor()) return;
    const Shape& shape = v->type().shape();
    for (size_t k = 0; k < shape.size(); ++k) {
      if (shape[k].is_symbolic()) sources_.try_emplace(shape[k].symbol_id(), Source{v, k});
    }
  }

  // A constant whose shape has extents that are known when the program runs.
  static bool is_open_full(const Operation& op) {
    return op.is("pd_op.full") && !is_static(op.attribute("shape").to_dims());
  }

  // The symbol is the operand from here on.
  void name(Operation* op) {
    Builder b(*op->block());
    b.set_before(op);
    Value* v = op->operand(0);
    if (v->type().dtype() != DType::kInt64) {
      v = make(b, "pd_op.cast", {v}, v->type().shape(), {{"dtype", DType::kInt64}});
    }
    if (!v->type().shape().empty()) {
      Value* none =
          make(b, "pd_op.full_int_array", {}, {Dim(0)},
               {{"value", AttributeArray()}, {"dtype", DType::kInt64}, {"place", Place()}});
      v = make(b, "pd_op.reshape", {v, none}, {});
    }
    made_.emplace(op->attribute("symbol").to_dims()[0].symbol_id(), v);
    op->block()->erase(op);
  }

  // Attributes are numbers in files.
  static void check_attributes(const Operation& op) {
    if (op.is("pd_op.data")) return;
    for (const auto& [name, attribute] : op.attributes()) {
      if (!attribute.is(Attribute::Kind::kIntArray)) continue;
      PADDLE_CHECK_KIND(ErrorKind::kNotImplemented, is_static(attribute.get<Shape>()),
                        "jit.save: ", name, " of ", op.name(), " is ", attribute,
                        ", but a saved program holds numbers there; give the dimension a fixed "
                        "size in the input specification.");
    }
  }

  static Value* make(Builder& b, const char* name, const std::vector<Value*>& operands,
                     const Shape& shape, std::vector<NamedAttribute> attributes = {}) {
    Operation* op =
        b.create(name, operands, {Type::tensor(DType::kInt64, shape)}, std::move(attributes));
    op->def = find_def(name);
    return op->result();
  }

  static Value* ints(Builder& b, int64_t v) {
    return make(
        b, "pd_op.full_int_array", {}, {Dim(1)},
        {{"value", AttributeArray{Attribute(v)}}, {"dtype", DType::kInt64}, {"place", Place()}});
  }

  static Value* number(Builder& b, int64_t v) {
    return make(
        b, "pd_op.full", {}, {},
        {{"shape", Shape()}, {"value", Scalar(v)}, {"dtype", DType::kInt64}, {"place", Place()}});
  }

  // The extent or expression as an integer of rank 0.
  Value* extent(Builder& b, Dim d) {
    if (!d.is_symbolic()) return number(b, d.value());
    const auto known = made_.find(d.symbol_id());
    if (known != made_.end()) return known->second;
    const auto source = sources_.find(d.symbol_id());
    Value* v = source == sources_.end() ? sum(b, d) : read(b, source->second);
    made_.emplace(d.symbol_id(), v);
    return v;
  }

  static Value* read(Builder& b, const Source& source) {
    const auto rank = static_cast<int64_t>(source.value->type().shape().size());
    Value* all = make(b, "pd_op.shape64", {source.value}, {Dim(rank)});
    const auto at = static_cast<int64_t>(source.axis);
    const AttributeArray zero{Attribute(int64_t{0})}, one{Attribute(int64_t{1})};
    return make(b, "pd_op.slice", {all, ints(b, at), ints(b, at + 1)}, {},
                {{"axes", zero}, {"infer_flags", one}, {"decrease_axis", zero}});
  }

  Value* sum(Builder& b, Dim d) {
    Value* total = nullptr;
    for (const DimTerm& term : terms_of(d)) {
      const bool negative = total && term.coefficient < 0;
      Value* part = product(b, term, negative ? -term.coefficient : term.coefficient);
      total = !total     ? part
              : negative ? make(b, "pd_op.subtract", {total, part}, {})
                         : make(b, "pd_op.add", {total, part}, {});
    }
    return total;
  }

  Value* product(Builder& b, const DimTerm& term, int64_t coefficient) {
    Value* result = coefficient == 1 && !term.factors.empty() ? nullptr : number(b, coefficient);
    for (const DimFactor& f : term.factors) {
      Value* v = factor(b, f);
      result = result ? make(b, "pd_op.multiply", {result, v}, {}) : v;
    }
    return result;
  }

  Value* factor(Builder& b, const DimFactor& f) {
    using Kind = DimFactor::Kind;
    const bool visible =
        made_.contains(f.self.symbol_id()) || sources_.contains(f.self.symbol_id());
    if (visible) return extent(b, f.self);
    PADDLE_CHECK_KIND(ErrorKind::kNotImplemented, f.kind != Kind::kSymbol,
                      "jit.save: a shape uses ", f.self,
                      ", which is no extent of a value before it; this form cannot be saved.");
    const char* name = f.kind == Kind::kFloorDiv ? "pd_op.floor_divide"
                       : f.kind == Kind::kMod    ? "pd_op.remainder"
                       : f.kind == Kind::kMin    ? "pd_op.minimum"
                                                 : "pd_op.maximum";
    Value* left = extent(b, f.left);
    return make(b, name, {left, extent(b, f.right)}, {});
  }

  void lower(Operation* op) {
    Block& block = *op->block();
    Builder b(block);
    b.set_before(op);
    const bool full = op->is("pd_op.full");
    const Shape dims = op->attribute(full ? "shape" : "value").to_dims();
    std::vector<Value*> parts;
    for (const Dim d : dims) parts.push_back(extent(b, d));
    Value* list = b.combine(parts);
    Value* stacked = make(b, "pd_op.stack", {list}, {Dim(static_cast<int64_t>(dims.size()))},
                          {{"axis", int32_t{0}}});
    Value* result = full ? filled(b, *op, stacked) : for_uses(b, *op->result(), stacked);
    op->result()->replace_all_uses_with(result);
    block.erase(op);
    note(result);
  }

  // PaddlePaddle's interpolation takes sizes as int32.
  static Value* for_uses(Builder& b, const Value& old, Value* stacked) {
    const auto& uses = old.uses();
    const bool narrow = std::any_of(uses.begin(), uses.end(), [](const Use& use) {
      return use.op->name().ends_with("_interp");
    });
    if (!narrow) return stacked;
    Operation* cast =
        b.create("pd_op.cast", {stacked}, {Type::tensor(DType::kInt32, stacked->type().shape())},
                 {{"dtype", DType::kInt32}});
    cast->def = find_def("pd_op.cast");
    return cast->result();
  }

  static Value* filled(Builder& b, const Operation& full, Value* shape) {
    std::vector<NamedAttribute> attributes = full.attributes();
    for (NamedAttribute& a : attributes) {
      if (a.first == "shape") a.second = Shape{Dim(1)};
    }
    const Type& type = full.result()->type();
    Operation* one =
        b.create("pd_op.full", {}, {Type::tensor(type.dtype(), {Dim(1)})}, std::move(attributes));
    one->def = find_def("pd_op.full");
    Operation* all = b.create("pd_op.full_with_tensor", {one->result(), shape}, {type},
                              {{"dtype", type.dtype()}});
    all->def = find_def("pd_op.full_with_tensor");
    return all->result();
  }

  std::unordered_map<uint32_t, Source> sources_;  // extent -> where it can be read
  std::unordered_map<uint32_t, Value*> made_;     // what was computed before
};

}  // namespace

void lower_extents(Block& block) { ExtentLowering().run(block); }

}  // namespace paddle::pir
