// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// A level of a pyramid of features: a map plus a coarser one, whose finer form is never stored.
#include "pir/transform/emit.h"
#include "pir/transform/transform.h"

namespace paddle::pir {
namespace {

bool is_float_map(const Value* v) {
  return v->type().is_tensor() && v->type().dtype() == DType::kFloat32 &&
         v->type().shape().size() == 4;
}

// Whether `v` is used here alone and is a map made finer by two factors, without aligned corners.
bool is_finer_map(const Value* v) {
  const Operation* op = v->producer();
  if (!op || !op->is("pd_op.nearest_interp") || v->uses().size() != 1) return false;
  return !op->operand(1) && !op->operand(2) && !op->operand(3) && is_float_map(op->operand(0)) &&
         op->attribute("scale").get<AttributeArray>().size() == 2 &&
         !op->attribute("align_corners").get<bool>() && !gives_extents(*op);
}

struct AddNearest final : RewritePattern {
  AddNearest() : RewritePattern("add_nearest", "pd_op.add") {}
  bool match_and_rewrite(Operation* op, PatternRewriter& r) const override {
    for (const size_t finer : {1, 0}) {
      Value* x = op->operand(1 - finer);
      if (!is_finer_map(op->operand(finer)) || !is_float_map(x)) continue;
      Operation* interp = op->operand(finer)->producer();
      r.replace(op, {emit(r, "pd_op.add_nearest", {x, interp->operand(0)},
                          {{"scale", interp->attribute("scale")},
                           {"data_format", interp->attribute("data_format")}},
                          op->result()->type())});
      r.erase(interp);
      return true;
    }
    return false;
  }
};

}  // namespace

void add_pyramid_patterns(PatternSet& set) { set.add<AddNearest>(); }

}  // namespace paddle::pir
