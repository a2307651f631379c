// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Operators of the oneDNN dialect by their other names.
#include "pir/serialize/after_reading/onednn.h"

#include "pir/dialect/dialect.h"

namespace paddle::pir {
namespace {

constexpr std::string_view kDialect = "onednn_op.";

void activate(Operation& op, Builder& b) {
  const Attribute* fused = op.find_attribute("fuse_with_relu");
  if (!fused || !fused->is(Attribute::Kind::kBool) || !fused->get<bool>()) return;
  Value* x = op.result(0);
  Operation* relu = b.create("pd_op.relu", {x}, {x->type()});
  relu->def = find_def("pd_op.relu");
  x->replace_all_uses_with(relu->result());
  relu->set_operand(0, x);
}

void adopt(Operation* op) {
  Builder b(*op->block());
  b.set_before(op);
  std::vector<Type> types;
  for (size_t k = 0; k < op->num_results(); ++k) types.push_back(op->result(k)->type());
  const std::string name = str("pd_op.", op->name().substr(kDialect.size()));
  Operation* made = b.create(name, op->operands(), types, op->attributes());
  made->def = find_def(name);
  if (!made->def && name.ends_with('_')) made->def = find_def(name.substr(0, name.size() - 1));
  for (size_t k = 0; k < types.size(); ++k) op->result(k)->replace_all_uses_with(made->result(k));
  activate(*made, b);
  op->block()->erase(op);
}

void adopt(Block& block) {
  auto& ops = block.operations();
  for (auto at = ops.begin(); at != ops.end();) {
    Operation* op = (at++)->get();
    for (const auto& region : op->regions()) {
      for (const auto& inner : region->blocks()) adopt(*inner);
    }
    if (!op->name().starts_with(kDialect)) continue;
    PADDLE_CHECK_VALUE(op->regions().empty(), "program file: ", op->name(), " has regions.");
    adopt(op);
  }
}

}  // namespace

void adopt_onednn(Program& program) { adopt(program.block()); }

}  // namespace paddle::pir
