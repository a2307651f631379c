// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Operators of formulas.
#include "pir/legacy/terms.h"

#include <algorithm>

#include "pir/dialect/dialect.h"

namespace paddle::pir {

Term Term::full(OpTranslation& op, Few shape, double value, DType dtype) {
  return {op, op.make("full", {{"shape", Ints(shape)}, {"value", value}, {"dtype", dtype}})};
}

Term Term::like(double value) const { return make("full_like", {{"value", value}}); }
Term Term::number(double value) const { return full(*op_, {}, value, dtype()); }
Term Term::reshape(Few extents) const { return reshape(Ints(extents)); }
Term Term::transpose(Few perm) const { return transpose(Ints(perm)); }
Term Term::unsqueeze(int64_t axis) const { return make("unsqueeze", {{"axis", Ints{axis}}}); }
Term Term::squeeze(int64_t axis) const { return make("squeeze", {{"axis", Ints{axis}}}); }
Term Term::sum(Few axes, bool keep) const { return sum(Ints(axes), keep); }

Term Term::concat(std::initializer_list<Term> parts, int64_t axis) {
  return concat(std::vector<Term>(parts), axis);
}

Term Term::concat(const std::vector<Term>& parts, int64_t axis) {
  const std::vector<Value*> values(parts.begin(), parts.end());
  OpTranslation& op = *parts.at(0).op_;
  return {op, op.make("concat", {{"x", values}, {"axis", axis}})};
}

Term Term::numbers(OpTranslation& op, const std::vector<double>& values, DType dtype) {
  Tensor wide = Tensor::empty({Dim(static_cast<int64_t>(values.size()))}, DType::kFloat64);
  std::copy(values.begin(), values.end(), wide.data<double>());
  Tensor t = Tensor::empty(wide.shape(), dtype);
  t.copy_data_from(wide);
  return {op, op.constant(t)};
}

Term Term::count_up(const Term& count) {
  const DType dtype = count.dtype();
  return {*count.op_, count.op_->make("arange", {{"start", count.number(0)},
                                                 {"end", count},
                                                 {"step", count.number(1)},
                                                 {"dtype", dtype}})};
}

int64_t Term::known_extent(int64_t axis) const {
  const Dim d = shape()[static_cast<size_t>(axis < 0 ? axis + rank() : axis)];
  if (d.is_symbolic() || d.value() < 0) {
    op_->unsupported(str("the file leaves extent ", axis, " of an input open"));
  }
  return d.value();
}

Term Term::make(std::string_view name, Arguments rest) const {
  std::vector<NamedGiven> all;
  for (const Argument& a : rest) all.emplace_back(a.name(), a.value());
  return make_all(name, all);
}

Term Term::make_all(std::string_view name, const std::vector<NamedGiven>& rest) const {
  const OpDef* def = find_def(str("pd_op.", name));
  PADDLE_ASSERT(def && !def->schema().args.empty());
  std::vector<NamedGiven> args{{def->schema().args[0].name, value_}};
  args.insert(args.end(), rest.begin(), rest.end());
  return {*op_, op_->make_all(name, args)};
}

Term Term::with(const char* name, const Term& y) const {
  return {*op_, op_->make(name, {{"x", value_}, {"y", y.value_}})};
}

Term Term::scaled(double factor, double bias) const {
  return make("scale", {{"scale", factor}, {"bias", bias}});
}

Term Term::extents() const { return {*op_, op_->make("shape64", {{"input", value_}})}; }

Term Term::reshape(const Term& extents) const {
  return {*op_, op_->make("reshape", {{"x", value_}, {"shape", extents.value_}})};
}

Term Term::sum(const Ints& axes, bool keep) const {
  return make("sum", {{"axis", axes}, {"keepdim", keep}});
}

Term Term::matmul(const Term& y, bool transpose_x, bool transpose_y) const {
  return {*op_, op_->make("matmul", {{"x", value_},
                                     {"y", y.value_},
                                     {"transpose_x", transpose_x},
                                     {"transpose_y", transpose_y}})};
}

Term Term::part(int64_t axis, int64_t begin, int64_t end, bool drop) const {
  return make("slice", {{"axes", Ints{axis < 0 ? axis + rank() : axis}},
                        {"starts", Ints{begin}},
                        {"ends", Ints{end}},
                        {"decrease_axis", drop ? Ints{axis < 0 ? axis + rank() : axis} : Ints{}}});
}

Term Term::gather(const Term& index, int64_t axis) const {
  return {*op_, op_->make("gather", {{"x", value_}, {"index", index.value_}, {"axis", axis}})};
}

Term Term::where(const Term& x, const Term& y) const {
  return {*op_, op_->make("where", {{"condition", value_}, {"x", x.value_}, {"y", y.value_}})};
}

Term Term::activated(const std::string& name) const {
  if (name.empty() || name == "identity" || name == "none") return *this;
  static constexpr std::string_view kKnown[] = {"relu",      "sigmoid",    "tanh",      "gelu",
                                                "silu",      "swish",      "relu6",     "mish",
                                                "hardswish", "hard_swish", "leaky_relu"};
  if (std::find(std::begin(kKnown), std::end(kKnown), name) == std::end(kKnown)) {
    op_->unsupported(str("its activation is ", name));
  }
  return make(name == "hard_swish" ? "hardswish" : name);
}

Term Term::normalised(Value* scale, Value* bias, double epsilon, int64_t first_axis) const {
  std::vector<NamedGiven> args{{"epsilon", epsilon}, {"begin_norm_axis", first_axis}};
  if (scale) args.emplace_back("scale", scale);
  if (bias) args.emplace_back("bias", bias);
  return make_all("layer_norm", args);
}

}  // namespace paddle::pir
