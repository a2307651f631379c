// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Operations of other libraries: through the function of their record, a compiler of regions, or
// their region. A recorded run gives their results a history when the record has a gradient rule.
#include <optional>

#include "paddle_core/autograd/autograd.h"
#include "paddle_core/device/execution_context.h"
#include "paddle_core/dispatch/watch/observers.h"
#include "paddle_core/profile/trace.h"
#include "pir/dialect/control_flow.h"
#include "pir/dialect/operation_record.h"
#include "pir/interpreter/interpreter.h"
#include "pir/interpreter/region_compiler.h"

namespace paddle::pir {
namespace {

// The operation by itself: it may be asked for a gradient when its program is gone.
std::shared_ptr<const Operation> detached(const Operation& op) {
  std::vector<Type> types;
  for (size_t i = 0; i < op.num_results(); ++i) types.push_back(op.result(i)->type());
  auto copy = std::make_shared<Operation>(op.op_name(), std::vector<Value*>(), std::move(types),
                                          op.attributes());
  copy->location = op.location;
  copy->handle = op.handle;
  return copy;
}

TensorList checked(const Operation& op, TensorList results) {
  PADDLE_CHECK_RUNTIME(results.size() == op.num_results(), op.name(), ": its library gave ",
                       results.size(), " tensors; ", op.num_results(), " are expected.");
  for (size_t i = 0; i < results.size(); ++i) {
    const Type& type = op.result(i)->type();
    if (type.is_null() || type.is_vector()) continue;
    const bool fits = results[i].defined() && results[i].dtype() == type.dtype() &&
                      results[i].shape().size() == type.local_shape().size();
    PADDLE_CHECK_RUNTIME(fits, op.name(), ": result ", i, " is ", Type::of(results[i]),
                         "; the program says ", type, ".");
  }
  return results;
}

TensorList execute_recorded(const std::shared_ptr<const Operation>& op, const TensorList& operands);

class OperationNode final : public autograd::Node {
 public:
  std::shared_ptr<const Operation> op;
  TensorList operands, results;  // results without their history, which is this node
  std::vector<uint32_t> versions;

  const char* name() const override { return op->name().c_str(); }

  void keep() {
    for (const TensorList* list : {&operands, &results}) {
      for (const Tensor& t : *list) {
        versions.push_back(t.defined() ? t->storage->inplace_version() : 0);
      }
    }
  }

  void release_saved() override {
    operands.clear();
    results.clear();
  }

  void apply(const TensorList& grads, const std::vector<bool>&, TensorList& out) override {
    PADDLE_CHECK_RUNTIME(!is_freed(), "backward: the graph of ", op->name(),
                         " was freed by an earlier backward; call backward(retain_graph=True) the "
                         "first time.");
    const OperationRecord& record = *op->record();
    PADDLE_CHECK_KIND(ErrorKind::kNotImplemented, record.vjp, op->name(), op->location,
                      ": its record has no gradient rule.");
    size_t i = 0;
    for (const TensorList* list : {&operands, &results}) {
      for (const Tensor& t : *list) {
        PADDLE_CHECK_RUNTIME(!t.defined() || t->storage->inplace_version() == versions[i],
                             "backward: a tensor of shape ", t.shape(), " that ", op->name(),
                             " saved was changed in place afterwards; clone() it before the "
                             "write.");
        ++i;
      }
    }
    // Results that a further derivative goes through need a history of their own.
    const TensorList given = grad_enabled() ? execute_recorded(op, operands) : results;
    out = record.vjp({*op, operands, given, grads});
    PADDLE_CHECK_RUNTIME(out.size() == operands.size(), op->name(), ": its gradient rule gave ",
                         out.size(), " tensors for ", operands.size(), " operands.");
  }
};

TensorList execute_recorded(const std::shared_ptr<const Operation>& op,
                            const TensorList& operands) {
  TensorList results;
  {
    const ModeGuard guard(kModeAutograd);
    results = checked(*op, op->record()->execute({*op, operands}));
  }
  auto node = IntrusivePtr<OperationNode>::adopt(new OperationNode());
  node->op = op;
  node->operands = operands;
  for (const Tensor& t : operands) {
    const bool wanted = t.defined() && !t->stop_gradient;
    node->edges.push_back(wanted ? autograd::edge_of(t) : autograd::Edge());
    if (wanted) {
      node->edge_info.push_back({std::make_unique<Shape>(t.shape()), t.dtype()});
    } else {
      node->edge_info.push_back({});
    }
  }
  for (Tensor& t : results) {
    node->results.push_back(t.defined() ? t.detach() : t);
    t = t.defined() ? t.detach() : t;
  }
  node->num_results = static_cast<uint32_t>(results.size());
  node->keep();
  const autograd::NodePtr base = autograd::NodePtr::adopt(node.release());
  for (size_t k = 0; k < results.size(); ++k) {
    if (!results[k].defined() || !is_differentiable(results[k].dtype())) continue;
    results[k]->stop_gradient = false;
    autograd::set_history(results[k], base, static_cast<uint32_t>(k));
  }
  return results;
}

TensorList execute(const Operation& op, const TensorList& operands, bool recorded) {
  bool wanted = false;
  for (const Tensor& t : operands) {
    PADDLE_CHECK_KIND(ErrorKind::kNotImplemented, !t.defined() || t.has_storage(), op.name(),
                      op.location,
                      ": a program that holds it cannot run while another one is "
                      "captured; its library gives no region to record.");
    wanted = wanted || (t.defined() && !t->stop_gradient);
  }
  if (recorded && wanted && grad_enabled()) return execute_recorded(detached(op), operands);
  return checked(op, op.record()->execute({op, operands}));
}

}  // namespace

void Interpreter::compile_external(const Operation& op) {
  const OperationRecord& record = *op.record();
  if (!record.execute && record.constant) {
    constants_.emplace_back(register_of(op.result()), record.constant(op));
    return;
  }
  PADDLE_CHECK_KIND(ErrorKind::kNotImplemented, record.execute || op.regions().size() == 1,
                    op.name(),
                    ": its record has no function that executes it, and it has no "
                    "single region to run.");
  Instruction in;
  in.op = &op;
  in.kind = InstructionKind::kExternal;
  for (size_t i = 0; i < op.num_operands(); ++i) {
    const Value* v = op.operand(i);
    PADDLE_CHECK_KIND(ErrorKind::kNotImplemented, !v || !v->type().is_vector(), op.name(),
                      ": operand ", i,
                      " is a list of tensors; operations of other libraries take "
                      "single tensors.");
    in.inputs.push_back({static_cast<uint32_t>(i), v ? register_of(v) : -1});
  }
  if (!record.execute) {
    const Region& region = *op.regions()[0];
    const Operation& end = terminator_of(op, region);
    const size_t given = region.blocks()[0]->num_arguments();
    PADDLE_CHECK_VALUE(given == op.num_operands() && end.num_operands() == op.num_results(),
                       op.name(), ": its region takes ", given, " values and yields ",
                       end.num_operands(), "; it has ", op.num_operands(), " operands and ",
                       op.num_results(), " results.");
    in.bodies.push_back(compile_body(*region.blocks()[0]));
    const auto argument = static_cast<uint32_t>(op.num_operands());
    for (const int r : in.bodies.back().outer) in.inputs.push_back({argument, r});
  }
  for (size_t i = 0; i < op.num_results(); ++i) in.results.push_back(register_of(op.result(i)));
  instructions_.push_back(std::move(in));
}

TensorList Interpreter::run_region(const Instruction& in, const TensorList& inputs,
                                   const Run& run) {
  SymbolValues inner = run.symbols;
  try {
    return in.bodies[0].program->run_all(inputs, inner, run.recorded);
  } catch (const Error& e) {
    // A check of results names its operator; the profile and warnings know the region.
    if (!observes_results()) throw;
    throw Error(e.kind(), str(e.message(), " It is one of the group ", region_name(*in.op), "."));
  }
}

void Interpreter::run_external(const Instruction& in, Run& run) const {
  TensorList inputs;
  for (const Instruction::Input& i : in.inputs) {
    inputs.push_back(i.reg < 0 ? Tensor() : run.tensor(i.reg));
  }
  TensorList results;
  if (in.op->record()->execute) {
    results = execute(*in.op, inputs, run.recorded);
  } else {
    const auto compiled = run.recorded ? nullptr : compiled_region(*in.op, inputs);
    const bool timed = compiled && compiled->wants_region();
    DrawLog draws;  // what a compiled region drew that gave up then
    if (compiled && !timed) {
      const DrawLogScope scope(draws, DrawLogScope::Mode::kRecord);
      results = compiled->run(inputs);
    }
    if (compiled && !timed && (!results.empty() || in.results.empty())) {
      results = checked(*in.op, std::move(results));
    } else {
      std::optional<DrawLogScope> again;
      if (!draws.empty()) again.emplace(draws, DrawLogScope::Mode::kReplay);
      const int64_t begin = timed ? profile::now_ns() : 0;
      try {
        results = run_region(in, inputs, run);
      } catch (...) {
        if (again) draws.give_back_rest();
        throw;
      }
      if (timed) compiled->region_ran(profile::now_ns() - begin);
    }
  }
  for (size_t i = 0; i < results.size(); ++i) {
    bind_symbols(in.op->result(i)->type(), results[i], run.symbols);
    run.tensor(in.results[i]) = std::move(results[i]);
  }
}

}  // namespace paddle::pir
