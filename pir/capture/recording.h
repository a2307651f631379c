// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Programs that are recorded in parts and run with chosen inputs and outputs, as
// paddle.static.Program is: calls append to the program while it is entered; each run is compiled
// from a copy of what was recorded, cut down to what its outputs and writes need.
#pragma once

#include "pir/capture/capture.h"

namespace paddle::pir {

// Gradients that were appended as operations for the declared extents.
struct RecordedGradient {
  const Operation* last = nullptr;  // of what had been recorded when they were complete
  std::vector<Value*> targets, inputs, seeds, results;
};

// Captured tensors -> those that stand in their place in one compiled program.
using BoundTensors = std::unordered_map<const TensorImpl*, Tensor>;

class Recording;

// A copy, and which operation became which.
struct RecordingCopy {
  std::unique_ptr<Recording> recording;
  std::vector<std::pair<const Operation*, Operation*>> operations;
};

class PADDLE_API Recording {
 public:
  Recording() : capture_(true) {}
  ~Recording() { leave(); }

  void enter() { capture_.resume(); }
  void leave() { capture_.suspend(); }
  bool active() const { return capture_.active(); }

  // An input; negative extents are dynamic.
  Tensor data(const std::string& name, const std::vector<int64_t>& shape, DType dtype,
              bool stop_gradient);
  const std::vector<std::string>& input_names() const { return input_names_; }
  Tensor find(std::string_view name) const { return capture_.values().find(name); }
  // For control flow (Capture's interface).
  Capture& capture() { return capture_; }
  const Captured& recorded() const { return capture_.recorded(); }

  // Another recording of the same operations, which goes on by itself; with `targets` of those
  // operations that they need. Without `with_writes` only first values are written.
  RecordingCopy copy(bool for_test, bool with_writes, const TensorList* targets = nullptr);
  // -- changes of what was recorded; operations are named by their addresses
  // ----------------------- ValueError when the program has no such operation, or when a result of
  // it is used.
  Operation* operation_at(const void* op);
  void remove(const void* op);
  void move(const void* op, const void* before);
  void set_attribute(const void* op, const std::string& name, Attribute value);
  // State has another name from now on.
  void rename_state(const std::string& from, const std::string& to);
  // What is recorded next stands before an operation; null: at the end.
  void record_before(const void* op);
  // Puts what an operator is composed of in its place; its tensors stand for the new values. False,
  // and no change, for operators that are not composed of others.
  bool decompose(const void* op);
  // Whatever reads the first tensor, writes included, reads the second from now on.
  void replace_uses(const Tensor& from, const Tensor& to);
  // Takes out the operations whose results nothing reads and that do nothing by themselves, and
  // gives their number.
  size_t remove_unused();
  // An operation without results that names a value: builtin.shadow_output.
  void name_output(const Tensor& value, const std::string& name, const void* before);
  // The tensor of a recorded value; a new one where its tensor was given another value since.
  Tensor tensor_of(const Value* v);
  // Says that `results`, undefined ones where there is no gradient, were just appended as the
  // gradients of `targets` with respect to `inputs`.
  void note_gradient(const TensorList& targets, const TensorList& inputs, const TensorList& seeds,
                     const TensorList& results);
  struct Wanted {
    bool for_test = false;      // dropout and normalisation in their form for inference
    bool with_writes = true;    // apply the writes
    bool with_effects = false;  // keep operations that act outside of the program (prints)
    // Shapes may be others than declared: operators find them when the program runs, and gradients
    // are taken then.
    bool as_fed = false;
  };
  // A copy of the program that computes the fetched tensors. ValueError when an input is needed
  // that is not fed.
  std::unique_ptr<Captured> compile(const std::vector<std::string>& feeds,
                                    const TensorList& fetches, const Wanted& wanted,
                                    const BoundTensors& bound = {});

 private:
  void replace_value(Value* from, Value* to);
  void replace_elements(Value* list);

  Capture capture_;
  Program removed_;  // operations that were taken out: tensors may point to their results
  std::vector<std::string> input_names_;
  std::unordered_map<const Value*, Tensor> by_value_;
  std::vector<RecordedGradient> gradients_;
  size_t known_made_ = 0;  // of the capture's tensors, those that by_value_ has
};

}  // namespace paddle::pir
