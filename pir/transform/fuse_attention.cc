// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// softmax(q k^T * scale + mask) v as one operator, however models spell the parts: the scale on q,
// on k or on the scores, by scale, multiply or divide; the mask on either side of its addition.
#include <cmath>

#include "pir/transform/emit.h"
#include "pir/transform/transform.h"

namespace paddle::pir {
namespace {

// The number by which `v` was multiplied last, taken off: v = before * factor.
bool take_factor(Value*& v, double& factor) {
  if (const Operation* op = only_producer(v, "pd_op.scale")) {
    const auto number = number_of(op->operand(1));
    if (!number || op->attribute("bias").to_scalar().to_double() != 0) return false;
    factor *= *number;
    v = op->operand(0);
    return true;
  }
  for (const bool divide : {false, true}) {
    const Operation* op =
        divide ? only_producer(v, "pd_op.divide") : only_producer(v, "pd_op.multiply");
    if (!op) continue;
    for (const size_t i : {1, 0}) {
      const auto number = number_of(op->operand(i));
      if (!number || (divide && i == 0) || *number == 0) continue;
      factor *= divide ? 1 / *number : *number;
      v = op->operand(1 - i);
      return true;
    }
  }
  return false;
}

// A product of matrices with or without the second one transposed.
Operation* only_product(const Value* v, bool transpose_y) {
  Operation* op = only_producer(v, "pd_op.matmul");
  const auto flag = [&](const char* name) { return op->attribute(name).get<bool>(); };
  return op && !flag("transpose_x") && flag("transpose_y") == transpose_y ? op : nullptr;
}

struct Attention {
  Value *q = nullptr, *k = nullptr, *v = nullptr, *mask = nullptr;
  double factor = 1;

  // The scores before the softmax.
  bool match_scores(Value* scores) {
    while (take_factor(scores, factor)) {
    }
    if (const Operation* sum = only_producer(scores, "pd_op.add"); sum && factor == 1) {
      for (const size_t i : {0, 1}) {
        Value* inner = sum->operand(i);
        double of_inner = 1;
        while (take_factor(inner, of_inner)) {
        }
        if (!only_product(inner, true)) continue;
        mask = sum->operand(1 - i);
        factor = of_inner;
        scores = inner;
        break;
      }
    }
    const Operation* product = only_product(scores, true);
    if (!product) return false;
    q = product->operand(0);
    k = product->operand(1);
    while (take_factor(q, factor) || take_factor(k, factor)) {
    }
    return true;
  }

  bool is_supported() const {
    for (const Value* t : {q, k, v}) {
      if (!t->type().is_tensor() || t->type().dtype() != DType::kFloat32 ||
          t->type().shape().size() != 4) {
        return false;
      }
    }
    const Shape &a = q->type().shape(), &b = k->type().shape(), &c = v->type().shape();
    const bool agree = a[0] == b[0] && b[0] == c[0] && a[1] == b[1] && b[1] == c[1] &&
                       b[2] == c[2] && a[3] == b[3] && b[3] == c[3];
    const bool known = !a[3].is_symbolic() && a[3].value() > 0 && a[1].is_symbolic() == false;
    return agree && known && (!mask || mask->type().dtype() == DType::kFloat32) &&
           (!mask || mask_fits(mask->type().shape(), Shape{a[0], a[1], a[2], b[2]}));
  }

 private:
  static bool mask_fits(const Shape& mask, const Shape& scores) {
    if (mask.size() > 4) return false;
    for (size_t i = 0; i < mask.size(); ++i) {
      const Dim d = mask[mask.size() - 1 - i];
      if (!(d == Dim(1)) && !(d == scores[3 - i])) return false;
    }
    return true;
  }
};

struct FuseAttention final : RewritePattern {
  FuseAttention() : RewritePattern("fuse_attention", "pd_op.matmul") {}
  bool match_and_rewrite(Operation* op, PatternRewriter& r) const override {
    for (const char* flag : {"transpose_x", "transpose_y"}) {
      if (op->attribute(flag).get<bool>()) return false;
    }
    const Operation* softmax = only_producer(op->operand(0), "pd_op.softmax");
    if (!softmax) return false;
    const int64_t axis = softmax->attribute("axis").to_int();
    Attention a;
    a.v = op->operand(1);
    if ((axis != -1 && axis != 3) || !a.match_scores(softmax->operand(0)) || !a.is_supported()) {
      return false;
    }
    const int64_t depth = a.q->type().shape()[3].value();
    const double rest = a.factor * std::sqrt(static_cast<double>(depth));
    Value* q = a.q;
    if (std::abs(rest - 1) > 1e-6) {
      q = emit(r, "pd_op.scale", {q, emit_full(r, rest, DType::kFloat32)}, {}, q->type());
    }
    const auto turned = [&](Value* v) {
      return emit(r, "pd_op.transpose", {v}, {{"perm", AttributeArray{0, 2, 1, 3}}});
    };
    Value* out = emit(r, "pd_op.flash_attn", {turned(q), turned(a.k), turned(a.v), nullptr, a.mask},
                      {{"is_test", true}});
    r.replace(op, {emit(r, "pd_op.transpose", {out}, {{"perm", AttributeArray{0, 2, 1, 3}}},
                        op->result()->type())});
    return true;
  }
};

}  // namespace

void add_attention_patterns(PatternSet& set) { set.add<FuseAttention>(); }

}  // namespace paddle::pir
