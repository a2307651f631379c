// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Gradients of a captured function: which values have one, which part of it stands in the program
// and which is taken when the program runs, what becomes of .grad of tensors from outside.
#pragma once

#include <unordered_map>
#include <unordered_set>

#include "paddle_core/autograd/gradient_sink.h"
#include "pir/capture/deferred_gradient.h"
#include "pir/capture/values.h"

namespace paddle::pir {

class PADDLE_API Gradients : public CapturePart {
 public:
  Gradients(Capture& capture, CaptureContext& context) : CapturePart(capture, context) {}

  // Whether gradients can only be taken when the program runs.
  bool are_deferred() const { return context_.has_control_flow || context_.has_dynamic_extents; }
  // Gradients of targets through control flow, taken when the program runs; undefined for inputs
  // that take no part in them.
  TensorList record(const TensorList& targets, const TensorList& inputs,
                    const TensorList& target_gradients);
  // A hook on the gradient of a tensor of this capture, which a recorded run gives to the tensor.
  void record_hook(const Tensor& t, uint64_t id, HostFunction hook);
  void forget_hook(const Tensor& t, uint64_t id);
  // A branch or body sets stop_gradient of a tensor, which is a result of it then.
  void set_stop_gradient(const Tensor& t, bool stop);

  // -- for the other parts -----------------------------------------------------------------------
  // A gradient may flow to a value when a run is recorded.
  void mark(const Value* v) { differentiated_.insert(v); }
  bool is_marked(const Value* v) const { return differentiated_.contains(v); }
  bool has_marks() const { return !differentiated_.empty(); }
  // Marks the results of an operation that reads something marked.
  void propagate(const Operation& op);
  // A leaf that the function itself made.
  void note_leaf(const Tensor& t);
  // A captured input that may get a gradient.
  void note_captured(const Tensor& t);
  // The tensor's value, behind cf.detach when it needs no gradient but its value has one.
  Value* constant_of(const Tensor& t, Builder& at);
  void forget_constants() { constants_.clear(); }
  // The value v, written to t without a gradient, with the history of t.
  Value* keep_history(const Tensor& t, Value* v);
  // A native in-place call gives a leaf a value of another history.
  void forget_first_value(const TensorImpl* impl) { first_values_.erase(impl); }
  // The value of a tensor of which a gradient is taken: what its later ones have their history of.
  Value* differentiated_value_of(const Tensor& t);

  // Gradients of what is recorded are taken when the program runs.
  void defer();
  // A node behind everything that needs a gradient; null when nothing does.
  IntrusivePtr<DeferredGradient> deferred_history(bool under_no_grad = false);
  void set_deferred_history(const Tensor& t, const IntrusivePtr<DeferredGradient>& node, size_t i);
  // The same for the results of an operator whose gradient asks for values.
  void defer_results(const OpDef& op, const Outputs& results);
  // Tensors that stand for the results of a call of the host.
  TensorList deferred_results(Operation& call, const TensorList& like);
  // cf.grad; null for inputs that take no part.
  std::vector<Value*> record_grad(const std::vector<Value*>& targets,
                                  const std::vector<Value*>& inputs,
                                  const std::vector<Value*>& seeds);

  // leaf_gradients.cc: .grad of tensors that exist outside.
  using Touch = autograd::GradientSink::Touch;
  void set_grad(const Tensor& leaf, const Tensor& grad);
  void touched(const Tensor& leaf, Touch touch);
  bool is_outer(const Tensor& leaf);
  // The leaf whose .grad a tensor was at first sight; null when it was none.
  const Tensor* leaf_of(const TensorImpl* grad) const;

  void adopt(const Gradients& other, const ValueCopies& copies);
  bool ran_backward() const { return ran_backward_; }
  // Appends the gradient of all inputs and captured tensors that need one to the program.
  void append(const TensorList& outputs);
  // Hooks are part of the program where gradients are, or of its runs.
  void finish_hooks();
  void collect();
  void forget_recorded();
  void restore();

 private:
  // What becomes of .grad of a tensor that exists outside.
  struct LeafGradient {
    Tensor leaf, before;
    autograd::GradState found = autograd::GradState::kNone;
    uint8_t states = 0;         // for which the program is right; 0: so far for all
    bool zeroed_first = false;  // the first touch, which makes `found` count only if it is seen
  };
  struct RecordedHook {
    Tensor tensor;
    uint64_t id;
    Operation* op;  // in a block that may have been dropped with its region
    const Block* block;
  };
  LeafGradient& leaf_gradient(const Tensor& leaf);
  bool has_only_operators(const TensorList& outputs) const;

  bool ran_backward_ = false;     // the function called backward() itself
  bool differentiating_ = false;  // the gradient part is being appended
  std::vector<RecordedHook> hooks_;
  TensorList leaves_made_;  // in the function, by detach() and stop_gradient
  std::unordered_set<const Value*> differentiated_;
  std::unordered_map<const Value*, Value*> constants_;          // cf.detach of a value
  std::unordered_map<const TensorImpl*, Value*> first_values_;  // of leaves, by keep_history
  std::unordered_map<const TensorImpl*, size_t> old_grad_;      // .grad at first sight -> leaves_
  std::unordered_map<const TensorImpl*, size_t> by_leaf_;       // -> leaves_
  std::vector<LeafGradient> leaves_;
};

}  // namespace paddle::pir
