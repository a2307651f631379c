// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// What the memory of this machine allows.
#pragma once

namespace paddle::cinn {

// Bytes a second that copying moves, read and written: the shortest of five copies of 128 MiB on
// all threads of the host. Measured at the first call.
double copy_rate();

}  // namespace paddle::cinn
