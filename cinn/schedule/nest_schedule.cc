// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The checks of a point as statements.
#include "cinn/schedule/nest_schedule.h"

namespace paddle::cinn {

void NestSchedule::add_checks(Body& body) {
  for (Expr condition : values_.take_checks()) body.push_back({Check{condition}});
}

}  // namespace paddle::cinn
