// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The history of values whose gradients are taken when the program runs: through control flow,
// calls of the host, and extents that are values of tensors. Their gradients are an operation that
// asks autograd for them then.
#pragma once

#include <vector>

#include "paddle_core/autograd/node.h"
#include "pir/ir/ir.h"

namespace paddle::pir {

class Capture;

class DeferredGradient final : public autograd::Node {
 public:
  DeferredGradient(Capture& capture, TensorList sources)
      : capture_(capture), sources_(std::move(sources)) {}
  const char* name() const override { return "control_flow"; }
  void add_result(Value* v) { results_.push_back(v); }

  void apply(const TensorList& grads, const std::vector<bool>&, TensorList& out) override;

 private:
  Capture& capture_;
  TensorList sources_;
  std::vector<Value*> results_;
};

}  // namespace paddle::pir
