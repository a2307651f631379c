// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Which value of the program stands for which tensor: declared inputs, captured tensors, results of
// recorded calls.
#pragma once

#include <string_view>
#include <unordered_map>

#include "pir/capture/context.h"

namespace paddle::pir {

using ValueCopies = std::unordered_map<const Value*, Value*>;

class PADDLE_API Values : public CapturePart {
 public:
  Values(Capture& capture, CaptureContext& context) : CapturePart(capture, context) {}

  // A tensor that stands for an input. A negative extent is dynamic: a fresh symbol with the
  // example, if one is given. Callers give tensors of that place.
  Tensor add_input(const std::string& name, const std::vector<int64_t>& shape, DType dtype,
                   bool stop_gradient, const std::vector<int64_t>& examples = {},
                   Place where = Place());
  bool owns(const Tensor& t) const { return t->capture.program == context_.id; }
  // What stands for a tensor without values here; null: nothing does.
  Value* own_value(const Tensor& t) const {
    return owns(t) ? latest(static_cast<Value*>(t->capture.value)) : copied_value(t);
  }
  // Whether value_of would find a value for a tensor.
  bool knows(const Tensor& t) const { return t.has_storage() || own_value(t); }
  // The value that stands for a tensor; adds a captured input for one with values.
  Value* value_of(const Tensor& t);
  // The same for what an operation reads: constant where the tensor needs no gradient, and
  // RuntimeError for a value of a region that has ended.
  Value* operand_of(const Tensor& t);
  // The tensor of that name among those made by recorded calls; undefined when there is none.
  Tensor find(std::string_view name) const;
  // The tensors that inputs and recorded calls gave, in order.
  const TensorList& made() const { return made_; }
  const TensorList& inputs() const { return inputs_; }
  // A further tensor that stands for a value.
  Tensor stand_in(Value* v);

  // Whatever reads a value, writes included, reads another one from now on.
  void replace_uses(Value* from, Value* to);
  // The same, and tensors that stand for the first value, those that gradients saved included,
  // stand for the second.
  void replace_value(Value* from, Value* to);

  // -- for the other parts -----------------------------------------------------------------------
  // The tensor stands for the value from now on; a tensor that was just made is listed as well.
  void attach(const Tensor& t, Value* v);
  void add_made(const Tensor& t, Value* v) {
    attach(t, v);
    made_.push_back(t);
  }
  // The tensors made from a position on, which are taken out of the list.
  TensorList take_made_from(size_t position);
  // The value that another one was replaced by, or it itself.
  Value* latest(Value* v) const {
    for (auto at = replaced_.find(v); at != replaced_.end(); at = replaced_.find(v)) v = at->second;
    return v;
  }
  // Whether a value is defined in the block that is recorded, or in one around it.
  bool is_visible(const Value* v) const;
  // The captured input of a tensor; null when it is none.
  Value* captured_value(const TensorImpl* impl) const;
  // Takes over inputs and tensors of another capture, of whose program this one has a copy.
  void adopt(const Values& other, ValueCopies copies);
  // At the end: inputs that were written, and tensors that outlive the capture.
  void collect_input_writes();
  void collect_created();
  void reset_history();
  void release_captured();

 private:
  Value* copied_value(const Tensor& t) const;
  Value* capture_input(const Tensor& t);

  TensorList inputs_, made_;
  ValueCopies replaced_;
  std::vector<std::pair<uint64_t, ValueCopies>> sources_;  // captures that this one copied
  std::unordered_map<const TensorImpl*, size_t> captured_index_;
};

// A tensor without values, of the type of a value.
inline Tensor placeholder_of(const Value* v) {
  return Tensor::meta(v->type().shape(), v->type().dtype(), v->type().place());
}

}  // namespace paddle::pir
