// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Where a row is cut, without a sort of it: the weighted form of selection by sampled pivots (Floyd
// and Rivest, "Expected time bounds for selection", 1975).
#pragma once

#include "phi_kernels/cpu/sampling/sampling_kernels.h"

namespace paddle::cpu {

// The first `count` entries in the order of falling keys, of equal ones in the order in which they
// stand; `threshold` is the key of the last one.
struct Cut {
  float threshold;
  int64_t count;
};

// The fewest entries of that order which together weigh at least `need` > 0; all of them where they
// weigh less. `weight`: of all. Keys are not NaN. a and b have room for all entries: keys, and
// weights where `from` has some.
Cut select_first(const EntriesView& from, double weight, double need, Entries a, Entries b);

// What a cut keeps of the entries, in their order, into `to`, which has room for all.
void keep_first(const EntriesView& from, Cut cut, Entries& to);

}  // namespace paddle::cpu
