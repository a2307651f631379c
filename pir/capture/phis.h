// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Tensors that are one of several behind a branch or loop, and what may be the same tensor there.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "pir/capture/aliases.h"
#include "pir/capture/context.h"

namespace paddle::pir {

class PADDLE_API Phis : public CapturePart {
 public:
  Phis(Capture& capture, CaptureContext& context) : CapturePart(capture, context) {}

  // Whether a tensor is defined where the next operation is recorded: its value dominates that
  // point, or it has values.
  bool dominates(const Tensor& t);
  // A result of end_if is `kept`, a tensor from before it, unless the bool tensor `mask` is true:
  // what is written to one of the two is then written to both. `other` is what it is where it is
  // not `kept`; writes go to it, too, if it dominates the branch.
  void add_phi(const Tensor& result, const Tensor& kept, const Tensor& mask, const Tensor& other,
               bool other_dominates);
  // The tensors that a tensor is one of by add_phi(), and the bool tensors that are true (or false)
  // where it is that one; a tensor that is no phi, or dominates this point, is itself.
  struct Operand {
    Tensor tensor;
    std::vector<std::pair<Tensor, bool>> conditions;
  };
  std::vector<Operand> operands_of(const Tensor& t);
  // Of a tensor that is `kept` unless one of several bool tensors is true, by add_phi() or as it is
  // the same: these. Nothing for other tensors.
  static std::optional<TensorList> masks_of(const Tensor& t, const Tensor& kept);
  // What a tensor may be written through: what it is a view of, and the others of phis.
  static TensorList memories(const Tensor& t);

  // A result of a branch or loop, or what it is where it is not `kept`, may be each of the others:
  // the program does not follow writes from one to the other, so they are used no more after one.
  void may_alias(const Tensor& t, const TensorList& others);
  // Variables of a body or loop that only change places: no two of them are the same tensor.
  void no_alias(const TensorList& variables);

  // -- for the other parts -----------------------------------------------------------------------
  void note_written(const Tensor& memory) {
    if (!phi_memory_.empty() || !aliases_.empty()) invalidate(memory);
  }
  // RuntimeError for a tensor that a write to another one made stale.
  void check_not_stale(const Tensor& t) const;
  // The same for the tensors that callers see when the capture ends.
  void check_visible_not_stale() const;
  Aliases::Stale& stale() { return aliases_.stale; }
  void clear();

 private:
  void invalidate(const Tensor& memory);

  std::vector<std::pair<Tensor, Tensor>> phi_memory_;  // memory of what phis may be
  Aliases aliases_;
};

}  // namespace paddle::pir
