// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Operators that do something only in training: dropout with is_test is the identity, or a factor.
#include "pir/transform/emit.h"
#include "pir/transform/transform.h"

namespace paddle::pir {
namespace {

struct DropDropout final : RewritePattern {
  DropDropout() : RewritePattern("drop_dropout", "pd_op.dropout") {}
  bool match_and_rewrite(Operation* op, PatternRewriter& r) const override {
    if (!op->attribute("is_test").get<bool>() || op->result(1)->used()) return false;
    Value* x = op->operand(0);
    if (op->attribute("mode").get<std::string>() != "upscale_in_train") {
      const auto rate = number_of(op->operand(2));
      if (!rate || !is_floating(x->type().dtype())) return false;
      Value* factor = emit_full(r, 1 - *rate, x->type().dtype());
      r.replace(op, {emit(r, "pd_op.scale", {x, factor}, {}, x->type()), nullptr});
      return true;
    }
    if (!may_replace(op->result(0), x)) return false;
    r.replace(op, {x, nullptr});
    return true;
  }
};

}  // namespace

void set_to_inference(Operation& op) {
  for (const auto& region : op.regions()) {
    for (const auto& block : region->blocks()) set_to_inference(*block);
  }
  if (op.find_attribute("is_test")) op.set_attribute("is_test", true);
  if (op.find_attribute("training")) op.set_attribute("training", false);
}

void set_to_inference(Block& block) {
  for (const auto& op : block.operations()) set_to_inference(*op);
}

void add_inference_patterns(PatternSet& set) { set.add<DropDropout>(); }

}  // namespace paddle::pir
