// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Taking a group apart.
#include "cinn/group/form.h"

#include <algorithm>
#include <map>

#include "cinn/scalar/scalar_math.h"
#include "pir/dialect/operation_record.h"
#include "pir/ir/clone.h"
#include "pir/transform/decompose.h"
#include "pir/transform/transform.h"

namespace paddle::cinn {
namespace {

// The region of a group as a program whose parameters are its inputs.
class RegionCopy : public pir::Cloner {
 public:
  RegionCopy(const pir::Operation& group, pir::Program& target) {
    pir::Builder builder(target.block());
    const pir::Block& block = *group.regions().at(0)->blocks().at(0);
    for (size_t i = 0; i < block.num_arguments(); ++i) {
      pir::Value* argument = block.argument(i);
      inputs.push_back(builder
                           .create("builtin.parameter", {}, {argument->type()},
                                   {{"index", static_cast<int64_t>(i)}})
                           ->result());
      values_[argument] = inputs.back();
    }
    for (const auto& op : block.operations()) {
      if (!op->has(pir::kTerminator)) builder.insert(clone(*op));
    }
    for (const pir::Value* v : pir::terminator_of(group, *group.regions()[0]).operands()) {
      results.push_back(of(v));
    }
  }
  std::vector<pir::Value*> inputs, results;
};

}  // namespace

std::shared_ptr<const GroupForm> GroupForm::of(const pir::Operation& group) {
  auto form = std::make_shared<GroupForm>();
  RegionCopy copy(group, form->program_);
  pir::Block& block = form->program_.block();
  // Its operands follow the results through the rewrites.
  pir::Operation* keeper = pir::Builder(block).create(std::string(pir::kResults), copy.results, {});
  const SymbolScope scope;
  form->program_.keep_symbols(scope.owner());
  const pir::Decomposed done = pir::decompose(block, [](const pir::Operation& op) {
    return pir::is_composed(op) && !has_scalar_form(*op.def);
  });
  PADDLE_CHECK_KIND(ErrorKind::kNotImplemented, done.left.empty(),
                    "cinn: ", done.left.front().first->name(), ": ", done.left.front().second);
  form->facts_ = done.facts;
  pir::fold_constants(block);
  pir::eliminate_common_subexpressions(block);
  pir::eliminate_dead_code(block);
  const std::vector<pir::Value*> results = keeper->operands();
  block.erase(keeper);
  form->graph_ = build_graph(block, copy.inputs, results);
  form->signature_ = describe(form->graph_);
  for (size_t i = 0; i < form->graph_.nodes.size(); ++i) {
    const Node& node = form->graph_.nodes[i];
    if (node.kind != NodeKind::kReduce) continue;
    RowShape shape;
    shape.inner = form->graph_.reduced(static_cast<int>(i));
    for (const int axis : form->graph_.flat(node.operands[0])) {
      const auto& inner = shape.inner;
      if (std::find(inner.begin(), inner.end(), axis) == inner.end()) shape.outer.push_back(axis);
    }
    form->row_shapes_.push_back(std::move(shape));
  }
  return form;
}

}  // namespace paddle::cinn
