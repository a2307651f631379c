// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// What the parts of a capture share: the program that is built, where the next operation stands,
// and the way from one part to another.
#pragma once

#include <memory>
#include <string>

#include "paddle_core/shape/sym.h"
#include "pir/capture/captured.h"

namespace paddle::pir {

class Capture;
class ControlFlow;
class Extents;
class Gradients;
class Phis;
class Values;
class Writes;

struct CaptureContext {
  explicit CaptureContext(bool for_export);

  uint64_t id;  // what tensors of this capture name in their CaptureHandle
  bool active = false;
  const bool for_export;  // for a file: no operators that saved programs do not know
  bool in_parts = false;  // of a static program
  // Gradients are taken when the program runs: through control flow, or through operators whose
  // extents are values of tensors.
  bool has_control_flow = false;
  bool has_dynamic_extents = false;
  std::unique_ptr<SymbolScope> symbols;
  std::unique_ptr<Captured> result;
  Builder builder;
};

// " at <file>:<line>" of the user's program, for messages; empty where it is not known.
std::string location_text();

// The base of the parts: each is owned by a capture, which gives out the others.
class PADDLE_API CapturePart {
 public:
  CapturePart(const CapturePart&) = delete;
  CapturePart& operator=(const CapturePart&) = delete;

 protected:
  CapturePart(Capture& capture, CaptureContext& context) : capture_(capture), context_(context) {}
  ~CapturePart() = default;

  // Defined in capture.h.
  Values& values() const;
  Writes& writes() const;
  Phis& phis() const;
  ControlFlow& control_flow() const;
  Gradients& gradients() const;
  Extents& extents() const;

  Capture& capture_;
  CaptureContext& context_;
};

}  // namespace paddle::pir
