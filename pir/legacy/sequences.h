// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Sequences of several lengths in one tensor, one behind the other: which row belongs to which, and
// the same rows as [sequences, longest, ...].
#pragma once

#include "pir/legacy/terms.h"

namespace paddle::pir {

// By offsets, a vector of int64 from 0 to the number of rows.
class Sequences {
 public:
  Sequences(OpTranslation& op, Value* offsets) : op_(&op), offsets_(op, offsets) {}
  // The finest of the levels of a slot; NotImplementedError when it has none.
  static Sequences in(OpTranslation& op, const char* slot);
  static Sequences of_lengths(OpTranslation& op, const Term& lengths);

  const Term& offsets() const { return offsets_; }
  Term starts() const { return offsets_.part(0, 0, -1); }
  Term ends() const { return offsets_.part(0, 1, INT32_MAX); }
  Term lengths() const { return ends() - starts(); }
  // How many sequences, and how long the longest is, at least 1: of no axis.
  Term count() const { return lengths().extents().at(0, 0); }
  Term longest() const;
  // Of each row: the number of its sequence, its place within it.
  Term owners() const;
  Term places() const;

  // [sequences, longest, ...], with `fill` behind the end of each.
  Term padded(const Term& rows, double fill) const;
  Term padded(const Term& rows, double fill, const Term& width) const;
  // The rows of a tensor of that form.
  Term unpadded(const Term& all) const;
  // Of each sequence one row: `kind` is SUM, AVERAGE, SQRT, MAX, FIRST or LAST, `fill` stands for
  // the empty ones.
  Term pooled(const Term& rows, const std::string& kind, double fill) const;
  // `length` rows from `first` on, counted from each row, side by side; 0 outside of the sequence.
  Term around(const Term& rows, int64_t first, int64_t length) const;
  // Where row `place` of a sequence lies when the sequences begin at `starts`.
  Term rows_from(const Term& starts) const { return starts.gather(owners()) + places(); }

 private:
  OpTranslation* op_;
  Term offsets_;
};

// The rows and one more behind them, of `fill`.
Term with_row(const Term& rows, double fill);

}  // namespace paddle::pir
