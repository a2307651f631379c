// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Executors of what is no operator: lists, extents, history, functions of the host, gradients.
#include "paddle_core/autograd/autograd.h"
#include "paddle_core/dispatch/core_ops.h"
#include "paddle_core/dispatch/state.h"
#include "pir/interpreter/interpreter.h"

namespace paddle::pir {
namespace {

// Behind a leaf stands a node that passes its gradient on.
void give_history(const Tensor& t, const Tensor& from) {
  if (from->stop_gradient) return;
  const bool leaf = autograd::is_leaf(from);
  autograd::adopt_history(t, leaf ? core_ops().expand(from, from.shape()) : from);
}

// Within it calls may be cast as the thread's automatic mixed precision says.
class CastsAllowed {
 public:
  CastsAllowed() : before_(thread_modes.allowed) { thread_modes.allowed |= kModeAmp; }
  ~CastsAllowed() { thread_modes.allowed = before_; }
  CastsAllowed(const CastsAllowed&) = delete;
  CastsAllowed& operator=(const CastsAllowed&) = delete;

 private:
  uint32_t before_;
};

}  // namespace

void Interpreter::run_combine(const Instruction& in, Run& run) const {
  TensorList list;
  list.reserve(in.inputs.size());
  for (const Instruction::Input& i : in.inputs) {
    list.push_back(i.reg < 0 ? Tensor() : run.tensor(i.reg));
    PADDLE_CHECK_VALUE(i.reg < 0 || list.back().defined(), in.op->name(), ": element ", i.arg,
                       " has no value; its operator leaves that result out.");
  }
  run.registers[static_cast<size_t>(in.results[0])].list = std::move(list);
}

void Interpreter::run_split(const Instruction& in, Run& run) const {
  PADDLE_CHECK_RUNTIME(!in.inputs.empty() && in.inputs[0].reg >= 0,
                       "builtin.split: the program gives no list.");
  const TensorList& list = run.registers[static_cast<size_t>(in.inputs[0].reg)].list;
  PADDLE_CHECK_RUNTIME(list.size() == in.results.size(), "builtin.split: the list holds ",
                       list.size(), " tensors; the program expects ", in.results.size(), ".");
  for (size_t i = 0; i < list.size(); ++i) {
    run.tensor(in.results[i]) = list[i];
    if (list[i].defined()) bind_symbols(in.op->result(i)->type(), list[i], run.symbols);
  }
}

void Interpreter::run_dims(const Instruction& in, Run& run) const {
  const Shape dims = evaluated(in.op->attribute("value").to_dims(), run.symbols);
  Tensor t = Tensor::empty({Dim(static_cast<int64_t>(dims.size()))}, DType::kInt64);
  for (size_t i = 0; i < dims.size(); ++i) t.data<int64_t>()[i] = dims[i].value();
  run.tensor(in.results[0]) = std::move(t);
}

void Interpreter::run_detach(const Instruction& in, Run& run) const {
  run.tensor(in.results[0]) = run.tensor(in.inputs[0].reg).detach();
}

void Interpreter::run_with_history(const Instruction& in, Run& run) const {
  Tensor made = run.tensor(in.inputs[0].reg).detach();
  if (run.recorded) give_history(made, run.tensor(in.inputs[1].reg));
  run.tensor(in.results[0]) = std::move(made);
}

void Interpreter::run_extent(const Instruction& in, Run& run) const {
  const uint32_t symbol = in.op->attribute("symbol").to_dims()[0].symbol_id();
  run.symbols[symbol] = run.tensor(in.inputs[0].reg).item().to_int();
}

void Interpreter::run_host_call(const Instruction& in, Run& run) const {
  const bool taped = run.recorded && !in.results.empty();
  TensorList values;
  for (const Instruction::Input& i : in.inputs) {
    const Tensor& t = run.tensor(i.reg);
    values.push_back(taped ? t : t.detach());
  }
  const CastsAllowed casts;  // of the function's own
  TensorList results = (*in.host)(values);
  if (in.results.empty()) return;
  PADDLE_CHECK_RUNTIME(results.size() == in.results.size(), in.op->name(), in.op->location,
                       ": the function gave ", results.size(), " tensors; it gave ",
                       in.results.size(), " when the program was captured.");
  for (size_t i = 0; i < results.size(); ++i) {
    bind_symbols(in.op->result(i)->type(), results[i], run.symbols);
    run.tensor(in.results[i]) = std::move(results[i]);
  }
}

void Interpreter::run_hook(const Instruction& in, Run& run) const {
  const Tensor& t = run.tensor(in.inputs[0].reg);
  if (!run.recorded || t->stop_gradient) return;
  autograd::add_hook(t, [function = in.host](const Tensor& gradient) {
    const TensorList changed = (*function)({gradient});
    return changed.empty() ? Tensor() : changed[0];
  });
}

void Interpreter::run_gradient(const Instruction& in, Run& run) const {
  const auto targets = static_cast<size_t>(in.op->attribute("targets").get<int64_t>());
  TensorList roots, wanted, seeds;
  for (size_t i = 0; i < in.inputs.size(); ++i) {
    const int r = in.inputs[i].reg;
    const Tensor t = r < 0 ? Tensor() : run.tensor(r);
    (i < targets ? roots : i < targets + in.results.size() ? wanted : seeds).push_back(t);
  }
  const bool later = &in + 1 < instructions_.data() + num_recorded_;  // another may follow
  const bool recorded = run.whole ? in.op->attribute("create_graph").get<bool>() : later;
  TensorList grads = autograd::grad(roots, wanted, seeds, run.whole || later, recorded, true, {});
  for (size_t i = 0; i < grads.size(); ++i) {
    run.tensor(in.results[i]) =
        grads[i].defined()
            ? grads[i]
            : Tensor::full(wanted[i].shape(), Scalar(0.0), wanted[i].dtype(), wanted[i].place());
  }
}

}  // namespace paddle::pir
