// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Old operators on elements and matrices whose broadcasting or reduction differs from today's.
#include <algorithm>

#include "pir/legacy/translate.h"

namespace paddle::pir {
namespace {

constexpr std::pair<const char*, const char*> kBinary[] = {{"elementwise_add", "add"},
                                                           {"elementwise_sub", "subtract"},
                                                           {"elementwise_mul", "multiply"},
                                                           {"elementwise_div", "divide"},
                                                           {"elementwise_max", "maximum"},
                                                           {"elementwise_min", "minimum"},
                                                           {"elementwise_pow", "elementwise_pow"},
                                                           {"elementwise_mod", "remainder"},
                                                           {"elementwise_floordiv", "floor_divide"},
                                                           {"elementwise_fmax", "fmax"},
                                                           {"elementwise_fmin", "fmin"},
                                                           {"equal", "equal"},
                                                           {"not_equal", "not_equal"},
                                                           {"less_than", "less_than"},
                                                           {"less_equal", "less_equal"},
                                                           {"greater_than", "greater_than"},
                                                           {"greater_equal", "greater_equal"},
                                                           {"logical_and", "logical_and"},
                                                           {"logical_or", "logical_or"},
                                                           {"logical_xor", "logical_xor"}};

// The axes of `small` stand at `axis` of a tensor of rank `rank`: axes of extent 1 fill the rest.
Value* aligned(OpTranslation& op, Value* small, size_t rank, int64_t axis) {
  const auto have = static_cast<int64_t>(OpTranslation::rank(small)),
             all = static_cast<int64_t>(rank);
  const int64_t behind = all - axis - have;
  if (axis < 0 || have >= all || behind <= 0) return small;
  std::vector<int64_t> axes;
  for (int64_t i = 0; i < behind; ++i) axes.push_back(have + i);
  return op.make("unsqueeze", {{"x", small}, {"axis", axes}});
}

// Integers divide to integers, rounded towards zero.
Value* quotient(OpTranslation& op, Value* x, Value* y) {
  const DType dtype = x->type().dtype();
  if (!is_integer(dtype) || !is_integer(y->type().dtype())) {
    return op.make("divide", {{"x", x}, {"y", y}});
  }
  Value* exact =
      op.make("divide", {{"x", op.cast(x, DType::kFloat64)}, {"y", op.cast(y, DType::kFloat64)}});
  return op.cast(op.make("trunc", {{"x", exact}}), dtype);
}

void binary(OpTranslation& op) {
  Value *x = op.in("X"), *y = op.in("Y");
  const int64_t axis = op.integer("axis", -1);
  const size_t rank = std::max(OpTranslation::rank(x), OpTranslation::rank(y));
  if (OpTranslation::rank(x) < rank) {
    x = aligned(op, x, rank, axis);
  } else {
    y = aligned(op, y, rank, axis);
  }
  if (op.type() == "elementwise_div") return op.set("Out", quotient(op, x, y));
  const auto* found = std::find_if(std::begin(kBinary), std::end(kBinary),
                                   [&](const auto& p) { return op.type() == p.first; });
  op.set("Out", op.make(found->second, {{"x", x}, {"y", y}}));
}

void reduce(OpTranslation& op) {
  Value* x = op.in("X");
  const bool exponents = op.type() == "logsumexp";
  const char *dim = exponents ? "axis" : "dim", *keep = exponents ? "keepdim" : "keep_dim";
  std::vector<int64_t> axes = op.integers(dim);
  if (!op.has(dim)) axes = {0};
  if (op.flag("reduce_all", false) || axes.size() >= OpTranslation::rank(x)) axes.clear();
  std::vector<NamedGiven> args{{"x", x}, {"axis", axes}, {"keepdim", op.flag(keep, false)}};
  const std::string name = exponents ? op.type() : op.type().substr(std::string("reduce_").size());
  if (name == "sum") {
    const DType dtype = op.dtype("out_dtype", DType::kUndefined);
    if (dtype != DType::kUndefined) args.emplace_back("dtype", dtype);
  }
  op.set("Out", op.make_all(name, args));
}

Value* flattened_to_matrix(OpTranslation& op, Value* x, int64_t columns_from) {
  const auto rank = static_cast<int64_t>(OpTranslation::rank(x));
  if (columns_from < 1 || columns_from >= rank) {
    op.fail(str("a tensor of rank ", rank, " cannot be cut at axis ", columns_from));
  }
  if (rank == 2) return x;
  Value* left =
      op.make("flatten", {{"x", x}, {"start_axis", int64_t{0}}, {"stop_axis", columns_from - 1}});
  return op.make("flatten",
                 {{"x", left}, {"start_axis", int64_t{1}}, {"stop_axis", rank - columns_from}});
}

// Extents [begin, end) of `x` as tensors of one element.
void append_extents(OpTranslation& op, Value* x, int64_t begin, int64_t end,
                    std::vector<Value*>& out) {
  Value* all = op.make("shape64", {{"input", x}});
  for (int64_t i = begin; i < end; ++i) {
    out.push_back(op.make("slice", {{"input", all},
                                    {"axes", std::vector<int64_t>{0}},
                                    {"starts", std::vector<int64_t>{i}},
                                    {"ends", std::vector<int64_t>{i + 1}}}));
  }
}

Value* matrix_product(OpTranslation& op, Value* x, Value* y, int64_t x_cut, int64_t y_cut) {
  Value* product = op.make("matmul", {{"x", flattened_to_matrix(op, x, x_cut)},
                                      {"y", flattened_to_matrix(op, y, y_cut)}});
  if (OpTranslation::rank(x) == 2 && OpTranslation::rank(y) == 2) return product;
  std::vector<Value*> shape;
  append_extents(op, x, 0, x_cut, shape);
  append_extents(op, y, y_cut, static_cast<int64_t>(OpTranslation::rank(y)), shape);
  return op.make("reshape", {{"x", product}, {"shape", shape}});
}

void mul(OpTranslation& op) {
  op.set("Out", matrix_product(op, op.in("X"), op.in("Y"), op.integer("x_num_col_dims", 1),
                               op.integer("y_num_col_dims", 1)));
}

void fc(OpTranslation& op) {
  Value* out = matrix_product(op, op.in("Input"), op.in("W"), op.integer("in_num_col_dims", 1), 1);
  if (Value* bias = op.in_or_null("Bias")) out = op.make("add", {{"x", out}, {"y", bias}});
  const std::string activation = op.text("activation_type", "");
  if (activation == "relu") {
    out = op.make("relu", {{"x", out}});
  } else if (!activation.empty()) {
    op.unsupported(str("activation ", activation));
  }
  op.set("Out", out);
}

// x / sqrt(sum of squares along axis + epsilon)
void l2_norm(OpTranslation& op) {
  Value* x = op.in("X");
  Value* squares = op.make("sum", {{"x", op.make("square", {{"x", x}})},
                                   {"axis", std::vector<int64_t>{op.integer("axis", -1)}},
                                   {"keepdim", true}});
  Value* norm = op.make(
      "sqrt", {{"x", op.make("scale", {{"x", squares}, {"bias", op.number("epsilon", 1e-10)}})}});
  op.set("Norm", norm);
  op.set("Out", op.make("divide", {{"x", x}, {"y", norm}}));
}

// sqrt of the sum of squares
void frobenius_norm(OpTranslation& op) {
  Value* x = op.in("X");
  std::vector<int64_t> axes = op.integers("dim");
  if (op.flag("reduce_all", false)) axes.clear();
  Value* squares = op.make("sum", {{"x", op.make("square", {{"x", x}})},
                                   {"axis", axes},
                                   {"keepdim", op.flag("keep_dim", false)}});
  op.set("Out", op.make("sqrt", {{"x", squares}}));
}

}  // namespace

void add_arithmetic_translations(TranslationTable& table) {
  for (const auto& [old_name, name] : kBinary) table.add(old_name, binary);
  for (const char* name : {"reduce_sum", "reduce_mean", "reduce_max", "reduce_min", "reduce_prod",
                           "reduce_all", "reduce_any", "logsumexp"}) {
    table.add(name, reduce);
  }
  table.add("mul", mul);
  table.add("fc", fc);
  table.add("norm", l2_norm);
  table.add("frobenius_norm", frobenius_norm);
}

}  // namespace paddle::pir
