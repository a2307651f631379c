// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Operators that oneDNN's passes made compute with whole numbers of 8 bits: x * scale, rounded and
// saturated, stands for x.
#pragma once

#include "pir/legacy/terms.h"

namespace paddle::pir {

// Around the translation of one operator: `open` gives `inner` inputs in floating point, `close`
// makes of its results the whole numbers that the next operator expects.
class EightBits {
 public:
  explicit EightBits(OpTranslation& op) : op_(op) {}
  // False when the operator computes as its translation says.
  bool open();
  const OpDesc& inner() const { return wide_; }
  void close();
  // Of an operator that moves whole numbers without scales.
  void pass();

 private:
  template <typename Fn>
  void replace(const char* slot, const Fn& fn);

  OpTranslation& op_;
  OpDesc wide_;
};

}  // namespace paddle::pir
