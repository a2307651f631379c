// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Passes over captured functions. What a capture names by pointer (outputs, writes, gradients)
// becomes the operands of two builtin.results operations, one at the end of the forward part and
// one at the end of the program; the passes keep operands up to date, and the pointers are read
// back afterwards.
#include "paddle_core/dispatch/execute/decomposition.h"
#include "pir/capture/captured.h"
#include "pir/compiler_door/compiler_library.h"
#include "pir/transform/decompose.h"
#include "pir/transform/transform.h"

namespace paddle::pir {
namespace {

using Places = std::vector<Value**>;

Places forward_places(Captured& c) {
  Places places;
  for (Value*& v : c.outputs) places.push_back(&v);
  for (auto* list : {&c.writes, &c.grads, &c.created}) {
    for (CapturedWrite& w : *list) places.push_back(&w.value);
  }
  for (auto& [position, v] : c.input_writes) places.push_back(&v);
  return places;
}

Operation* add_results(Builder& b, const Places& places) {
  std::vector<Value*> values;
  for (Value** place : places) values.push_back(*place);
  return b.create(std::string(kResults), values, {});
}

void read_back(Operation* results, const Places& places) {
  for (size_t i = 0; i < places.size(); ++i) {
    *places[i] = results->operand(i);
  }
  results->block()->erase(results);
}

size_t position_of(const Block& block, const Operation* op) {
  size_t position = 0;
  for (const auto& other : block.operations()) {
    if (other.get() == op) break;
    ++position;
  }
  return position;
}

}  // namespace

void optimize(Captured& c) {
  Block& block = c.program->block();
  auto& ops = block.operations();
  const Places forward = forward_places(c);
  Places backward;
  for (Value*& v : c.input_grads) backward.push_back(&v);
  Builder b(block);
  if (c.num_forward < ops.size()) {
    b.set_before(std::next(ops.begin(), static_cast<std::ptrdiff_t>(c.num_forward))->get());
  }
  Operation* middle = add_results(b, forward);
  b.set_end(block);
  Operation* last = backward.empty() ? nullptr : add_results(b, backward);
  run_pipeline(Pipeline::kCaptured, *c.program);
  if (decompositions_are_forced()) {
    const Decomposed done = decompose(block);  // what stays is decomposed when it runs
    c.facts.insert(c.facts.end(), done.facts.begin(), done.facts.end());
    run_passes({"dce"}, *c.program);
  }
  // In a kernel of its own the function would read the result again.
  if (compiler_wanted() && c.input_grads.empty() && !c.has_gradient) {
    run_passes({"fuse_linear_function", "dce"}, *c.program);
  }
  if (compiler_wanted()) {
    // As slices parts belong to the groups that read them.
    const Decomposed done = decompose(block, [](const Operation& op) {
      return op.is("pd_op.split") || op.is("pd_op.split_with_num") || op.is("pd_op.unbind");
    });
    c.facts.insert(c.facts.end(), done.facts.begin(), done.facts.end());
    if (done.operations > 0) run_passes({"simplify", "cse", "dce"}, *c.program);
  }
  c.grouping = form_groups(block).decisions;
  c.num_forward = position_of(block, middle);
  read_back(middle, forward);
  if (last) read_back(last, backward);
}

}  // namespace paddle::pir
