// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// An operator of a user's library beside its record: the library's functions, and how its inputs,
// outputs and gradient hang together. Made when the library is loaded, lives for ever.
//
// The record's schema has the inputs, then the *likes* (tensors of which only shape and dtype
// count: an output of a gradient has the shape of what it is the gradient of, whether the gradient
// reads that or not), then the attributes. With a list among the outputs the only result is one
// flat list.
#pragma once

#include <string>
#include <vector>

#include "paddle_core/extension/include/paddle/extension/abi.h"
#include "paddle_core/op/op_def.h"

namespace paddle::extension {

// "X@VECTOR@GRAD": an input or output as it was declared.
struct Port {
  std::string declared;  // with all suffixes
  std::string base;      // without @VECTOR and @OPTIONAL: "X@GRAD"
  std::string argument;  // as an identifier: "X_grad"
  bool list = false, optional = false;
};

// Where an input of the gradient operator comes from in a call of its operator.
struct Source {
  enum class Kind : uint8_t { kInput, kOutput, kGradient };
  Kind kind = Kind::kInput;
  size_t index = 0;
};

struct CustomOp {
  const PaddleOperator* raw = nullptr;
  std::string name;  // of the record: relu, relu_grad, relu_grad_grad
  std::vector<Port> inputs, likes, outputs;
  std::vector<std::string> attributes, attribute_types;
  std::vector<const PaddleDeviceKernel*> device_kernels;
  std::vector<int> like_of;        // per output: tensor argument of the same shape, or -1
  std::vector<int> inplace_input;  // per output: the input that the kernel changes into it, or -1
  bool flat_list = false;

  const OpDef* gradient = nullptr;
  std::vector<Source> gradient_sources;  // of its inputs and likes
  size_t gradient_reads = 0;             // how many of them are inputs, read by value
  std::vector<size_t> gradient_targets;  // of its outputs: the input that each is a gradient of
  std::vector<size_t> gradient_attributes;

  size_t num_tensors() const { return inputs.size() + likes.size(); }
  const Port& tensor(size_t i) const {
    return i < inputs.size() ? inputs[i] : likes[i - inputs.size()];
  }
};

// Null for an operator of the framework.
PADDLE_API const CustomOp* custom_op_of(const OpDef& op);
const CustomOp& required_custom_op(const OpDef& op);

// The rules that every such record has. The kernel of a device has its declaration as user pointer.
void custom_infer(Infer& c);
void custom_kernel(KernelContext& c);
void custom_vjp(Vjp& v);

}  // namespace paddle::extension
