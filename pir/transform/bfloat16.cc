// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Convolutions and products with a weight compute in bfloat16: their input, weight and residual are
// rounded, sums and epilogues stay in float32. Roundings then move up to where values are made, so
// that what runs between two of these operators reads and writes bfloat16; norms, softmax and
// attention stay in float32, as do the inputs and outputs of the program. Roundings of weights are
// left to constant folding.
#include <algorithm>

#include "pir/transform/emit.h"
#include "pir/transform/transform.h"

namespace paddle::pir {
namespace {

constexpr const char* kCast = "pd_op.cast";
constexpr const char* kOutDtype = "out_dtype";
enum Operand : uint8_t { kInput, kWeight, kBias, kResidual };

bool is_tensor_of(const Value* v, DType dtype) {
  return v && v->type().is_tensor() && v->type().dtype() == dtype;
}

Type narrow_type(const Type& type) { return Type::tensor(DType::kBFloat16, type.shape()); }

Value* narrowed(PatternRewriter& r, Value* v) {
  if (!is_tensor_of(v, DType::kFloat32)) return v;
  Value* narrow = emit(r, kCast, {v}, {{"dtype", DType::kBFloat16}}, narrow_type(v->type()));
  if (v->producer()) r.changed(v->producer());
  return narrow;
}

// The operations that round `v`, when nothing else uses it.
std::vector<Operation*> only_roundings(const Value* v) {
  std::vector<Operation*> roundings;
  for (const Use& use : v->uses()) {
    if (!use.op->is(kCast) || !is_tensor_of(use.op->result(), DType::kBFloat16)) return {};
    roundings.push_back(use.op);
  }
  return roundings;
}

// `by` takes the place of the roundings, and its producer that of `op`, which nothing else uses and
// which goes now, for it may define symbols that its successor defines as well.
void replace_rounded(PatternRewriter& r, Operation* op, const std::vector<Operation*>& roundings,
                     Value* by) {
  for (Operation* cast : roundings) r.replace(cast, {by});
  r.erase(op);
}

// An operator on float32 becomes one on bfloat16 with a result in float32.
struct RoundOperands final : RewritePattern {
  explicit RoundOperands(const char* root) : RewritePattern("round_operands", root) {}
  bool match_and_rewrite(Operation* op, PatternRewriter& r) const override {
    if (!is_tensor_of(op->operand(kInput), DType::kFloat32)) return false;
    std::vector<Value*> operands = op->operands();
    for (const size_t i : {kInput, kWeight, kResidual}) operands[i] = narrowed(r, operands[i]);
    std::vector<NamedAttribute> attributes = op->attributes();
    std::erase_if(attributes, [](const NamedAttribute& a) { return a.first == kOutDtype; });
    attributes.emplace_back(kOutDtype, DType::kFloat32);
    r.replace(op,
              {emit(r, op->name().c_str(), operands, std::move(attributes), op->result()->type())});
    return true;
  }
};

// Its result is stored as what it is used as.
struct StoreRounded final : RewritePattern {
  explicit StoreRounded(const char* root) : RewritePattern("store_rounded", root) {}
  bool match_and_rewrite(Operation* op, PatternRewriter& r) const override {
    if (!is_tensor_of(op->operand(kInput), DType::kBFloat16) ||
        !is_tensor_of(op->result(), DType::kFloat32)) {
      return false;
    }
    const std::vector<Operation*> roundings = only_roundings(op->result());
    if (roundings.empty()) return false;
    std::vector<NamedAttribute> attributes = op->attributes();
    std::erase_if(attributes, [](const NamedAttribute& a) { return a.first == kOutDtype; });
    Value* out = emit(r, op->name().c_str(), op->operands(), std::move(attributes),
                      narrow_type(op->result()->type()));
    replace_rounded(r, op, roundings, out);
    return true;
  }
};

// round(f(x)) = f(round(x)) where f moves values; where it computes, in float32 inside, rounding
// its operands is what storing them in bfloat16 means. Either all tensors are rounded or the first
// alone, which others describe. Constants are not: their error would be the same everywhere.
struct RoundBefore final : RewritePattern {
  enum class Which : uint8_t { kFirst, kAll };
  RoundBefore(const char* root, Which which)
      : RewritePattern("round_before", root), which_(which) {}
  bool match_and_rewrite(Operation* op, PatternRewriter& r) const override {
    if (!is_tensor_of(op->result(), DType::kFloat32)) return false;
    for (size_t k = 1; k < op->num_results(); ++k) {
      if (op->result(k)->used()) return false;
    }
    const std::vector<Operation*> roundings = only_roundings(op->result());
    const size_t count = which_ == Which::kFirst ? 1 : op->num_operands();
    if (roundings.empty() || !has_float32(*op, count) || !may_share(*op, roundings)) return false;
    std::vector<Value*> operands = op->operands();
    for (size_t i = 0; i < count; ++i) operands[i] = rounded(r, operands[i]);
    std::vector<Type> types;
    for (size_t k = 0; k < op->num_results(); ++k) types.push_back(op->result(k)->type());
    types[0] = narrow_type(types[0]);
    Operation* made = r.create(op->name(), operands, std::move(types), op->attributes());
    made->def = op->def;
    replace_rounded(r, op, roundings, made->result());
    return true;
  }

 private:
  // A view moves the place where its operand is read and gives away its memory.
  static bool may_share(const Operation& op, const std::vector<Operation*>& roundings) {
    if (!op.def->is_view()) return true;
    return !is_written(memory_base(op.operand(0))) &&
           std::none_of(roundings.begin(), roundings.end(),
                        [](const Operation* cast) { return escapes(cast->result()); });
  }
  static bool is_list(const Value* v) {
    return v->producer() && v->producer()->is("builtin.combine");
  }
  // The first `count` operands are tensors, or lists of tensors, in float32.
  static bool has_float32(const Operation& op, size_t count) {
    for (size_t i = 0; i < count; ++i) {
      const Value* v = op.operand(i);
      if (!v || is_weight(v)) return false;
      const auto& parts = is_list(v) ? v->producer()->operands() : std::vector<Value*>{};
      const bool fits = parts.empty() ? is_tensor_of(v, DType::kFloat32)
                                      : std::all_of(parts.begin(), parts.end(), [](const Value* p) {
                                          return is_tensor_of(p, DType::kFloat32);
                                        });
      if (!fits) return false;
    }
    return true;
  }
  static Value* rounded(PatternRewriter& r, Value* v) {
    if (!is_list(v)) return narrowed(r, v);
    std::vector<Value*> parts;
    std::vector<Type> types;
    for (Value* part : v->producer()->operands()) {
      parts.push_back(narrowed(r, part));
      types.push_back(parts.back()->type());
    }
    return r.create("builtin.combine", parts, {Type::vector(std::move(types))})->result();
  }

  Which which_;
};

struct DropWidening final : RewritePattern {
  DropWidening() : RewritePattern("drop_widening", kCast) {}
  bool match_and_rewrite(Operation* op, PatternRewriter& r) const override {
    const Operation* wide = op->operand(0)->producer();
    if (!wide || !wide->is(kCast) || !is_tensor_of(op->result(), DType::kBFloat16) ||
        !is_tensor_of(op->operand(0), DType::kFloat32) ||
        !is_tensor_of(wide->operand(0), DType::kBFloat16) ||
        !may_replace(op->result(), wide->operand(0))) {
      return false;
    }
    r.replace(op, {wide->operand(0)});
    return true;
  }
};

constexpr const char* kConv = "pd_op.conv2d_epilogue";
constexpr const char* kMatmul = "pd_op.matmul_epilogue";

}  // namespace

void add_bfloat16_conv_patterns(PatternSet& set) { set.add<RoundOperands>(kConv); }
void add_bfloat16_matmul_patterns(PatternSet& set) { set.add<RoundOperands>(kMatmul); }

void add_bfloat16_patterns(PatternSet& set) {
  for (const char* root : {kConv, kMatmul}) set.add<StoreRounded>(root);
  using Which = RoundBefore::Which;
  for (const char* root : {"pd_op.reshape",
                           "pd_op.transpose",
                           "pd_op.squeeze",
                           "pd_op.unsqueeze",
                           "pd_op.flatten",
                           "pd_op.slice",
                           "pd_op.concat",
                           "pd_op.stack",
                           "pd_op.pixel_shuffle",
                           "pd_op.nearest_interp",
                           "pd_op.bilinear_interp",
                           "pd_op.pool2d",
                           "pd_op.pad",
                           "pd_op.pad3d",
                           "pd_op.relu",
                           "pd_op.scale",
                           "pd_op.hardswish",
                           "pd_op.hardsigmoid",
                           "pd_op.sigmoid",
                           "pd_op.swish",
                           "pd_op.silu",
                           "pd_op.gelu",
                           "pd_op.leaky_relu",
                           "pd_op.clip"}) {
    set.add<RoundBefore>(root, Which::kFirst);
  }
  for (const char* root : {"pd_op.add", "pd_op.subtract", "pd_op.multiply"}) {
    set.add<RoundBefore>(root, Which::kAll);
  }
  set.add<DropWidening>();
}

}  // namespace paddle::pir
