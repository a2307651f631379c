// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// FLAGS_batch_invariant: an element of a product depends on its row, its column and the length of
// the sum alone, that of a normalisation on its row, that of attention on its query and the keys
// that it sees. Kernels that choose an implementation by the shape of the whole ask here first.
#pragma once

namespace paddle::cpu {

bool batch_invariant();

}  // namespace paddle::cpu
