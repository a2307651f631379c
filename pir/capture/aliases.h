// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Which tensors may be one and the same behind a branch or loop on a tensor, where the program does
// not follow writes from one to the other. A write to one makes the others stale: what Python
// would find in them is not known.
#pragma once

#include <string>
#include <unordered_map>

#include "paddle_core/op/slot.h"

namespace paddle::pir {

// Tensors here are memory: none of them is a view.
class Aliases {
 public:
  struct Entry {
    Tensor tensor;
    std::string where;  // it was written under another name
  };
  using Stale = std::unordered_map<TensorImpl*, Entry>;

  // From now on a tensor may be each of the others, or what these may be.
  void may_alias(const Tensor& memory, const TensorList& others);
  // Tensors that only change places: no two of them are the same one.
  void no_alias(const TensorList& memories);
  // A tensor is written: gives those that are stale by that.
  TensorList write(const Tensor& memory, const std::string& where);
  void clear();
  bool empty() const { return known_.empty(); }

  Stale stale;

 private:
  struct Known {
    Tensor tensor;
    TensorList origins;
    int group = 0;  // of those that no_alias() was given
  };
  TensorList origins(const Tensor& memory) const;

  std::unordered_map<TensorImpl*, Known> known_;
  int groups_ = 0;
};

}  // namespace paddle::pir
