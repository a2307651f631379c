// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Eager calls of composed operators that have no kernel, for the compiler: FLAGS_cinn_eager offers
// them to it, and the first of them opens its library.
#pragma once

namespace paddle::pir {

// Installs what offers the calls; idempotent.
void offer_eager_calls();

}  // namespace paddle::pir
