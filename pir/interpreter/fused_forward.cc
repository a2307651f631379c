// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The forward part is copied, rewritten, and run under another capture, whose tape then gives the
// gradient of the rewritten operators.
#include "pir/interpreter/fused_forward.h"

#include <algorithm>

#include "pir/capture/copier.h"
#include "pir/interpreter/interpreter.h"
#include "pir/transform/transform.h"

namespace paddle::pir {
namespace {

bool is_known(const Type& type) {
  if (!type.is_tensor()) return true;
  const Shape& shape = type.shape();
  return std::none_of(shape.begin(), shape.end(), [](const Dim& d) { return d.is_symbolic(); });
}

// Random operators draw in the same order again.
bool is_plain(const Operation& op) {
  if (is_pure(op) || op.is("pd_op.data") || op.is("builtin.parameter")) return true;
  return op.def && op.regions().empty() && !op.def->has(kSideEffect) &&
         !op.def->is_native_inplace();
}

bool may_be_recorded_again(const Captured& c) {
  if (!c.of_operators || c.input_grads.empty() || c.for_export || c.as_fed || c.has_control_flow ||
      c.has_gradient || !c.host_functions.empty()) {
    return false;
  }
  if (!c.writes.empty() || !c.input_writes.empty() || !c.grads.empty() || !c.created.empty() ||
      !c.facts.empty()) {
    return false;
  }
  const auto has_values = [](const CapturedInput& in) {
    return in.tensor.defined() && in.tensor.has_storage();
  };
  if (!std::all_of(c.captured.begin(), c.captured.end(), has_values)) return false;
  size_t position = 0;
  for (const auto& op : c.program->block().operations()) {
    if (position++ == c.num_forward) break;
    if (!is_plain(*op)) return false;
    for (size_t i = 0; i < op->num_results(); ++i) {
      if (!is_known(op->result(i)->type())) return false;
    }
  }
  return true;
}

// The forward part by itself.
struct Forward {
  Program program;
  std::vector<Value*> inputs, outputs;

  explicit Forward(const Captured& c) {
    program.keep_symbols_of(*c.program);
    Copier copier(program);
    size_t position = 0;
    for (const auto& op : c.program->block().operations()) {
      if (position++ == c.num_forward) break;
      copier.copy(*op);
    }
    for (const Value* v : c.inputs) inputs.push_back(copier.of(v));
    for (const CapturedInput& in : c.captured) inputs.push_back(copier.of(in.value));
    for (const Value* v : c.outputs) outputs.push_back(copier.of(v));
  }

  bool fuse() {
    Builder at_end(program.block());
    at_end.set_end(program.block());
    Operation* results = at_end.create(std::string(kResults), outputs, {});
    bool fused = false;
    for (const PassRecord& record : run_pipeline(Pipeline::kTraining, program)) {
      fused = fused || (record.name.starts_with("fuse_") && record.changes > 0);
    }
    for (size_t i = 0; i < outputs.size(); ++i) outputs[i] = results->operand(i);
    program.block().erase(results);
    return fused;
  }

  TensorList run(const TensorList& given) const {
    std::vector<const Operation*> operations;
    for (const auto& op : program.block().operations()) operations.push_back(op.get());
    SymbolValues symbols;
    return Interpreter(operations, inputs, outputs).run_recorded(given, &symbols);
  }
};

struct AutogradOn {
  uint32_t allowed = thread_modes.allowed;
  AutogradOn() { thread_modes.allowed |= kModeAutograd; }
  ~AutogradOn() { thread_modes.allowed = allowed; }
};

std::unique_ptr<Captured> recorded_again(const Captured& c, const Forward& forward) {
  Capture capture;
  capture.begin();
  const AutogradOn on;
  TensorList given;
  for (const Value* v : c.inputs) {
    const Type& type = v->type();
    std::vector<int64_t> extents;
    for (const Dim& d : type.shape()) extents.push_back(d.value());
    const std::string name(v->producer()->attribute("name").get<std::string>());
    given.push_back(capture.values().add_input(name, extents, type.dtype(), v->stop_gradient, {},
                                               type.place()));
  }
  for (const CapturedInput& in : c.captured) given.push_back(in.tensor);
  capture.set_outputs(forward.run(given), true);
  given.clear();
  return capture.finish();
}

// What a gradient goes to: positions among inputs, tensors among captured ones.
std::vector<std::pair<const void*, int>> destinations(const Captured& c) {
  std::vector<std::pair<const void*, int>> all;
  for (size_t i = 0; i < c.grad_inputs.size(); ++i) {
    if (!c.input_grads[i]) continue;
    const int at = c.grad_inputs[i];
    if (at >= 0) {
      all.emplace_back(nullptr, at);
    } else {
      all.emplace_back(c.captured[static_cast<size_t>(-1 - at)].tensor.impl(), 0);
    }
  }
  std::sort(all.begin(), all.end());
  return all;
}

}  // namespace

std::unique_ptr<Captured> with_fused_forward(const Captured& captured) {
  if (!may_be_recorded_again(captured)) return nullptr;
  Forward forward(captured);
  if (!forward.fuse()) return nullptr;
  auto again = recorded_again(captured, forward);
  return destinations(*again) == destinations(captured) ? std::move(again) : nullptr;
}

}  // namespace paddle::pir
