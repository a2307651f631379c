// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Capture: while one is active on a thread, operator calls append operations to its program instead
// of running. Tensors that existed before become captured inputs; those of them that are written
// become writes, applied after each run. Tensors made during the capture that outlive it become
// `created`, filled by the run that follows.
//
// This class records calls; what else there is to a program is asked of its parts.
#pragma once

#include "pir/capture/control_flow.h"
#include "pir/capture/extents.h"
#include "pir/capture/gradients.h"
#include "pir/capture/phis.h"
#include "pir/capture/values.h"
#include "pir/capture/writes.h"
#include "pir/dialect/dialect.h"

namespace paddle::pir {

class PADDLE_API Capture final : public CaptureSink, public autograd::GradientSink {
 public:
  // With `for_export`, operators that saved programs do not know are recorded as what they are
  // composed of.
  explicit Capture(bool for_export = false);
  ~Capture() override;
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;

  // Installs this capture on the thread; end() uninstalls it.
  void begin();
  void end();
  // Ends without a result: tensors that exist outside are what they were before.
  void abandon();
  bool active() const { return context_.active; }
  // Leaves the thread and comes back to it, for programs that are recorded in several parts.
  void suspend();
  void resume();
  // Declares the outputs and, when `differentiate`, appends the gradient of all inputs and captured
  // tensors that need one.
  void set_outputs(const TensorList& outputs, bool differentiate);
  std::unique_ptr<Captured> finish();

  Values& values() { return values_; }  // operands, results, inputs
  const Values& values() const { return values_; }
  Writes& writes() { return writes_; }  // of state, and shared memory
  Phis& phis() { return phis_; }        // tensors that are one of several, aliases
  ControlFlow& control_flow() { return control_flow_; }
  Gradients& gradients() { return gradients_; }
  Extents& extents() { return extents_; }
  const Extents& extents() const { return extents_; }

  // What was recorded so far, and what is known of its symbols.
  const Captured& recorded() const { return *context_.result; }
  std::vector<SymbolFact> current_facts() const;
  bool has_control_flow() const { return context_.has_control_flow; }
  bool has_dynamic_extents() const { return context_.has_dynamic_extents; }
  // Takes over what another capture knows of a program of which this one has a copy.
  void adopt(const Capture& other, const std::vector<CapturedWrite>& writes, ValueCopies copies);
  // What is recorded next stands before an operation of the program; null: at its end.
  void set_insertion_point(Operation* before);
  // An operation without results that names a value.
  void name_output(const Tensor& value, const std::string& name);
  // A call of `function` with the values that the tensors have when the program runs; its results
  // have the shapes and dtypes of `like`, and gradients where those have. Saved programs do without
  // calls for what they do, and cannot have results of one.
  TensorList host_call(HostFunction function, const TensorList& values,
                       const TensorList& like = {});

  void record(const OpDef& op, const Slot* args, Outputs& outs) override;
  Shape extents_given(const OpDef& op, const Slot* args, int arg) override;
  void rebind(const Tensor& target, const Tensor& value) override;
  void set_grad(const Tensor& leaf, const Tensor& grad) override {
    gradients_.set_grad(leaf, grad);
  }
  void gradient_touched(const Tensor& leaf, Touch touch) override {
    gradients_.touched(leaf, touch);
  }
  bool gradient_is_outer(const Tensor& leaf) override { return gradients_.is_outer(leaf); }
  bool follows_gradients() const override { return !context_.in_parts; }
  void give_history_of_run(const OpDef& op, const Outputs& results) override {
    gradients_.defer_results(op, results);
  }
  [[noreturn]] void value_requested(const Tensor& t, const char* what) override;

 private:
  void record_call(const OpDef& op, const Slot* args, Outputs& outs, bool open_numbers);
  bool record_composed(const OpDef& op, const Slot* args, Outputs& outs);
  void restore();

  CaptureContext context_;
  Values values_{*this, context_};
  Writes writes_{*this, context_};
  Phis phis_{*this, context_};
  ControlFlow control_flow_{*this, context_};
  Gradients gradients_{*this, context_};
  Extents extents_{*this, context_};
  CaptureSink* outer_sink_ = nullptr;  // suspended by this one
};

inline Values& CapturePart::values() const { return capture_.values(); }
inline Writes& CapturePart::writes() const { return capture_.writes(); }
inline Phis& CapturePart::phis() const { return capture_.phis(); }
inline ControlFlow& CapturePart::control_flow() const { return capture_.control_flow(); }
inline Gradients& CapturePart::gradients() const { return capture_.gradients(); }
inline Extents& CapturePart::extents() const { return capture_.extents(); }

}  // namespace paddle::pir
