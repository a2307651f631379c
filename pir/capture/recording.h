// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Programs that are recorded in parts and run with chosen inputs and outputs, as
// paddle.static.Program is: calls append to the program while it is entered; each run is compiled
// from a copy of what was recorded, cut down to what its outputs and writes need.
#pragma once

#include "pir/capture/capture.h"

namespace paddle::pir {

// A moment in a recording: what came later does not belong to it.
struct RecordingMark {
  const Operation* last = nullptr;  // null: nothing was recorded yet
  std::vector<CapturedWrite> writes;
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
  Tensor find(std::string_view name) const { return capture_.find(name); }
  // For control flow (Capture's interface).
  Capture& capture() { return capture_; }
  const Captured& recorded() const { return capture_.recorded(); }

  RecordingMark mark() const;
  // A copy of the program that computes the fetched tensors, and applies the writes unless
  // `for_test`, which also sets dropout and normalisation to inference. `until` cuts the program
  // at a mark. ValueError when an input is needed that is not fed.
  std::unique_ptr<Captured> compile(const std::vector<std::string>& feeds,
                                    const TensorList& fetches, const RecordingMark* until,
                                    bool for_test);

 private:
  Capture capture_;
  std::vector<std::string> input_names_;
};

}  // namespace paddle::pir
