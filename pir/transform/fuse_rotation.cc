// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Rotary position embedding that models spell out: x * cos + concat(-b, a) * sin for the halves a
// and b of the last axis of x.
#include "pir/transform/emit.h"
#include "pir/transform/transform.h"

namespace paddle::pir {
namespace {

// The number of a constant operand that says which axis; counted from the front.
std::optional<int64_t> axis_of(const Value* v, size_t rank) {
  const auto number = v ? number_of(v) : std::nullopt;
  if (!number) return std::nullopt;
  const auto axis = static_cast<int64_t>(*number);
  return axis < 0 ? axis + static_cast<int64_t>(rank) : axis;
}

// v = -before.
Value* negated(const Value* v) {
  if (const Operation* op = only_producer(v, "pd_op.neg")) return op->operand(0);
  const Operation* op = only_producer(v, "pd_op.scale");
  if (!op || number_of(op->operand(1)) != -1) return nullptr;
  return op->attribute("bias").to_scalar().to_double() == 0 ? op->operand(0) : nullptr;
}

// The x of which `v` is concat(-b, a); null for everything else.
Value* partner_of(const Value* v) {
  const Operation* joined = only_producer(v, "pd_op.concat");
  if (!joined || !v->type().is_tensor()) return nullptr;
  const size_t rank = v->type().shape().size();
  const auto last = static_cast<int64_t>(rank) - 1;
  const Operation* list = only_producer(joined->operand(0), "builtin.combine");
  if (!list || list->num_operands() != 2 || axis_of(joined->operand(1), rank) != last) {
    return nullptr;
  }
  const Value *b = negated(list->operand(0)), *a = list->operand(1);
  if (!b || !a->producer() || a->producer() != b->producer()) return nullptr;
  const Operation* halves = a->producer();
  if (!halves->is("builtin.split") || halves->num_results() != 2 || halves->result(0) != a) {
    return nullptr;
  }
  const Operation* cut = only_producer(halves->operand(0), "pd_op.split_with_num");
  return cut && axis_of(cut->operand(1), rank) == last ? cut->operand(0) : nullptr;
}

// Tables of a dtype and with extents that rotate_halves takes.
bool are_tables(const Value* x, const Value* cos, const Value* sin) {
  const Type &type = x->type(), &table = cos->type();
  if (!is_floating(type.dtype()) || !table.is_tensor() || !same_known_type(table, sin->type()) ||
      table.dtype() != type.dtype() || table.shape().size() != type.shape().size()) {
    return false;
  }
  for (size_t i = 0; i < table.shape().size(); ++i) {
    const Dim own = table.shape()[i], of_x = type.shape()[i];
    if (own.is_symbolic() || of_x.is_symbolic()) return false;
    if (own != of_x && (own != Dim(1) || i + 1 == table.shape().size())) return false;
  }
  return true;
}

struct FuseRotation final : RewritePattern {
  FuseRotation() : RewritePattern("fuse_rotation", "pd_op.add") {}
  bool match_and_rewrite(Operation* op, PatternRewriter& r) const override {
    for (const size_t turned : {1, 0}) {
      const Operation *straight = only_producer(op->operand(1 - turned), "pd_op.multiply"),
                      *crossed = only_producer(op->operand(turned), "pd_op.multiply");
      if (!straight || !crossed) return false;
      for (const size_t i : {0, 1}) {
        Value* const x = partner_of(crossed->operand(i));
        if (!x) continue;
        for (const size_t j : {0, 1}) {
          Value *const cos = straight->operand(1 - j), *const sin = crossed->operand(1 - i);
          if (straight->operand(j) != x || !are_tables(x, cos, sin)) continue;
          r.replace(op, {emit(r, "pd_op.rotate_halves", {x, cos, sin}, {}, op->result()->type())});
          return true;
        }
      }
    }
    return false;
  }
};

}  // namespace

void add_rotation_patterns(PatternSet& set) { set.add<FuseRotation>(); }

}  // namespace paddle::pir
