// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Executors of branches and loops.
#include "pir/dialect/control_flow.h"

#include "paddle_core/autograd/interrupt.h"
#include "pir/capture/capture.h"
#include "pir/interpreter/interpreter.h"

namespace paddle::pir {
namespace {

bool holds(const Instruction& in, const Tensor& condition) {
  PADDLE_CHECK_VALUE(condition.defined() && condition.numel() == 1, in.op->name(),
                     ": the condition must have one element.");
  return condition.item().to_bool();
}

const Tensor& operand(const Instruction& in, const Run& run, size_t i) {
  return run.tensor(in.inputs[i].reg);
}

// The capture of another program in progress, of which the condition is a value.
Capture* capture_of(const Tensor& condition) {
  if (!condition.defined() || condition.has_storage()) return nullptr;
  return dynamic_cast<Capture*>(capture_sink());
}

}  // namespace

TensorList Interpreter::run_body(const Instruction::Body& body, const TensorList& arguments,
                                 const Run& run) {
  TensorList inputs = arguments;
  for (const int r : body.outer) inputs.push_back(run.tensor(r));
  SymbolValues symbols = run.symbols;
  return body.program->run_all(inputs, symbols, run.recorded);
}

// Branches or a loop on a value of another program, which is being captured: they become part of
// it.
TensorList Interpreter::record_regions(Capture& capture, const Instruction& in, const Run& run) {
  ControlFlow& recorder = capture.control_flow();
  const size_t depth = recorder.open_scopes();
  try {
    if (in.kind == InstructionKind::kIf) {
      TensorList ends[2];
      recorder.begin_if(operand(in, run, 0));
      for (size_t b = 0; b < 2; ++b) {
        recorder.enter_branch(b);
        ends[b] = run_body(in.bodies[b], {}, run);
        recorder.leave_branch(b);
      }
      return recorder.end_if(ends[0], ends[1]);
    }
    TensorList values;
    for (size_t i = 1; i < in.op->num_operands(); ++i) values.push_back(operand(in, run, i));
    recorder.begin_while(operand(in, run, 0), values);
    for (bool settled = false; !settled;) {
      values = run_body(in.bodies[0], recorder.begin_body(), run);
      PADDLE_CHECK_RUNTIME(!values.empty(), "pd_op.while: the body gave no condition.");
      const Tensor again = values.front();
      values.erase(values.begin());
      settled = recorder.end_body(again, values);
    }
    return recorder.end_while();
  } catch (...) {
    recorder.drop_scopes(depth);
    throw;
  }
}

void Interpreter::keep_region_results(const Instruction& in, TensorList values, Run& run) {
  PADDLE_CHECK_RUNTIME(values.size() == in.results.size(), in.op->name(), ": the region gave ",
                       values.size(), " values; ", in.results.size(), " are expected.");
  for (size_t i = 0; i < values.size(); ++i) {
    bind_symbols(in.op->result(i)->type(), values[i], run.symbols);
    run.tensor(in.results[i]) = std::move(values[i]);
  }
}

void Interpreter::run_if(const Instruction& in, Run& run) const {
  const Tensor condition = operand(in, run, 0);
  if (Capture* capture = capture_of(condition)) {
    return keep_region_results(in, record_regions(*capture, in, run), run);
  }
  const size_t taken = holds(in, condition) ? 0 : 1;
  keep_region_results(in, run_body(in.bodies[taken], {}, run), run);
}

void Interpreter::run_while(const Instruction& in, Run& run) const {
  Tensor condition = operand(in, run, 0);
  if (Capture* capture = capture_of(condition)) {
    return keep_region_results(in, record_regions(*capture, in, run), run);
  }
  const size_t n = in.op->num_operands();
  TensorList values;
  for (size_t i = 1; i < n; ++i) values.push_back(operand(in, run, i));
  while (holds(in, condition)) {
    autograd::check_interrupt();
    values = run_body(in.bodies[0], values, run);
    PADDLE_CHECK_RUNTIME(values.size() == n, "pd_op.while: the body gave ", values.size(),
                         " values; ", n, " are expected.");
    condition = values.front();
    values.erase(values.begin());
  }
  keep_region_results(in, std::move(values), run);
}

}  // namespace paddle::pir
